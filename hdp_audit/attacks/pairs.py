"""Neighbouring datasets.

Two datasets that differ only in a set of users, and what these users' demands allow together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Users = NDArray[np.int64]
Data = NDArray[Any]


@dataclass(frozen=True)
class NeighbourPair:
    """`first` and `second` differ in `users` alone.

    Replacing them one by one costs at most the sum of their demands.
    """

    base: str  # which dataset everybody else has, in words
    users: Users
    first: Data
    second: Data

    def claimed(self, epsilon: Floats) -> float:
        """Σε_i over the users: group privacy follows from each user's promise."""
        return float(epsilon[self.users].sum())


@dataclass(frozen=True)
class Bases:
    """Default base datasets of a black box, and the two values between which chosen users are moved."""

    users: int
    categories: int | None

    def __iter__(self) -> Iterator[tuple[str, Data, Any, Any]]:
        """(name, everybody's data, value in the first dataset, value in the second)."""
        n, k = self.users, self.categories
        rng = np.random.default_rng(20250604)
        if k is None:
            yield "everybody at 0", np.zeros(n), 0.0, 1.0
            yield "half at 0, half at 1", (rng.permutation(n) % 2).astype(np.float64), 0.0, 1.0
            yield "everybody at 1", np.ones(n), 1.0, 0.0
            yield "random numbers", rng.random(n), 0.0, 1.0
            return
        yield "everybody in category 0", np.zeros(n, dtype=np.int64), 0, 1
        yield "uniform over categories", rng.permutation(n) % k, 0, k - 1
        yield "everybody in the last category", np.full(n, k - 1, dtype=np.int64), k - 1, 0
        yield "uniform, but nobody in the last category", rng.permutation(n) % max(k - 1, 1), 0, k - 1


def pair_on(base: str, data: Data, users: Users, first: Any, second: Any) -> NeighbourPair:
    """The base with the users at one value, and at the other."""
    before, after = data.copy(), data.copy()
    before[users], after[users] = first, second
    return NeighbourPair(base, users, before, after)


MOST_TELLING = 2.0  # Σε at which a wrong noise scale shows in the fewest calls


def group_size(demand: float, members: int) -> int:
    """How many users of one demand to move together: single users are invisible for small demands."""
    if demand == 0:
        return members
    return int(np.clip(round(MOST_TELLING / demand), 1, members))


def tiers(epsilon: Floats, most: int = 32) -> list[Users]:
    """Users by demand: one tier for each distinct value, or quantile bins where there are more than `most`."""
    finite = np.flatnonzero(np.isfinite(epsilon))
    values, inverse = np.unique(epsilon[finite], return_inverse=True)
    if values.size > most:
        positive = finite[epsilon[finite] > 0]
        edges = np.quantile(epsilon[positive], np.linspace(0, 1, most)[1:-1])
        inverse = np.where(epsilon[finite] > 0, 1 + np.searchsorted(edges, epsilon[finite], side="right"), 0)
    return [finite[inverse == tier] for tier in np.unique(inverse)]
