"""A session: an object made for one call, an analyst who asks it questions, and what the analyst returns as the output.

The promise is about the whole of it. What is asked next may depend on all answers so far, so an object that keeps its
promise for every list of questions may break it here.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from hdp_audit.errors import InvalidInput
from hdp_audit.model.promise import Promise
from hdp_audit.targets.beats import loading
from hdp_audit.targets.calls import Surroundings
from hdp_audit.targets.failures import WrongType
from hdp_audit.targets.memory import limit_memory
from hdp_audit.targets.named import adapted
from hdp_audit.targets.python import Target
from hdp_audit.targets.subject import replayable, takes_rng
from hdp_audit.targets.timed import Timed

NOTHING = "nothing from the analyst; an analyst returns all that it was told, such as a list of answers"
CALLED = "an analyst is called as analyst(service), or as analyst(service, rng=...) if it asks for rng"


class Session:
    """A mechanism of which every call is a session of its own; there are no batches, as objects must not be shared."""

    def __init__(self, service: Callable[..., Any], analyst: Callable[..., Any], promise: Promise) -> None:
        self.__name__ = getattr(service, "__name__", type(service).__name__)
        self._make = adapted(service, tuple(promise.columns))
        self._gives_rng = takes_rng(self._make, promise)
        self.takes_rng = replayable(self._make, promise)
        self._analyst, self._draws = analyst, _asks_for_rng(analyst)
        self.features = getattr(analyst, "features", None)  # of all that the analyst was told

    def __call__(self, *given: Any) -> Any:
        """Data, columns of the promise and a generator."""
        service = self._make(*(given if self._gives_rng else given[:-1]))
        told = self._analyst(service, rng=given[-1]) if self._draws else self._analyst(service)
        if told is None:  # else a forgotten `return` would pass as an output that says nothing
            raise WrongType(NOTHING, None)
        return told


@dataclass(frozen=True)
class OpenedSession:
    """Makes the session of a spec, with a limit on the time of a call."""

    service: Target
    analyst: Target
    promise: Promise
    timeout: float
    memory: int | None = None  # bytes that a worker may have

    def __call__(self) -> Timed:
        """Load both targets anew; a file that has both is loaded once, so that they share its exceptions."""
        limit_memory(self.memory)
        with loading(self.timeout):
            return self._loaded()

    def _loaded(self) -> Timed:
        around = Surroundings()
        service = self.service.load_callable(around)
        with _importable(self.service):
            shared = self.service.file is not None and self.service.private_name == self.analyst.private_name
            module = sys.modules[self.service.private_name] if shared else None
            analyst = self.analyst.load_callable(around, module)
        return Timed(Session(service, analyst, self.promise), self.timeout, around)


def _asks_for_rng(analyst: Callable[..., Any]) -> bool:
    """Whether it wants the generator; an error in words if it is no analyst."""
    if not callable(analyst):
        raise InvalidInput(f"session = {type(analyst).__name__}, which cannot be called; {CALLED}")
    name = getattr(analyst, "__name__", type(analyst).__name__)
    if inspect.isgeneratorfunction(analyst):
        raise InvalidInput(f"{name} yields what it was told; collect that in a list and return the list")
    try:
        signature = inspect.signature(analyst)
    except (TypeError, ValueError):  # a builtin without a signature
        return False
    draws = "rng" in signature.parameters
    try:
        signature.bind(None, **({"rng": None} if draws else {}))
    except TypeError:
        raise InvalidInput(f"{name}{signature}: {CALLED}") from None
    return draws


@contextlib.contextmanager
def _importable(service: Target) -> Iterator[None]:
    """The module of the service under its own name, where `import` would find the same file.

    Files of a spec are loaded under private names. An analyst that imports an exception from the service's file would
    get another class of that name, and never catch what the service raises.
    """
    name = _own_name(service)
    if name is None:
        yield
        return
    before = sys.modules.get(name)
    sys.modules[name] = sys.modules[service.private_name]
    try:
        yield
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before


def _own_name(target: Target) -> str | None:
    """What `import` calls the file of a target; None where it would find another one, or none."""
    if target.file is None:
        return None
    found = PathFinder.find_spec(target.file.stem)
    same = found is not None and found.origin is not None and Path(found.origin).resolve() == target.file.resolve()
    return target.file.stem if same else None
