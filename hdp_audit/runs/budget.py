"""A duration as a number of calls: small audits under a stopwatch first, and a fixed number from then on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hdp_audit.audits.case import Case
from hdp_audit.audits.share import FEW
from hdp_audit.config.running import MOST_CALLS
from hdp_audit.engine import plan, run_checks
from hdp_audit.events import Began, Ended, Event, announced
from hdp_audit.targets.executors import Each

ENOUGH = 0.02  # of the time: a trial that takes longer shows the pace
ALL_BUT_ENOUGH = 0.2  # the same of few calls, which take little of the time themselves
FIRST = 64  # calls of the first trial
PART = 0.75  # of the time that is left is planned; the rest is for reports and for a machine with other things to do


class Stopwatch:
    """Listens to runs: the seconds of the last one, and of all from the beginning of the first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: float | None = None
        self._began = 0.0
        self.last = self.whole = 0.0

    def __call__(self, event: Event) -> None:
        """Hear what happens."""
        match event:
            case Began():
                self._began = self._clock()
                self._first = self._began if self._first is None else self._first
            case Ended():
                now = self._clock()
                self.last, self.whole = now - self._began, now - (self._first or 0.0)


def fixed_budget(
    cases: Sequence[Case], confidence: float, seconds: float, each: Each, watch: Stopwatch | None = None
) -> int:
    """Calls whose audit fits into the time, by the pace of smaller ones; learning costs more than calling."""
    watch = watch or Stopwatch()
    budget = FIRST
    while True:
        checks = plan(cases, confidence=confidence, budget=budget, seed=0)
        with announced([check.id for check in checks], watch):
            run_checks(checks, emit=watch, each=each)
        if watch.last > (ENOUGH if budget >= FEW else ALL_BUT_ENOUGH) * seconds or 4 * budget > MOST_CALLS:
            break
        budget *= 4
    left = max(seconds - watch.whole, 0.0)
    return min(max(FIRST, int(PART * budget * left / watch.last)), MOST_CALLS)
