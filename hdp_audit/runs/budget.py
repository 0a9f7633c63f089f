"""A duration as a number of calls: small audits under a stopwatch first, and a fixed number from then on.

Calls that take long are not spent on an audit that would be thrown away: what one costs is foreseen from its plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import FEW
from hdp_audit.config.running import MOST_CALLS
from hdp_audit.engine import plan, run_checks
from hdp_audit.events import Began, Ended, Event, announced
from hdp_audit.targets.executors import Each
from hdp_audit.watching.time_left import stages

ENOUGH = 0.02  # of the time: a trial that takes longer shows the pace
ALL_BUT_ENOUGH = 0.2  # the same of few calls, which take little of the time themselves
FIRST = 64  # calls of the first trial
PART = 0.75  # of the time that is left is planned; the rest is for reports and for a machine with other things to do
FORESEEN = 1.05  # the same where a call takes so long that nothing else counts: a little more rather than less
LARGER = 768  # calls of a further trial, which tells the time of calls from that of beginning
QUICK = 0.1  # of the time: a trial that is over sooner can afford it
CALLS_TAKE = 0.1  # of the time of a trial, at least: the rest may be what it takes to begin


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
    cases: Sequence[Case], confidence: float, seconds: float, each: Each, watch: Stopwatch | None = None, jobs: int = 1
) -> int:
    """Calls whose audit by so many `jobs` fits into the time, by the pace of smaller ones; learning costs more."""
    watch, budget = watch or Stopwatch(), FIRST
    trial = _Trial(cases, confidence, each, watch, jobs)
    while True:
        trial.run(budget)
        if budget == FIRST and ENOUGH < watch.last / seconds < QUICK:
            trial.run(budget)  # again, as the first one had to start workers
        if watch.last > (ENOUGH if budget >= FEW else ALL_BUT_ENOUGH) * seconds or 4 * budget > MOST_CALLS:
            break
        about = watch.last / max(trial.turns(budget), 1.0)
        if budget < FEW <= 4 * budget and about * trial.turns(4 * budget) > ENOUGH * seconds:
            pace, beginning = trial.pace(further=watch.last < QUICK * seconds)
            return trial.fitting(pace, max(seconds - watch.whole - beginning, 0.0), budget)
        budget *= 4
    left = max(seconds - watch.whole, 0.0)
    return min(max(FIRST, int(PART * budget * left / watch.last)), MOST_CALLS)


@dataclass(frozen=True, eq=False)
class _Trial:
    """Audits of a few calls, and what is foreseen of one with more."""

    cases: Sequence[Case]
    confidence: float
    each: Each
    watch: Stopwatch
    jobs: int
    took: dict[int, float] = field(default_factory=dict)  # seconds, by how many calls were planned

    def checks(self, budget: int) -> list[Check]:
        return plan(self.cases, confidence=self.confidence, budget=budget, seed=0)

    def run(self, budget: int) -> None:
        """Such an audit, and the seconds that it takes."""
        checks = self.checks(budget)
        with announced([check.id for check in checks], self.watch):
            run_checks(checks, emit=self.watch, each=self.each)
        self.took[budget] = self.watch.last

    def turns(self, budget: int) -> float:
        return turns(self.checks(budget), self.jobs)

    def pace(self, *, further: bool) -> tuple[float, float]:
        """Seconds for a call, by how much longer the last trial took than the one before, and those to begin with."""
        if further:
            self.run(LARGER)
        few, many = list(self.took)[-2:]
        about = self.took[many] / self.turns(many)
        slope = (self.took[many] - self.took[few]) / (self.turns(many) - self.turns(few))
        found = float(np.clip(slope, CALLS_TAKE * about, about))
        return found, max(self.took[many] - found * self.turns(many), 0.0)

    def fitting(self, pace: float, left: float, tried: int) -> int:
        """The largest budget that fits into the time; one of few calls where no other does."""
        if pace * self.turns(FEW) > FORESEEN * left:
            return int(np.clip(PART * tried * left / self.took[tried], FIRST, FEW - 1))
        low, high = FEW, MOST_CALLS
        while high > 1.01 * low:
            middle = int((low * high) ** 0.5)
            low, high = (middle, high) if pace * self.turns(middle) <= FORESEEN * left else (low, middle)
        return low


def turns(checks: Sequence[Check], jobs: int) -> float:
    """Calls one after the other where so many are made side by side, as `stages` has it."""
    return sum(calls / most for calls, most in stages(checks, jobs))
