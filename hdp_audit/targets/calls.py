"""What surrounds a call of a mechanism: arguments of its own, and settings of the interpreter that stay as before."""

from __future__ import annotations

import contextvars
import copy
import decimal
import sys
import warnings
from collections.abc import Callable
from time import monotonic  # by its own name: a mechanism may replace time.monotonic
from typing import Any, TypeVar

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.dataset import Dataset, DatasetTable
from hdp_audit.targets.leftovers import Leftovers
from hdp_audit.targets.orphans import end_crowd

Result = TypeVar("Result")
LOOK = 100  # calls between two looks at what they leave behind, which take as long as some calls
CROWDED = 0.25  # seconds between two looks at how many processes they leave behind


def arguments(dataset: Dataset | DatasetTable, mechanism: Callable[..., Any]) -> tuple[Any, ...]:
    """Data and every column of the promise for one call: copies, so that what it writes into them nobody else sees.

    The rows of a table are made for the call, and so need no copy. A mechanism that asks for ids gets the places of
    those who are there behind them.
    """
    data = dataset.rows if isinstance(dataset, DatasetTable) else _copied(dataset.data)
    given = data, *(column.copy() for column in dataset.promise.columns.values())
    if not wants_users(mechanism):
        return given
    there = None if isinstance(dataset, DatasetTable) else dataset.users
    return (*given, np.arange(len(dataset.promise)) if there is None else there.copy())


def wants_users(mechanism: Callable[..., Any]) -> bool:
    """Whether it asks for ids, so that it is told who is there."""
    return getattr(mechanism, "wants_users", False) is True


def process_of(mechanism: Callable[..., Any]) -> str:
    """Of a program: "one" that answers all calls, or "each" where every call starts it; "" of a function."""
    return str(getattr(mechanism, "process", ""))


def limit_of(mechanism: Callable[..., Any]) -> float:
    """Seconds that a call may take; 0 where nobody said."""
    found = getattr(mechanism, "limit", 0.0)
    return found if type(found) is float else 0.0


def _copied(data: Any) -> Any:
    if type(data) is np.ndarray and not data.dtype.hasobject:
        return data.copy()
    try:
        return copy.deepcopy(data)
    except Exception as why:
        raise InvalidInput(
            f"a dataset of type {type(data).__name__} cannot be copied ({type(why).__name__}), and every call needs "
            "its own; give arrays, lists, dicts or other data that copy.deepcopy copies"
        ) from None


class Surroundings:
    """Where a mechanism runs: its settings are its own, and the auditor's are as before when it is done.

    numpy's error state and decimal's context are context variables, so they last from one call to the next, but only
    there. Filters of warnings and the recursion limit belong to all, so they are put back after every call; whatever
    takes longer to look at, after some of them. `replaced`: names of code that calls put their own in the place of.
    """

    def __init__(self) -> None:
        self._context = contextvars.copy_context()
        self._context.run(decimal.setcontext, decimal.getcontext().copy())
        self.replaced: dict[str, None] = {}
        self._before: Leftovers | None = None
        self._calls = 0
        self._looked = monotonic()

    def settle(self) -> None:
        """Everything is loaded: what is as it is now is to stay so."""
        self._before, self._calls = Leftovers(), 0

    def tidy(self, calls: int = LOOK) -> None:
        """So many calls were made; once they are enough to be worth a look, what they left is put back."""
        self._calls += calls
        if self._calls >= LOOK and self._before is not None:
            self._calls = 0
            self.replaced.update(dict.fromkeys(self._before.put_back()))

    def run(self, function: Callable[..., Result], *given: Any) -> Result:
        """One call."""
        filters, limit = warnings.filters, sys.getrecursionlimit()
        before = filters[:]
        try:
            return self._context.run(function, *given)
        finally:
            if warnings.filters is not filters or filters != before:
                _put_back(filters, before)
            if sys.getrecursionlimit() != limit:
                sys.setrecursionlimit(limit)
            if monotonic() - self._looked > CROWDED:
                end_crowd()
                self._looked = monotonic()


def surroundings_of(mechanism: Any) -> Surroundings:
    """Those in which it was loaded, else new ones."""
    found = getattr(mechanism, "around", None)
    return found if isinstance(found, Surroundings) else Surroundings()


def _put_back(filters: Any, before: Any) -> None:
    warnings.filters = filters
    warnings.resetwarnings()  # also forgets what was decided by the filters that were there
    filters[:] = before
