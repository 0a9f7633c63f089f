"""Pairs of datasets described by a few numbers, so that a search can move each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.domain import Base, Data, Domain

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """`count` of the others are at `there`, all the rest at `rest`; the user goes from `first` to `second`.

    Values count from 0 to 1, from one end of the domain to the other; `rest` is None where everybody has another one.
    """

    user: int
    count: int
    rest: float | None
    there: float
    first: float
    second: float

    def base(self, domain: Domain, users: int) -> Base:
        """The dataset, and the user's two values."""
        data = self._rest(domain, users)
        order = np.delete(np.arange(users), self.user)
        if self.count:
            data[order[: self.count]] = value(domain, self.there)
        data[self.user] = value(domain, self.first)
        return Base(self._words(domain, users), data, value(domain, self.first), value(domain, self.second))

    def _rest(self, domain: Domain, users: int) -> Data:
        if self.rest is not None:
            return domain.everybody(users, value(domain, self.rest)).copy()
        return domain.typed(values(domain, (np.arange(users) + 0.5) / users))

    def _words(self, domain: Domain, users: int) -> str:
        rest = "spread evenly" if self.rest is None else f"at {domain.shown(value(domain, self.rest))}"
        if not self.count:
            return f"everybody {rest}"
        others = "" if self.count >= users - 1 else f", the others {rest}"
        return f"{self.count} users at {domain.shown(value(domain, self.there))}{others}"


def value(domain: Domain, part: float) -> Any:
    """So far from one end of the domain to the other; of data that are no numbers, the nearer end."""
    low, high = domain.ends()
    kind = np.asarray(low).dtype.kind
    if kind in "iu":
        return int(low) + round(part * (int(high) - int(low)))
    if kind != "f":
        return low if part < 0.5 else high
    return high if part == 1.0 else low + part * (high - low)


def values(domain: Domain, parts: Floats) -> Data:
    """The same of many parts below 1, of numbers all at once."""
    low, high = (np.asarray(end) for end in domain.ends())
    if low.dtype.kind != "f":
        return np.array([value(domain, part) for part in parts.tolist()])
    return np.asarray(low + np.multiply.outer(parts, high - low))
