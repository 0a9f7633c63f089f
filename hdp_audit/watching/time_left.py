"""How long a run still takes: as long as its calls so far took, for each that is still expected."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hdp_audit.audits.check import Check
from hdp_audit.events import Stages
from hdp_audit.targets.made import calls_made

FIRST, LATER = 1, 2  # stages: of behaviour what is shared, and all other checks
TOLD_FROM = 0.03  # of the calls that are expected


def stages(checks: Sequence[Check], jobs: int) -> Stages:
    """Checks of behaviour come first, with calls that one process makes for each mechanism; of all others many help."""
    first = [check for check in checks if check.comes_first]
    alone = sum(check.calls_in_order for check in first)
    rest = sum(check.expected_calls for check in first) - alone
    later = sum(check.expected_calls for check in checks if not check.comes_first)
    return (alone, max(min(jobs, len(first)), 1)), (rest, jobs), (later, jobs)


class TimeLeft:
    """Counts calls as they are made, in this process and in its workers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, made: Callable[[], int] = calls_made) -> None:
        self._clock, self._made = clock, made
        self._started, self._before = clock(), made()
        self._stages: list[tuple[int, int]] = []

    def begin(self, stages: Stages) -> None:
        """From now on, with these calls to come."""
        self._started, self._before, self._stages = self._clock(), self._made(), list(stages)

    def correct(self, stage: int, more: int) -> None:
        """A check of this stage took so many calls more (or fewer) than was expected."""
        if stage < len(self._stages):
            calls, jobs = self._stages[stage]
            self._stages[stage] = (max(calls + more, 0), jobs)

    def seconds(self) -> float | None:
        """None where too little was done to say it; until the first call workers start, which tells no pace."""
        now, made = self._clock(), self._made() - self._before
        if made <= 0:
            self._started = now
        done, spent = self._turns(made), now - self._started
        whole = sum(calls / jobs for calls, jobs in self._stages)
        if done <= 0 or done < TOLD_FROM * whole:
            return None
        return spent * max(whole - done, 0.0) / done

    def _turns(self, made: int) -> float:
        """Calls one after the other: of those that are made side by side a part."""
        found = 0.0
        for calls, jobs in self._stages:
            part = min(made, calls)
            found, made = found + part / jobs, made - part
        return found

    def words(self) -> str:
        """`about 4 min left`."""
        left = self.seconds()
        return "" if left is None else f"about {in_words(left)} left"


def in_words(seconds: float) -> str:
    """`40 s`, `4 min`, `3 h`: one number and its unit."""
    if seconds < 99.5:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 99.5 * 60 else f"{round(seconds / 3600)} h"
