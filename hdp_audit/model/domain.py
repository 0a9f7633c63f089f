"""What one user's datum may be, and the datasets that every black box over such data is tried on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput

Data = NDArray[Any]
Generator = np.random.Generator

BASES = 20250604  # seed of the base datasets: they are the same for everybody
NEARBY = 12
# Numbers that rules and codes often have; two that differ by little stand for all such pairs.
USUAL: tuple[float, ...] = (0.5, 0.1, 0.9, 0.25, 0.99, 0.500001, 0.75, 0.01, 0.999, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6)
USUAL += (0.05, 0.95, 0.001, 1.0 / 3.0, 2.0 / 3.0, 0.125, 0.875, 1e-6, 1.0 - 1e-6, 0.15, 0.85)


@dataclass(frozen=True)
class Base:
    """A dataset for everybody, and the two values between which chosen users are moved."""

    name: str
    data: Data
    first: Any
    second: Any
    spread: int = 0  # the users go to so many categories from `second` on, one after another
    private: bool = False  # the user's own data


class Domain(ABC):
    """What a datum may be. `Unit` and `Categories` are domains.

    A new one says which data it has, its two ends, and how to draw and to show one; the rest follows.

    Example:
        >>> from hdp_audit import Domain, Unit
        >>> isinstance(Unit(), Domain), [base.name for base in Unit().bases(2)][0]
        (True, 'everybody at 0')
    """

    @abstractmethod
    def ends(self) -> tuple[Any, Any]:
        """Two values as far from each other as can be."""

    @abstractmethod
    def random(self, users: int, rng: Generator) -> Data:
        """Any data, by lot."""

    @abstractmethod
    def allows(self, data: Data) -> bool:
        """Whether every one of these is in the domain."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What is allowed, after "give"."""

    @property
    def null(self) -> Any:
        """The datum that stands for none."""
        raise InvalidInput(
            f'no datum of this kind ({self.words}) stands for none, so neighbours = "zero-out" has no meaning; use '
            '"replace" or "remove"'
        )

    def typed(self, data: Data) -> Data:
        """As a mechanism gets them."""
        return data

    def shown(self, value: Any) -> str:
        """A datum in words."""
        return f"{value}"

    def everybody(self, users: int, value: Any) -> Data:
        """All with one datum."""
        return self.typed(np.full(users, value))

    def nearby(self, _users: int) -> list[Data]:
        """Datasets that no check uses, each a little above the one before; none where data have no order."""
        return []

    def values(self, most: int, rng: Generator) -> list[Any]:
        """Data between which a user is worth moving, at least two: both ends, and others by lot."""
        return [*self.ends(), *self.random(max(most - 2, 0), rng)]

    def arrangements(self, _users: int, _rng: Generator) -> Iterator[tuple[str, Data]]:
        """Further datasets that others may have, in words, on which a rule about them may show."""
        return iter(())

    def unseen(self, users: int, rng: Generator) -> Data:
        """A dataset that no check uses."""
        return self.random(users, rng)

    def bases(self, users: int, own: Data | None = None) -> list[Base]:
        """Base datasets of a black box, and the user's own data where given (never shown, only named)."""
        listed = list(self._bases(users, np.random.default_rng(BASES)))
        low, high = self.ends()
        given = [] if own is None else [Base("the data given", self.typed(own), low, high, private=True)]
        return [*listed, *given]

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        low, high = self.ends()
        first, second = self.shown(low), self.shown(high)
        upper = rng.permutation(users) % 2 == 1
        halves = self.everybody(users, low)
        halves[upper] = high
        yield Base(f"everybody at {first}", self.everybody(users, low), low, high)
        yield Base(f"half at {first}, half at {second}", self.typed(halves), low, high)
        yield Base(f"everybody at {second}", self.everybody(users, high), high, low)
        yield Base("random data", self.random(users, rng), low, high)


class Unit(Domain):
    """Numbers from 0 to 1.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Unit
        >>> Unit().ends(), Unit().allows(np.array([0.2, 1.5]))
        ((0.0, 1.0), False)
    """

    def ends(self) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0

    @property
    def null(self) -> float:
        """0: adds nothing to a sum."""
        return 0.0

    def random(self, users: int, rng: Generator) -> Data:
        """Uniform."""
        return rng.random(users)

    def allows(self, data: Data) -> bool:
        """Numbers, and no NaN among them."""
        return data.dtype.kind in "fiub" and bool(((data >= 0) & (data <= 1)).all())

    @property
    def words(self) -> str:
        """The range."""
        return "numbers from 0 to 1"

    def typed(self, data: Data) -> Data:
        """Doubles."""
        return data.astype(np.float64)

    def shown(self, value: Any) -> str:
        """As short as can be."""
        return f"{value:g}"

    def values(self, most: int, rng: Generator) -> list[Any]:
        """The ends, usual numbers, one next to another, and one by lot of each of as many parts of the range."""
        parts = max(most // 2, 1)
        lot = (rng.permutation(parts) + rng.random(parts)) / parts
        mixed = [number for pair in zip(USUAL, lot.tolist(), strict=False) for number in pair]
        return list(dict.fromkeys([0.0, 1.0, *mixed, *lot.tolist()]))[: max(most, 2)]

    def arrangements(self, users: int, rng: Generator) -> Iterator[tuple[str, Data]]:
        """Numbers that lie together, that are all different, or that are ones in a half."""
        middle = 0.5 + 0.02 * (rng.random(users) - 0.5)
        yield "numbers close to 0.5", middle
        yield "numbers evenly from 0 to 1", rng.permutation(users) / max(users - 1, 1)
        yield "half at 0, half at 1", (rng.permutation(users) % 2).astype(np.float64)

    def nearby(self, users: int) -> list[Data]:
        """Around the middle."""
        return [np.full(users, 0.5 + 1e-6 * step) for step in range(1, NEARBY)]

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        yield Base("everybody at 0", np.zeros(users), 0.0, 1.0)
        yield Base("half at 0, half at 1", (rng.permutation(users) % 2).astype(np.float64), 0.0, 1.0)
        yield Base("everybody at 1", np.ones(users), 1.0, 0.0)
        yield Base("random numbers", rng.random(users), 0.0, 1.0)


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

    def arrangements(self, users: int, rng: Generator) -> Iterator[tuple[str, Data]]:
        """Categories that few are in, or just one."""
        shares = 1.0 / np.arange(1, self.count + 1)
        yield "many in the first categories, few in the last", rng.choice(self.count, users, p=shares / shares.sum())
        yield "uniform, but nobody in the last category", rng.permutation(users) % max(self.count - 1, 1)
        sparse = np.zeros(users, dtype=np.int64)
        sparse[rng.permutation(users)[: self.count - 1]] = np.arange(1, self.count)[:users]
        yield "everybody in category 0, but one in each other", sparse

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        last = self.count - 1
        nobody = np.zeros(users, dtype=np.int64)
        yield Base("everybody in category 0", nobody, 0, min(1, last))
        yield Base("uniform over categories", rng.permutation(users) % self.count, 0, last)
        yield Base("everybody in the last category", np.full(users, last, dtype=np.int64), last, 0)
        yield Base("uniform, but nobody in the last category", rng.permutation(users) % max(last, 1), 0, last)
        if last > 2:
            yield Base("everybody in category 0, some spread over the others", nobody.copy(), 0, 1, spread=last)
