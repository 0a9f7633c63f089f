"""Arguments by name: a mechanism that names what it wants, in any order, gets that.

A call hands over data, every column of the promise, and a generator, in this order. A function whose parameters fit is
called so. One that names them otherwise, leaves some out or wants them by keyword is wrapped.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput

COLUMNS = ("epsilon", "delta", "rho", "mu")  # that promises have
OTHERS = ("data", "datasets", "ids", "rng", "size")
KNOWN = ("data", *COLUMNS, "ids", "rng")
SEEDS = ("seed", "random_seed", "random_state")  # names of a whole number in the place of a generator
MOST_SEED = 1 << 32  # below which every library takes one
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def adapted(
    mechanism: Callable[..., Any], columns: tuple[str, ...], ids: Sequence[str] | None = None
) -> Callable[..., Any]:
    """The mechanism itself where (data, columns, generator) fit by position; else one that hands over what it names.

    `ids`: names of the users; without them a mechanism that asks for ids gets places from 0.
    """
    if any(parameter.name == "ids" for parameter in _parameters(mechanism)):
        return Identified(mechanism, columns, ids)
    if _chosen(mechanism, ("data", *columns, "rng")) is None:
        return mechanism
    return Named(mechanism, columns)


class Named:
    """The same mechanism, called by position; `batch` and `many` are there only where it has them."""

    def __init__(self, mechanism: Callable[..., Any], columns: tuple[str, ...]) -> None:
        self._mechanism, self._columns = mechanism, columns
        self.__name__ = getattr(mechanism, "__name__", type(mechanism).__name__)
        self._call = _by_name(mechanism, ("data", *columns, "rng"))
        self.takes_rng = "rng" in (_chosen(mechanism, ("data", *columns, "rng")) or ())

    def __call__(self, *given: Any) -> Any:
        """Data, columns and a generator."""
        return self._call(*given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._mechanism, name)
        if name == "batch":
            return _by_name(found, ("data", *self._columns, "rng", "size"))
        if name == "many":
            return _by_name(found, ("datasets", *self._columns, "rng"))
        return found


class Identified(Named):
    """A mechanism that asks for ids: behind the columns it gets the places of those who are there."""

    wants_users = True

    def __init__(self, mechanism: Callable[..., Any], columns: tuple[str, ...], ids: Sequence[str] | None) -> None:
        super().__init__(mechanism, (*columns, "ids"))
        self._place, self._ids = 1 + len(columns), None if ids is None else np.array(ids)

    def __call__(self, *given: Any) -> Any:
        """Data, columns, places and a generator."""
        return self._call(*self._named(given))

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        return (lambda *given: found(*self._named(given))) if name in ("batch", "many") else found

    def _named(self, given: tuple[Any, ...]) -> list[Any]:
        ids, listed = self._ids, list(given)
        if ids is not None:
            listed[self._place] = ids[listed[self._place]]
        return listed


def _by_name(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    chosen = _chosen(function, names)
    if chosen is None:
        return function
    wanted = _wanted(function, names)
    leading = _leading(function, wanted)
    by_keyword = [p.name for p in wanted[leading:]]

    def call(*given: Any) -> Any:
        values = dict(zip(names, given, strict=True))
        taken = [handed(p, values[name]) for p, name in zip(wanted, chosen, strict=True)]
        return function(*taken[:leading], **dict(zip(by_keyword, taken[leading:], strict=True)))

    return call


def _wanted(function: Callable[..., Any], names: tuple[str, ...]) -> list[inspect.Parameter]:
    """Those that have no default, and those that have a known name; a seed where no generator is asked for."""
    listed = _parameters(function)
    seeded = "rng" in names and not any(p.name == "rng" for p in listed)
    return [p for p in listed if p.default is p.empty or p.name in names or (seeded and is_seed(p))]


def is_seed(parameter: inspect.Parameter) -> bool:
    """Whether it wants a fresh whole number; one with a number as default keeps it, as whoever calls would."""
    return parameter.name in SEEDS and (parameter.default is parameter.empty or parameter.default is None)


def handed(parameter: inspect.Parameter, value: Any) -> Any:
    """The value itself, or a seed made by the generator."""
    return seed_of(value) if is_seed(parameter) else value


def seed_of(rng: np.random.Generator) -> int:
    """A fresh one."""
    return int(rng.integers(MOST_SEED))


def _leading(function: Callable[..., Any], wanted: list[inspect.Parameter]) -> int:
    """How many of them can be given by position, as no other stands before them."""
    pairs = zip(_parameters(function), wanted, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1] and pair[1].kind in BY_POSITION, pairs))


def _takes_rng_next(function: Callable[..., Any], wanted: list[inspect.Parameter]) -> bool:
    """Whether what comes behind them, if anything, may be a generator: what has another default keeps it."""
    behind = [p for p in _parameters(function)[len(wanted) :] if p.kind in BY_POSITION]
    return not behind or behind[0].default is None


def _chosen(function: Callable[..., Any], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Which of the names a function is called with, in its own order; None where it takes them as they come."""
    wanted = _wanted(function, names)
    asked = ["rng" if is_seed(p) and "rng" in names else p.name for p in wanted]
    seeded = any(map(is_seed, wanted))
    if not asked or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in wanted):
        return None
    missing = [name for name in asked if name in COLUMNS and name not in names]
    if missing and all(name in (*COLUMNS, *names) for name in asked):
        told = " and ".join(name for name in names if name not in OTHERS)
        raise InvalidInput(
            f"{getattr(function, '__name__', 'mechanism')} asks for {missing[0]}, but the promise has {told}; name "
            "that one, or state the promise in what the mechanism takes"
        )
    unknown = [p.name for p in wanted if p.name not in names]
    first = wanted[0].kind in BY_POSITION and wanted[0].name
    if unknown == [first] and len(asked) > 1 and "data" not in asked:
        asked[0] = names[0]  # whatever it is called, what comes first is the data
    as_they_come = _leading(function, wanted) == len(wanted)
    if names[-1] == "rng" and len(asked) < len(names):
        as_they_come = as_they_come and _takes_rng_next(function, wanted)
    if set(asked) <= set(names):
        usual = tuple(asked) in (names, tuple(name for name in names if name != "rng"))
        return None if usual and as_they_come and not seeded else tuple(asked)
    if seeded and len(asked) == len(names) and asked[-1] == names[-1]:
        return names
    if not as_they_come and len(asked) == len(names) - 1:
        return names[:-1]
    few = [
        name for name in names if name not in (*COLUMNS[1:], "ids")
    ]  # other names: by position, the first column alone
    return tuple(few[: len(asked)]) if len(names) > len(few) and len(asked) in (len(few), len(few) - 1) else None


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(signature_of(function).parameters.values())


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """What it takes; of a builtin that does not say so nothing."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return inspect.Signature()
