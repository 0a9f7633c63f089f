"""What a domain is: what one user's datum may be, and the datasets that every black box over such data is tried on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput

Data = NDArray[Any]
Generator = np.random.Generator

BASES = 20250604  # seed of the base datasets: they are the same for everybody
NEARBY = 12
VARIETY = 12


@dataclass(frozen=True)
class Base:
    """A dataset for everybody, and the two values between which chosen users are moved."""

    name: str
    data: Data
    first: Any
    second: Any
    spread: int = 0  # the users go to so many categories from `second` on, one after another
    private: bool = False  # the user's own data


_LAST: dict[int, tuple[ref[Domain], list[Base]]] = {}  # base datasets of one domain, by the number of users


class Domain(ABC):
    """What a datum may be. `Range`, `Labels`, `Vector` and `Table` are domains.

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

    def taken(self, data: Any) -> Data:
        """Data of the user's own, in whatever form they came."""
        return np.asarray(data)

    def given(self, data: Data) -> Any:
        """What a mechanism gets for them: values of their own, which it may change."""
        return data

    def shown(self, value: Any) -> str:
        """A datum in words."""
        return f"{value}"

    def spread(self, second: Any, count: int, places: NDArray[np.int64]) -> tuple[Data, str]:
        """Values from `second` on in turn, for users who go to so many categories, and where these are in words."""
        return second + places % count, f"categories {second} to {second + count - 1} in turn"

    def everybody(self, users: int, value: Any) -> Data:
        """All with one datum."""
        return self.typed(np.full(users, value))

    def nearby(self, _users: int) -> Sequence[Data]:
        """Datasets that no check uses, each a little above the one before; none where data have no order."""
        return []

    def values(self, most: int, rng: Generator) -> list[Any]:
        """Data between which a user is worth moving, at least two: both ends, and others by lot."""
        return [*self.ends(), *self.random(max(most - 2, 0), rng)]

    @property
    def variety(self) -> int:
        """How many of `values` are needed so that every kind of datum is among them."""
        return VARIETY

    def arrangements(self, _users: int, _rng: Generator) -> Iterator[tuple[str, Data]]:
        """Further datasets that others may have, in words, on which a rule about them may show."""
        return iter(())

    def unseen(self, users: int, rng: Generator) -> Data:
        """A dataset that no check uses."""
        return self.random(users, rng)

    def bases(self, users: int, own: Data | None = None) -> list[Base]:
        """Base datasets of a black box, and the user's own data where given (never shown, only named)."""
        listed = self._known(users)
        low, high = self.ends()
        given = [] if own is None else [Base("the data given", self.typed(own), low, high, private=True)]
        return [*listed, *given]

    def _known(self, users: int) -> list[Base]:
        """Those of the black box, the last ones kept: they are large, the same in each check, and slow to make."""
        known = _LAST.get(users)
        if known is None or known[0]() is not self:
            listed = list(self._bases(users, np.random.default_rng(BASES)))
            for base in listed:
                np.asarray(base.data).setflags(write=False)
            _LAST.clear()
            known = _LAST[users] = ref(self), listed
        return list(known[1])

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
