"""A mechanism in units of its own as one for a standard task, so that errors are measured in known terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.task import Floats
from hdp_audit.model.units import Translated
from hdp_audit.targets.calls import process_of, surroundings_of, wants_users
from hdp_audit.targets.failures import WrongShape
from hdp_audit.targets.numbers import described, exact, shown
from hdp_audit.targets.sharing import Shared
from hdp_audit.targets.subject import Subject


class Standard:
    """Data of the standard task in, its answers out; `batch` and `many` are there only where the mechanism has them."""

    def __init__(self, subject: Subject, task: Translated) -> None:
        self._mechanism, self._task = subject.mechanism, task
        self._gives_rng, self.takes_rng = subject.takes_rng, subject.replayable
        self.name, self.around = subject.name, surroundings_of(subject.mechanism)

    def __call__(self, data: NDArray[Any], *given: Any) -> Floats:
        """Data, columns of the promise and a generator."""
        output = self._mechanism(self._task.outside(data), *(given if self._gives_rng else given[:-1]))
        return self._answers(output, 1, data.shape[-1])[0]

    @property
    def wants_users(self) -> bool:
        """Whether it is told who is there."""
        return wants_users(self._mechanism)

    @property
    def process(self) -> str:
        """Of a program: how it is started."""
        return process_of(self._mechanism)

    @property
    def given_up(self) -> bool:
        """Whether it is not called any more."""
        return bool(getattr(self._mechanism, "given_up", False))

    def __getattr__(self, name: str) -> Any:
        if name not in ("batch", "many"):
            raise AttributeError(name)
        found = getattr(self._mechanism, name)

        def several(data: NDArray[Any], *given: Any) -> Floats:
            outputs = found(self._task.outside(data), *given)
            return self._answers(outputs, given[-1] if name == "batch" else len(data), data.shape[-1])

        return several

    def _answers(self, outputs: Any, size: int, users: int) -> Floats:
        numbers, width = exact(outputs), self._task.width
        if numbers.size != size * width:
            due = "a number" if width == 1 else f"{width} numbers"
            raise WrongShape(f"{described(outputs)} instead of {size} times {due}", shown(outputs))
        with np.errstate(all="ignore"):  # an infinity is judged later
            return self._task.answer(numbers.reshape(size, width), users)


def in_standard_terms(subject: Subject) -> Subject:
    """The subject itself where its task is a standard one."""
    task = subject.task
    if not isinstance(task, Translated):
        return subject
    found = Subject(Standard(subject, task), subject.promise, task.standard, subject.name, subject.neighbours)
    found.trusts_batches, found.failures = subject.trusts_batches, subject.failures
    if isinstance(subject.maker, Shared):
        found.maker = subject.maker.beside(in_standard_terms)
    return found


def scale_of(subject: Subject) -> float:
    """How large an error of 1 is in the subject's own units."""
    return subject.task.scale(len(subject.promise)) if isinstance(subject.task, Translated) else 1.0
