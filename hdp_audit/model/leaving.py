"""Users who leave: their row is gone with their demand, or only their datum is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base, Domain
from hdp_audit.model.neighbours import Coins, NeighbourPair, Neighbours, Replace, Users, Values, moved
from hdp_audit.model.promise import Promise


class ZeroOut(Neighbours):
    """A user's datum is the domain's null, such as 0; everybody stays.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import PureDP, Unit, ZeroOut
        >>> domain = Unit()
        >>> pair = ZeroOut().pair(domain, domain.bases(3)[0], np.array([1]), PureDP([0.5, 0.5, 0.5]))
        >>> pair.first.data.tolist(), pair.second.data.tolist()
        ([0.0, 1.0, 0.0], [0.0, 0.0, 0.0])
    """

    name = "zero-out"

    def pair(self, domain: Domain, base: Base, users: Users, promise: Promise) -> NeighbourPair:
        """The users with a datum that is as far from null as can be, and at null."""
        there, null = _there(domain, base), domain.null
        before, after = base.data.copy(), base.data.copy()
        before[users], after[users] = there, null
        words = f"at {domain.shown(there)}", f"at {domain.shown(null)}, which stands for none"
        return moved(base, users, promise, (before, after), words)

    def coins(self, domain: Domain, base: Base, promise: Promise) -> Values:
        """A coin chooses between a datum and null."""
        return Values(np.full_like(base.data, _there(domain, base)), np.full_like(base.data, domain.null), promise)


def _there(domain: Domain, base: Base) -> Any:
    """One of the base's two values that is not null."""
    return base.first if np.array_equal(base.second, domain.null) else base.second


class Remove(Neighbours):
    """A user's row is gone, and their demand with it: datasets of different sizes.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import PureDP, Remove, Unit
        >>> domain = Unit()
        >>> pair = Remove().pair(domain, domain.bases(3)[0], np.array([1]), PureDP([0.5, 0.6, 0.7]))
        >>> pair.second.data.size, pair.second.promise.strengths.tolist()
        (2, [0.5, 0.7])
    """

    name = "remove"

    def pair(self, domain: Domain, base: Base, users: Users, promise: Promise) -> NeighbourPair:
        """With the users, and without them; somebody stays, as most mechanisms do not take empty data."""
        leaving = users[:-1] if users.size == len(promise) > 1 else users
        data, staying = base.data.copy(), np.setdiff1d(np.arange(len(promise)), leaving)
        data[leaving] = base.second
        return NeighbourPair(
            base.name,
            leaving,
            Dataset(data, promise),
            Dataset(data[staying], promise.keeping(staying), staying),
            promise.group(leaving),
            f"at {domain.shown(base.second)}",
            "gone",
            private=base.private,
        )

    def coins(self, _domain: Domain, base: Base, promise: Promise) -> Presence:
        """A coin says who is there."""
        everybody = np.arange(len(promise))
        return Presence(np.full_like(base.data, base.second), promise, everybody, everybody[:0])


@dataclass(frozen=True, eq=False)
class Presence(Coins):
    """Everybody is there or not; who has no coin always is, or never."""

    data: NDArray[Any]
    promise: Promise
    tossing: Users
    always: Users

    def __len__(self) -> int:
        return int(self.data.shape[0])

    def dataset(self, coins: NDArray[np.bool_]) -> Dataset:
        """Those whose coin shows 1; the first user where nobody's does, as most mechanisms do not take empty data."""
        there = np.union1d(self.tossing[coins[self.tossing]], self.always)
        there = there if there.size else np.arange(1)
        return Dataset(self.data[there], self.promise.keeping(there), there)

    def datasets(self, coins: NDArray[np.bool_]) -> list[Dataset]:
        """One dataset for each row of coins."""
        return [self.dataset(row) for row in coins]

    def only(self, users: Users) -> Presence:
        """Of the others every second one is there."""
        others = np.setdiff1d(np.arange(len(self)), users)
        return Presence(self.data, self.promise, users, others[::2])


NEIGHBOURS: dict[str, type[Neighbours]] = {relation.name: relation for relation in (Replace, Remove, ZeroOut)}
