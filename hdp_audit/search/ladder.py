"""Datasets in which more and more users have one value: a rule about counts shows between two rungs.

Where there are few users every rung is tried. Of many the rungs near usual thresholds are, and the others are narrowed
down: where outputs change most between two rungs far apart, one half-way is tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.domain import Base, Data, Domain

Users = NDArray[np.int64]

ALL_COUNTS = 40  # users up to whom every count is tried
BOUNDARIES = (1, 2, 3, 5, 10, 11, 20, 25, 30, 50, 100)  # where rules about counts often have their threshold
RUNGS = 17  # from which narrowing down begins
PREFIX = "searched: "  # before the name of a base: it is not one of the datasets that every audit tries


@dataclass(frozen=True, eq=False)
class Ladder:
    """So many of the others, in this order, at `value`, the rest and the user at `rest`."""

    domain: Domain
    user: Users
    others: Users
    rest: Any
    value: Any

    @property
    def top(self) -> int:
        """The most that can be at the value."""
        return int(self.others.size)

    @cached_property
    def _bottom(self) -> Data:
        return self.domain.everybody(self.others.size + self.user.size, self.rest)

    def base(self, count: int) -> Base:
        """From here the user goes one rung up."""
        data = self._bottom.copy()
        data[self.others[:count]] = self.value
        words = f"{count} others at {self.domain.shown(self.value)}, the rest at {self.domain.shown(self.rest)}"
        return Base(f"{PREFIX}{words}", self.domain.typed(data), self.rest, self.value)

    def usual(self) -> list[int]:
        """Every count of few others; of many those beside a usual threshold, from either end, and the half."""
        most = self.top
        if most <= ALL_COUNTS:
            from_both = [count // 2 if count % 2 == 0 else most - count // 2 for count in range(most + 1)]
            return list(dict.fromkeys(from_both))
        near = [0, *(count + off for count in BOUNDARIES for off in (-1, 0)), most // 2 - 1, most // 2, most // 2 + 1]
        both = [count for pair in zip(near, (most - count for count in near), strict=True) for count in pair]
        return [count for count in dict.fromkeys(both) if 0 <= count <= most]

    def rungs(self) -> list[int]:
        """Where narrowing down begins; none where every count is tried anyway."""
        if self.top <= ALL_COUNTS:
            return []
        return np.unique(np.linspace(0, self.top, RUNGS).astype(np.int64)).tolist()
