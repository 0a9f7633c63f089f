"""Which datasets differ in a user, and what that user may lose between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset, DatasetTable
from hdp_audit.model.domain import Base, Domain
from hdp_audit.model.promise import Limit, Promise

Users = NDArray[np.int64]

IN_CACHE = 1 << 16  # numbers that are made at once


@dataclass(frozen=True, eq=False)
class NeighbourPair:
    """`first` and `second` differ in `users` alone, who may lose `limit` together."""

    base: str  # which dataset everybody else has, in words
    users: Users
    first: Dataset
    second: Dataset
    limit: Limit
    before: str = "first"  # the users' data in either, in words
    after: str = "second"
    given: bool = False  # by the user
    private: bool = False  # made of the user's own data

    @property
    def claimed(self) -> float:
        """What the users may lose together, as a number."""
        return self.limit.strength


class Coins(ABC):
    """Everybody by a coin of their own: who is on the other side where a coin shows 1."""

    @abstractmethod
    def __len__(self) -> int:
        """How many users."""

    @abstractmethod
    def dataset(self, coins: NDArray[np.bool_]) -> Dataset:
        """One coin a user."""

    @abstractmethod
    def datasets(self, coins: NDArray[np.bool_]) -> Collection[Dataset]:
        """One dataset for each row of coins."""

    @abstractmethod
    def only(self, users: Users) -> Coins:
        """Coins for these users; the others stay where they are, half of them on either side."""


class Neighbours(ABC):
    """Which datasets differ in chosen users: how these are there, and how they are there otherwise or no more.

    `Replace`, `Remove` and `ZeroOut` are such relations; a new one is a subclass.

    Example:
        >>> from hdp_audit import Neighbours, Replace
        >>> isinstance(Replace(), Neighbours), Replace().name
        (True, 'replace')
    """

    name: str

    @abstractmethod
    def pair(self, domain: Domain, base: Base, users: Users, promise: Promise) -> NeighbourPair:
        """Two datasets that differ in these users alone."""

    @abstractmethod
    def coins(self, domain: Domain, base: Base, promise: Promise) -> Coins:
        """What a coin of a user means, for everybody at once."""


class Replace(Neighbours):
    """A user's datum is another one; everybody stays.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import PureDP, Replace, Unit
        >>> domain = Unit()
        >>> pair = Replace().pair(domain, domain.bases(3)[0], np.array([1]), PureDP([0.5, 0.5, 0.5]))
        >>> np.flatnonzero(pair.first.data != pair.second.data).tolist()  # they differ in user 1 alone
        [1]
    """

    name = "replace"

    def pair(self, domain: Domain, base: Base, users: Users, promise: Promise) -> NeighbourPair:
        """The base with the users at one value, and at the other."""
        before, after = base.data.copy(), base.data.copy()
        before[users], after[users] = base.first, base.second
        words = domain.shown(base.second)
        if base.spread:
            places = int(users[0]) + np.arange(users.size)
            after[users], words = domain.spread(base.second, base.spread, places)
        return moved(base, users, promise, (before, after), (f"at {domain.shown(base.first)}", f"at {words}"))

    def coins(self, _domain: Domain, base: Base, promise: Promise) -> Values:
        """A coin chooses between the base's two values."""
        return Values(np.full_like(base.data, base.first), np.full_like(base.data, base.second), promise)


def moved(base: Base, users: Users, promise: Promise, data: tuple[Any, Any], words: tuple[str, str]) -> NeighbourPair:
    """Two datasets of everybody, and in words where the users are in either."""
    first, second = (Dataset(each, promise) for each in data)
    return NeighbourPair(base.name, users, first, second, promise.group(users), *words, private=base.private)


@dataclass(frozen=True, eq=False)
class Values(Coins):
    """Everybody's two values; the two of a user without a coin are equal."""

    first: NDArray[Any]
    second: NDArray[Any]
    promise: Promise

    def __len__(self) -> int:
        return int(self.first.shape[0])

    def dataset(self, coins: NDArray[np.bool_]) -> Dataset:
        """One coin a user."""
        return Dataset(self._chosen(coins), self.promise)

    def datasets(self, coins: NDArray[np.bool_]) -> DatasetTable:
        """One dataset for each row of coins."""
        return DatasetTable(coins, self._chosen, self.promise)

    def only(self, users: Users) -> Values:
        """The others rest on either side in turn."""
        resting = self.second.copy()
        resting[1::2] = self.first[1::2]
        first, second = resting.copy(), resting.copy()
        first[users], second[users] = self.first[users], self.second[users]
        return Values(first, second, self.promise)

    @cached_property
    def _exact(self) -> bool:
        """Whether a difference and a sum lead from one value to the other, as between 0 and 1."""
        return bool((self.first + (self.second - self.first) == self.second).all())

    @cached_property
    def _zero_or_one(self) -> bool:
        """Whether coins are the data."""
        return not self.first.any() and bool((self.second == 1).all())

    def _chosen(self, odd: NDArray[np.bool_]) -> NDArray[Any]:
        odd = odd.reshape(*odd.shape, *[1] * (self.first.ndim - 1))  # a user's coin is that of all their numbers
        if self.first.dtype.kind not in "fiu" or not self._exact:
            return np.where(odd, self.second, self.first)
        shape, step = self.first.shape, self.second - self.first
        data = np.empty((*odd.shape[: odd.ndim - len(shape)], *shape), dtype=self.first.dtype)
        each, coins = data.reshape(-1, *shape), odd.reshape(-1, *odd.shape[odd.ndim - len(shape) :])
        rows = max(IN_CACHE // max(self.first.size, 1), 1)  # several passes over a whole table would take longer
        for start in range(0, len(each), rows):
            some = each[start : start + rows]
            some[...] = coins[start : start + rows]
            if not self._zero_or_one:
                some *= step
                some += self.first
        return data
