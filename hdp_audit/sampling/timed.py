"""A Python mechanism whose calls may not hang: each has a time limit, and after two time-outs nothing is called."""

from __future__ import annotations

import contextlib
import inspect
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

PATIENCE = 2
PER_CALL = 0.01  # a batch of N outputs may take the time limit (1 + N/100) times


class CallTimeout(Exception):
    """A call that took longer than its limit."""


class Timed:
    """The same mechanism; `batch` and `many` are there only where it has them."""

    def __init__(self, mechanism: Callable[..., Any], limit: float) -> None:
        self._mechanism = mechanism
        self._limit = limit
        self._late = 0
        self.__name__ = getattr(mechanism, "__name__", type(mechanism).__name__)
        with contextlib.suppress(TypeError, ValueError):
            self.__signature__ = inspect.signature(mechanism)

    def __call__(self, *arguments: Any) -> Any:
        """One call."""
        return self._run(self._mechanism, arguments, 1)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._mechanism, name)
        if name == "batch":
            return lambda *given: self._run(found, given, given[3])
        if name == "many":
            return lambda *given: self._run(found, given, len(given[0]))
        return found

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...], outputs: int) -> Any:
        if self._late >= PATIENCE:
            raise CallTimeout(f"not called any more after {PATIENCE} calls that took too long")
        limit = self._limit * (1.0 + PER_CALL * (outputs - 1))
        try:
            with _at_most(limit):
                return function(*arguments)
        except CallTimeout:
            self._late += 1
            raise


@contextlib.contextmanager
def _at_most(limit: float) -> Iterator[None]:
    """Raises `CallTimeout` in the body; where there are no alarm signals (another thread), nothing is limited."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise CallTimeout(f"took longer than {limit:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
