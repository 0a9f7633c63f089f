"""A case: one mechanism and what is claimed of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.behaviour.probes import Probes, custom_probes, default_probes
from hdp_audit.errors import InvalidInput
from hdp_audit.model import AccuracyClaim, OptimalityClaim, PrivacyClaim, PrivacyDemands
from hdp_audit.model.subject import Source
from hdp_audit.model.vocabulary import TaskName
from hdp_audit.search.pairs import NeighbourPair, bases, given_pair
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

Inert = Literal["report", "allow"]
FEW = 4  # pairs of a custom task whose datasets are tried first
# Parts of the false-alarm budget and, unless a case says otherwise, of the calls, where a claim is there at all.
PARTS = {"privacy": 0.7, "accuracy": 0.2, "optimality": 0.1}


@dataclass(frozen=True, eq=False)
class Case:
    """One mechanism and what is claimed of it; `opened` makes the callable, once in every process that draws."""

    name: str
    opened: Callable[[], Callable[..., Any]]
    demands: PrivacyDemands
    task: TaskName
    categories: int | None = None
    source: Source = "python"
    privacy: PrivacyClaim | None = None
    accuracy: AccuracyClaim | None = None
    optimality: OptimalityClaim | None = None
    data: NDArray[Any] | None = None  # the user's own, a further base dataset
    pairs: Callable[[], Iterable[tuple[Any, Any, Iterable[int]]]] | None = None  # of a custom task
    trusts_batches: bool = True
    barred: str = ""  # why nothing is audited, where the behaviour check says so
    inert: Inert = "report"  # of a mechanism that no user's datum moves, or "allow" it
    parts: Mapping[str, float] = field(default_factory=lambda: PARTS)  # of the calls, by claim

    def __post_init__(self) -> None:
        if self.task not in get_args(TaskName):
            raise InvalidInput(f"task = {self.task!r}; allowed: {', '.join(get_args(TaskName))}")
        if self.inert not in get_args(Inert):
            raise InvalidInput(f"inert = {self.inert!r}; allowed: {', '.join(get_args(Inert))}")
        if (self.task == "frequency") != (self.categories is not None):
            raise InvalidInput(
                f"task = {self.task!r} with categories = {self.categories!r}; "
                "frequencies need categories, other tasks have none"
            )
        if (self.task == "custom") != (self.pairs is not None):
            raise InvalidInput(f"task = {self.task!r}; a custom task, and no other, has pairs of datasets")
        if self.task == "custom" and (self.accuracy or self.optimality):
            raise InvalidInput(f"{self.name}: of a custom task only privacy can be audited")
        if not self.claims:
            raise InvalidInput(f"{self.name}: nothing is claimed; claim privacy, accuracy or optimality")
        if self.data is not None:
            self._refuse_bad_data(self.data)

    def _refuse_bad_data(self, data: NDArray[Any]) -> None:
        """What no user may have must not be tried on the mechanism; values are not shown."""
        if self.task == "custom":
            raise InvalidInput(f"{self.name}: data for a custom task, which has its data in its pairs; leave them out")
        if data.shape != self.demands.values.shape:
            raise InvalidInput(
                f"data of shape {data.shape} for {len(self.demands)} demands; give one datum for each user"
            )
        numbers = data.astype(np.float64) if data.dtype.kind in "fiub" else np.full(data.shape, np.nan)
        good, allowed = (numbers >= 0) & (numbers <= 1), "numbers from 0 to 1"
        if self.categories is not None:
            good = (numbers >= 0) & (numbers < self.categories) & (numbers == np.floor(numbers))
            allowed = f"whole numbers from 0 to {self.categories - 1}"
        if not good.all():
            raise InvalidInput(f"{self.name}: data hold a value that is not allowed; give {allowed}")

    @property
    def private(self) -> bool:
        """Whether the user's own data are in play: then nothing that comes from a call is shown."""
        return self.data is not None

    @property
    def claims(self) -> list[str]:
        """Which of privacy, accuracy and optimality are claimed."""
        return [name for name in PARTS if getattr(self, name) is not None]

    @property
    def promises_nothing(self) -> bool:
        """Whether all users are public, so that only an accuracy could be audited, and none is claimed."""
        return self.accuracy is None and bool(np.isinf(self.demands.values).all())

    def subject(self) -> Subject:
        """The mechanism, ready to be called."""
        mechanism = self.opened()
        if self.pairs is not None:
            rng = stream(0, "custom", self.name)
            mechanism = Encoded(mechanism, self.datasets, self.demands.values, rng)
        subject = Subject(mechanism, self.demands.values, self.categories, self.name)
        subject.width = getattr(mechanism, "width", subject.width)
        subject.trusts_batches = self.trusts_batches
        return subject

    @property
    def probes(self) -> Probes:
        """What the behaviour check tries; nothing need move where privacy is not claimed or `inert` is allowed."""
        if self.pairs is not None:
            found = custom_probes(self.subject, self.datasets, self.neighbours)
        else:
            found = default_probes(self.subject, self.demands.values, self.categories)
        if self.privacy is None:
            found = replace(found, pairs=[], groups=[])
        return found if self.privacy is not None and self.inert == "report" else replace(found, contrasts=[])

    @property
    def datasets(self) -> list[Any]:
        """What is tried first: the base datasets, or those of the first pairs of a custom task."""
        if self.pairs is not None:
            return [data for pair in self.neighbours[:FEW] for data in (pair.first, pair.second)]
        return [base.data for base in bases(len(self.demands), self.categories)]

    @cached_property
    def neighbours(self) -> list[NeighbourPair]:
        """The pairs of a custom task."""
        try:
            given = [] if self.pairs is None else list(self.pairs() if callable(self.pairs) else self.pairs)
        except Exception as why:
            raise InvalidInput(f"{self.name}: its pairs raised {type(why).__name__}: {why}") from why
        if self.pairs is not None and not given:
            raise InvalidInput(f"{self.name}: no pairs of datasets; yield at least one (data0, data1, users)")
        return [given_pair(number, pair, self.demands.values) for number, pair in enumerate(given)]
