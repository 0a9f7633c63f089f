"""Neighbouring datasets.

Two datasets that differ only in a set of users, and what these users' demands allow together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput

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
    before: str = "first"  # the users' data in either, in words
    after: str = "second"
    given: bool = False  # by the user
    private: bool = False  # made of the user's own data

    def claimed(self, epsilon: Floats) -> float:
        """Σε_i over the users: group privacy follows from each user's promise."""
        return float(epsilon[self.users].sum())


def given_pair(number: int, given: Any, epsilon: Floats) -> NeighbourPair:
    """(data0, data1, users) as a user gave it."""
    try:
        first, second, differing = given
        listed = np.unique(np.array(list(differing), dtype=np.int64))
    except (TypeError, ValueError):
        raise InvalidInput(f"pair {number}: {type(given).__name__}; yield (data0, data1, users)") from None
    if not listed.size or listed[0] < 0 or listed[-1] >= epsilon.size:
        raise InvalidInput(
            f"pair {number}: users {listed.tolist()[:5]}; give at least one of the users 0 to {epsilon.size - 1}"
        )
    if np.isinf(epsilon[listed]).any():
        raise InvalidInput(
            f"pair {number}: a user in whom it differs demands inf, so nothing was promised; leave it out"
        )
    return NeighbourPair(f"pair {number}", listed, first, second, "the first dataset", "the second dataset", given=True)


@dataclass(frozen=True)
class Base:
    """A dataset for everybody, and the two values between which chosen users are moved."""

    name: str
    data: Data
    first: Any
    second: Any
    spread: int = 0  # the users go to so many categories from `second` on, one after another
    private: bool = False  # the user's own data

    def pair(self, users: Users) -> NeighbourPair:
        """The base with the users at one value, and at the other."""
        before, after = self.data.copy(), self.data.copy()
        before[users], after[users] = self.first, self.second
        if not self.spread:
            words = f"{self.second:g}"
            return NeighbourPair(self.name, users, before, after, f"{self.first:g}", words, private=self.private)
        after[users] = self.second + (int(users[0]) + np.arange(users.size)) % self.spread
        words = f"categories {self.second} to {self.second + self.spread - 1} in turn"
        return NeighbourPair(self.name, users, before, after, f"{self.first:g}", words)


def bases(users: int, categories: int | None, own: Data | None = None) -> list[Base]:
    """Default base datasets of a black box, and the user's own data where given (never shown, only named)."""
    rng = np.random.default_rng(20250604)
    if categories is None:
        found = [
            Base("everybody at 0", np.zeros(users), 0.0, 1.0),
            Base("half at 0, half at 1", (rng.permutation(users) % 2).astype(np.float64), 0.0, 1.0),
            Base("everybody at 1", np.ones(users), 1.0, 0.0),
            Base("random numbers", rng.random(users), 0.0, 1.0),
        ]
        return (
            found if own is None else [*found, Base("the data given", own.astype(np.float64), 0.0, 1.0, private=True)]
        )
    last = categories - 1
    found = [
        Base("everybody in category 0", np.zeros(users, dtype=np.int64), 0, min(1, last)),
        Base("uniform over categories", rng.permutation(users) % categories, 0, last),
        Base("everybody in the last category", np.full(users, last, dtype=np.int64), last, 0),
        Base("uniform, but nobody in the last category", rng.permutation(users) % max(last, 1), 0, last),
    ]
    if last > 2:
        name = "everybody in category 0, some spread over the others"
        found.append(Base(name, np.zeros(users, dtype=np.int64), 0, 1, spread=last))
    return found if own is None else [*found, Base("the data given", own.astype(np.int64), 0, last, private=True)]
