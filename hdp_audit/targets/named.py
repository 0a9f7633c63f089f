"""Arguments by name: a mechanism that names what it wants, in any order, gets that.

A call hands over data, every column of the promise, and a generator, in this order. A function whose parameters fit is
called so. One that names them otherwise, leaves some out or wants them by keyword is wrapped.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from hdp_audit.errors import InvalidInput

COLUMNS = ("epsilon", "delta", "rho", "mu")  # that promises have
OTHERS = ("data", "datasets", "rng", "size")
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def adapted(mechanism: Callable[..., Any], columns: tuple[str, ...]) -> Callable[..., Any]:
    """The mechanism itself where (data, columns, generator) fit by position; else one that hands over what it names."""
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


def _by_name(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    chosen = _chosen(function, names)
    if chosen is None:
        return function
    by_keyword = {p.name for p in _parameters(function) if p.kind is inspect.Parameter.KEYWORD_ONLY}

    def call(*given: Any) -> Any:
        values = dict(zip(names, given, strict=True))
        inside = [values[name] for name in chosen if name not in by_keyword]
        return function(*inside, **{name: values[name] for name in chosen if name in by_keyword})

    return call


def _chosen(function: Callable[..., Any], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Which of the names a function is called with, in its own order; None where it takes them as they come."""
    wanted = [p for p in _parameters(function) if p.default is p.empty or p.name in names]
    asked = [p.name for p in wanted]
    if not asked or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in wanted):
        return None
    missing = [name for name in asked if name in COLUMNS and name not in names]
    if missing and all(name in (*COLUMNS, *names) for name in asked):
        told = " and ".join(name for name in names if name not in OTHERS)
        raise InvalidInput(
            f"{getattr(function, '__name__', 'mechanism')} asks for {missing[0]}, but the promise has {told}; name "
            "that one, or state the promise in what the mechanism takes"
        )
    if set(asked) <= set(names):
        usual = tuple(asked) in (names, tuple(name for name in names if name != "rng"))
        return None if usual and all(p.kind in BY_POSITION for p in wanted) else tuple(asked)
    few = [name for name in names if name not in COLUMNS[1:]]  # other names: by position, the first column alone
    return tuple(few[: len(asked)]) if len(names) > len(few) and len(asked) in (len(few), len(few) - 1) else None


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
