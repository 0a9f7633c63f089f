"""One demand for all: a mechanism whose epsilon is a single number gets the smallest of those who are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hdp_audit.model.promise import Promise
from hdp_audit.targets.subject import name_of, replayable, takes_rng


class OneDemand:
    """The same mechanism for demands of everybody; `batch` and `many` are there only where it has them."""

    def __init__(self, mechanism: Callable[..., Any], promise: Promise) -> None:
        self._mechanism, self._columns = mechanism, len(promise.columns)
        self._gives_rng, self.takes_rng = takes_rng(mechanism, promise), replayable(mechanism, promise)
        self.__name__ = name_of(mechanism)

    def __call__(self, *given: Any) -> Any:
        """Data, columns of the promise, and a generator."""
        return self._mechanism(*self._smallest(given if self._gives_rng else given[:-1]))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._mechanism, name)
        return (lambda *given: found(*self._smallest(given))) if name in ("batch", "many") else found

    def _smallest(self, given: tuple[Any, ...]) -> list[Any]:
        """A column of nobody is one without a limit."""
        columns = given[1 : 1 + self._columns]
        return [given[0], *(float(np.min(each, initial=np.inf)) for each in columns), *given[1 + self._columns :]]
