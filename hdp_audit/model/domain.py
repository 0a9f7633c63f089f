"""Domains of numbers and of numbered categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.datum import BASES, NEARBY, Base, Data, Domain, Generator
from hdp_audit.model.made import Made

__all__ = [
    "BASES",
    "NEARBY",
    "Base",
    "Categories",
    "Data",
    "Domain",
    "Generator",
    "Given",
    "Range",
    "Unit",
    "category_bases",
]

FARTHEST = 1e150  # an end of a range: squares of errors are doubles, too
# Numbers that rules and codes often have; two that differ by little stand for all such pairs.
USUAL: tuple[float, ...] = (0.5, 0.1, 0.9, 0.25, 0.99, 0.500001, 0.75, 0.01, 0.999, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6)
USUAL += (0.05, 0.95, 0.001, 1.0 / 3.0, 2.0 / 3.0, 0.125, 0.875, 1e-6, 1.0 - 1e-6, 0.15, 0.85)


@dataclass(frozen=True)
class Range(Domain):
    """Numbers from `low` to `high`, in units of their own.

    Args:
        low: The smallest number.
        high: The largest one.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Range
        >>> Range(0, 200_000).ends(), Range(-5, 5).allows(np.array([4.0, 6.0]))
        ((0.0, 200000.0), False)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if isinstance(end, (bool, np.bool_)) or not isinstance(end, (int, float, np.integer, np.floating)):
                raise InvalidInput(f"range = {self._told}; give two numbers, such as [0, 200_000]")
        if not all(abs(end) <= FARTHEST for end in (self.low, self.high)):
            raise InvalidInput(f"range = {self._told}; give ends from -{FARTHEST:g} to {FARTHEST:g}")
        if not float(self.low) < float(self.high):
            raise InvalidInput(f"range = {self._told}; give the smaller end first, and a larger one")
        object.__setattr__(self, "low", float(self.low) + 0.0)
        object.__setattr__(self, "high", float(self.high) + 0.0)

    @property
    def _told(self) -> str:
        return f"[{self.low!r:.40}, {self.high!r:.40}]"

    @property
    def width(self) -> float:
        """From one end to the other."""
        return self.high - self.low

    def ends(self) -> tuple[float, float]:
        """Low and high."""
        return self.low, self.high

    @property
    def null(self) -> float:
        """0: adds nothing to a sum."""
        if not self.low <= 0.0 <= self.high:
            raise InvalidInput(f'0 is not among {self.words}, so neighbours = "zero-out" has no meaning; use "replace"')
        return 0.0

    def at(self, shares: Data) -> Data:
        """Numbers so far along the range, from 0 to 1; the ends are exact."""
        inside = np.clip(self.low + self.width * np.asarray(shares, dtype=np.float64), self.low, self.high)
        return np.asarray(np.where(shares == 1.0, self.high, inside))

    def shares(self, data: Data) -> Data:
        """How far along the range, from 0 to 1."""
        return np.asarray(np.clip((data - self.low) / self.width, 0.0, 1.0))

    def random(self, users: int, rng: Generator) -> Data:
        """Uniform."""
        return self.at(rng.random(users))

    def allows(self, data: Data) -> bool:
        """Numbers, and no NaN among them."""
        return data.dtype.kind in "fiub" and bool(((data >= self.low) & (data <= self.high)).all())

    @property
    def words(self) -> str:
        """The range."""
        return f"numbers from {self.shown(self.low)} to {self.shown(self.high)}"

    def typed(self, data: Data) -> Data:
        """Doubles."""
        return data.astype(np.float64)

    def shown(self, value: Any) -> str:
        """As short as can be, if the ends do not look alike then."""
        number, alike = float(value), f"{self.low:g}" == f"{self.high:g}"
        if number.is_integer() and abs(number) < 1e15:
            return f"{number:.0f}"
        return repr(number) if alike else f"{number:g}"

    def values(self, most: int, rng: Generator) -> list[Any]:
        """The ends, usual shares, one next to another, and one by lot of each of as many parts of the range."""
        parts = max(most // 2, 1)
        lot = (rng.permutation(parts) + rng.random(parts)) / parts
        mixed = [number for pair in zip(USUAL, lot.tolist(), strict=False) for number in pair]
        return list(dict.fromkeys(self.at(np.array([0.0, 1.0, *mixed, *lot.tolist()])).tolist()))[: max(most, 2)]

    @property
    def variety(self) -> int:
        """Usual numbers, and enough by lot that a part of the range in thirty has one of them."""
        return 2 * len(USUAL) + 12

    def arrangements(self, users: int, rng: Generator) -> Iterator[tuple[str, Data]]:
        """Numbers that lie together, that are all different, or that are at one end in a half."""
        middle, (low, high) = 0.5 + 0.02 * (rng.random(users) - 0.5), (self.shown(end) for end in self.ends())
        yield f"numbers close to {self.shown(self.at(np.array([0.5]))[0])}", self.at(middle)
        yield f"numbers evenly from {low} to {high}", self.at(rng.permutation(users) / max(users - 1, 1))
        halves = (rng.permutation(users) % 2).astype(np.float64)
        yield f"half at {low}, half at {high}", self.at(halves)

    def nearby(self, users: int) -> Sequence[Data]:
        """Around the middle."""
        return Made(lambda step: self.at(np.full(users, 0.5 + 1e-6 * step)), range(1, NEARBY))

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        low, high = self.ends()
        first, second = self.shown(low), self.shown(high)
        yield Base(f"everybody at {first}", np.full(users, low), low, high)
        yield Base(f"half at {first}, half at {second}", np.where(rng.permutation(users) % 2, high, low), low, high)
        yield Base(f"everybody at {second}", np.full(users, high), high, low)
        yield Base("random numbers", self.random(users, rng), low, high)


class Unit(Range):
    """Numbers from 0 to 1.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Unit
        >>> Unit().ends(), Unit().allows(np.array([0.2, 1.5]))
        ((0.0, 1.0), False)
    """

    def __init__(self) -> None:
        super().__init__(0.0, 1.0)


class Given(Domain):
    """Whatever the user gives, in pairs of datasets; nobody else can make such data."""

    def ends(self) -> tuple[Any, Any]:
        """There are none."""
        raise InvalidInput("data that only come in given pairs have no ends; give a domain")

    def random(self, _users: int, _rng: Generator) -> Data:
        """Cannot be."""
        raise InvalidInput("data that only come in given pairs cannot be drawn; give a domain")

    def allows(self, _data: Data) -> bool:
        """Anything."""
        return True

    @property
    def words(self) -> str:
        """Anything."""
        return "any data"


@dataclass(frozen=True)
class Categories(Domain):
    """Whole numbers from 0 to `count` − 1, without an order.

    Args:
        count: How many categories there are.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Categories
        >>> Categories(12).ends(), Categories(12).allows(np.array([0, 11]))
        ((0, 11), True)
    """

    count: int

    def ends(self) -> tuple[int, int]:
        """The first category and the last."""
        return 0, self.count - 1

    def random(self, users: int, rng: Generator) -> Data:
        """Uniform."""
        return rng.integers(self.count, size=users)

    def allows(self, data: Data) -> bool:
        """Whole numbers, whatever their type."""
        if data.dtype.kind not in "fiub":
            return False
        numbers = data.astype(np.float64)
        return bool(((numbers >= 0) & (numbers < self.count) & (numbers == np.floor(numbers))).all())

    @property
    def words(self) -> str:
        """The range."""
        return f"whole numbers from 0 to {self.count - 1}"

    def typed(self, data: Data) -> Data:
        """Integers."""
        return data.astype(np.int64)

    def shown(self, value: Any) -> str:
        """Its number."""
        return f"{value:g}"

    def values(self, most: int, rng: Generator) -> list[Any]:
        """The first, the last, and others by lot: every category where there are no more."""
        first, last = self.ends()
        inner = rng.permutation(np.arange(1, max(last, 1))).tolist()
        return [first, *([last] if last else [first]), *inner][: max(most, 2)]

    @property
    def variety(self) -> int:
        """Every category is one of its own."""
        return self.count

    def arrangements(self, users: int, rng: Generator) -> Iterator[tuple[str, Data]]:
        """Categories that few are in, or just one."""
        shares = 1.0 / np.arange(1, self.count + 1)
        yield "many in the first categories, few in the last", rng.choice(self.count, users, p=shares / shares.sum())
        yield "uniform, but nobody in the last category", rng.permutation(users) % max(self.count - 1, 1)
        sparse = np.zeros(users, dtype=np.int64)
        sparse[rng.permutation(users)[: self.count - 1]] = np.arange(1, self.count)[:users]
        yield "everybody in category 0, but one in each other", sparse

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        yield from category_bases(self.count, CATEGORIES, users, rng)


CATEGORIES = "in category 0", "in the last category", "categories"


def category_bases(count: int, words: tuple[str, str, str], users: int, rng: Generator) -> Iterator[Base]:
    """Datasets of categories, numbered from 0; in words: to be in the first, to be in the last, and what all are."""
    last, (at_first, at_last, each) = count - 1, words
    nobody = np.zeros(users, dtype=np.int64)
    yield Base(f"everybody {at_first}", nobody, 0, min(1, last))
    yield Base(f"uniform over {each}", rng.permutation(users) % count, 0, last)
    yield Base(f"everybody {at_last}", np.full(users, last, dtype=np.int64), last, 0)
    yield Base(f"uniform, but nobody {at_last}", rng.permutation(users) % max(last, 1), 0, last)
    if last > 2:
        yield Base(f"everybody {at_first}, some spread over the others", nobody.copy(), 0, 1, spread=last)
