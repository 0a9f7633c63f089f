"""Users by demand, and which of them are moved together."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.promise import Promise
from hdp_audit.targets.streams import stream

Floats = NDArray[np.float64]
Users = NDArray[np.int64]

SOME = 10_000  # users
MOST_TELLING = 2.0  # Σε at which a wrong noise scale shows in the fewest calls


def tiers(epsilon: Floats, most: int = 32) -> list[Users]:
    """Users by demand: one tier for each distinct value, or quantile bins where there are more than `most`."""
    finite = np.flatnonzero(np.isfinite(epsilon))
    values = epsilon if finite.size == epsilon.size else epsilon[finite]
    distinct = _few_distinct(values, most)
    if distinct is not None:
        return _groups(finite, np.searchsorted(distinct, values))
    edges = np.quantile(values[values > 0], np.linspace(0, 1, most)[1:-1])
    return _groups(finite, np.where(values > 0, 1 + np.searchsorted(edges, values, side="right"), 0))


def _few_distinct(values: Floats, most: int) -> Floats | None:
    """All distinct values, or None where there are more; the first users tell that as a rule, without a sort of all."""
    some = np.unique(values[:SOME])
    found = some if some.size > most or values.size <= SOME else np.unique(values)
    return found if found.size <= most else None


def _groups(users: Users, numbers: Users) -> list[Users]:
    """Users of each number, in order; small numbers are sorted by their digits."""
    small = numbers.astype(np.uint8)
    order = np.argsort(small, kind="stable")
    ends = np.cumsum(np.bincount(small))
    return [group for group in np.split(users[order], ends[:-1]) if group.size]


@dataclass(frozen=True, eq=False)
class Tier:
    """Users of one demand, or of demands from `low` to `high`, under a name that no other tier of the subject has."""

    number: int
    users: Users
    low: str  # with as many digits as tell the tiers apart
    high: str
    symbol: str = "ε"
    beside: str = ""  # what else they were promised

    @property
    def name(self) -> str:
        """`0.5`, or `0.5..0.6`."""
        return self.low if self.low == self.high else f"{self.low}..{self.high}"

    @property
    def words(self) -> str:
        """`ε = 0.5`, or `ε from 0.5 to 0.6`."""
        one = f"{self.symbol} = {self.low}"
        return (one if self.low == self.high else f"{self.symbol} from {self.low} to {self.high}") + self.beside


_KNOWN: dict[int, list[Tier]] = {}  # by the identity of a promise, while it lives


def named_tiers(promise: Promise) -> list[Tier]:
    """The tiers, each named by its demands; found once for each promise, as nobody can write into it."""
    key = id(promise)
    if key not in _KNOWN:
        _KNOWN[key] = _named_tiers(promise)
        finalize(promise, _KNOWN.pop, key)
    return list(_KNOWN[key])


def _named_tiers(promise: Promise) -> list[Tier]:
    """The same.

    No two tiers share a demand, and 17 digits tell any two doubles apart: so some number of digits gives names that
    are all different. The fewest from six on are taken.
    """
    strengths, told = promise.strengths, promise.parameter
    groups = tiers(strengths)
    ends = [(told(float(strengths[users].min())), told(float(strengths[users].max()))) for users in groups]
    for digits in range(6, 18):
        named = ([f"{end:.{digits}g}" for end in each] for each in ends)
        found = [
            Tier(i, users, low, high, promise.symbol, promise.beside(users))
            for i, (users, (low, high)) in enumerate(zip(groups, named, strict=True))
        ]
        if len({tier.name for tier in found}) == len(found):
            return found
    raise AssertionError("two tiers share a demand")


def group_of(epsilon: Floats, members: Users, telling: float, seed: int, name: str) -> Users:
    """Members in random order until their demands sum to where a wrong noise scale shows best; all who demand 0."""
    order = stream(seed, "group", name).permutation(members)
    enough = int(np.searchsorted(np.cumsum(epsilon[order]), telling)) + 1
    return np.sort(order[:enough])


def tier_group(epsilon: Floats, tier: Tier, seed: int) -> Users:
    """Who of a tier is moved."""
    return group_of(epsilon, tier.users, MOST_TELLING, seed, f"tier/{tier.number}")
