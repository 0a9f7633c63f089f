"""A Python mechanism whose calls may not hang: each has a time limit, and after three time-outs nothing is called."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from functools import partial
from os import _exit, getpid  # by their own names: a mechanism may replace os.getpid, or time.monotonic
from time import monotonic
from typing import Any

from hdp_audit.targets.alarm import at_most
from hdp_audit.targets.beats import pulse
from hdp_audit.targets.call_ends import CallDied, CallTimeout
from hdp_audit.targets.calls import Surroundings

PATIENCE = 3
PER_CALL = (
    0.01  # a batch of N outputs may take the time limit (1 + N/100) times, until the pace of single calls is known
)
SLOWER = 10.0  # and from then on the limit and ten times what N single calls would take


class Timed:
    """The same mechanism; `batch` and `many` are there only where it has them."""

    def __init__(self, mechanism: Callable[..., Any], limit: float, around: Surroundings | None = None) -> None:
        self.around = around or Surroundings()
        self._mechanism = mechanism
        self.limit = float(limit)
        self._late = 0
        self._pace: float | None = None  # seconds for a single call, the quickest seen
        self.__name__ = getattr(mechanism, "__name__", type(mechanism).__name__)
        with contextlib.suppress(TypeError, ValueError):
            self.__signature__ = inspect.signature(mechanism)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """One call."""
        return self._run(partial(self._mechanism, *given, **named), 1)

    @property
    def given_up(self) -> bool:
        """Whether it is not called any more."""
        return self._late >= PATIENCE or pulse.given_up

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._mechanism, name)
        if name == "batch":
            return self._limited(found, lambda given, named: named.get("size", given[-1] if given else 1))
        if name == "many":
            return self._limited(found, lambda given, named: len(named.get("datasets", given[0] if given else ())))
        return found

    def _limited(self, function: Callable[..., Any], outputs: Callable[[Any, Any], int]) -> Callable[..., Any]:
        """With the same names; how many outputs are due is told by what it is given."""
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return lambda *given: self._run(partial(function, *given), outputs(given, {}))

        def limited(*given: Any, **named: Any) -> Any:
            try:
                known = signature.bind(*given, **named).arguments
            except TypeError:  # the call itself says so
                known = {}
            return self._run(partial(function, *given, **named), outputs(given, known))

        limited.__signature__ = signature  # type: ignore[attr-defined]
        return limited

    def _run(self, function: Callable[[], Any], outputs: int) -> Any:
        if pulse.given_up:
            raise CallDied(f"the process died {pulse.met} times, and the mechanism is not called any more")
        if self.given_up:
            raise CallTimeout(f"took longer than {self.limit:g} s {PATIENCE} times, and is not called any more")
        allowed, process, started = self._allowed(outputs), getpid(), monotonic()
        try:
            pulse.call(allowed)
            with at_most(allowed):
                found = function()
        except CallTimeout:
            self._late += 1
            raise
        finally:
            if getpid() != process:  # the mechanism has forked, and both of them came back
                _exit(0)
            pulse.rest()
        if outputs == 1:
            took = monotonic() - started
            self._pace = took if self._pace is None else min(self._pace, took)
        return found

    def _allowed(self, outputs: int) -> float:
        if outputs <= 1:
            return self.limit
        if self._pace is None:
            return self.limit * (1.0 + PER_CALL * (outputs - 1))
        return self.limit + SLOWER * self._pace * outputs
