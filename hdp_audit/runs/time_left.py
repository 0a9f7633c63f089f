"""How long a run still takes: as long as its calls so far took, for each that is still expected."""

from __future__ import annotations

import time
from collections.abc import Callable

from hdp_audit.targets.made import calls_made

TOLD_FROM = 0.03  # of the calls that are expected


class TimeLeft:
    """Counts calls as they are made, in this process and in its workers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, made: Callable[[], int] = calls_made) -> None:
        self._clock, self._made = clock, made
        self._started, self._before, self._expected = clock(), made(), 0

    def begin(self, expected: int) -> None:
        """From now on, with so many calls to come."""
        self._started, self._before, self._expected = self._clock(), self._made(), expected

    def correct(self, more: int) -> None:
        """A check took so many calls more (or fewer) than was expected."""
        self._expected += more

    def seconds(self) -> float | None:
        """None where too little was done to say it."""
        made, spent = self._made() - self._before, self._clock() - self._started
        if made <= 0 or made < TOLD_FROM * self._expected:
            return None
        return spent * max(self._expected - made, 0) / made

    def words(self) -> str:
        """`about 4 min left`."""
        left = self.seconds()
        return "" if left is None else f"about {in_words(left)} left"


def in_words(seconds: float) -> str:
    """`40 s`, `4 min`, `3 h`: one number and its unit."""
    if seconds < 99.5:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 99.5 * 60 else f"{round(seconds / 3600)} h"
