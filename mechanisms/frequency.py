"""The frequencies of k categories: HPF, alg. (ADPF)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.arrays import as_array
from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.noise import Integers
from mechanisms.task import Data, checked_length

MOST_CATEGORIES = 10_000_000
_HALF = 24  # units are summed in two parts, low and high, each exact in doubles for up to 2^29 users


@dataclass(frozen=True)
class Frequency:
    """k outputs; a user of W units adds them to one category, and a replaced datum moves 2W."""

    outputs: int
    name: ClassVar[str] = "frequency"
    sensitivity: ClassVar[int] = 2
    moved: ClassVar[int] = 2
    datum: ClassVar[tuple[int, ...]] = ()

    def __post_init__(self) -> None:
        whole = isinstance(self.outputs, (int, np.integer)) and not isinstance(self.outputs, bool)
        if not whole or not 2 <= self.outputs <= MOST_CATEGORIES:
            raise InvalidInput(
                f"categories = {self.outputs!r}; give a whole number of at least 2 and at most {MOST_CATEGORIES}"
            )

    @classmethod
    def of(cls, categories: int | None, wanted_by: str) -> Self:
        """Frequencies need their number of categories."""
        if categories is None:
            raise InvalidInput(
                f"{wanted_by} estimates frequencies and needs categories=k, a whole number of at least 2"
            )
        return cls(categories)

    @property
    def categories(self) -> int:
        """k."""
        return self.outputs

    def checked(self, data: ArrayLike, users: int) -> Data:
        """Integers from 0 to k − 1."""
        values = as_array(data, "data for frequencies")
        checked_length(values, users)
        if values.dtype.kind not in "iu":
            raise InvalidInput(
                f"data for frequencies have type {values.dtype}; give integers from 0 to {self.outputs - 1}"
            )
        wrong = np.flatnonzero((values < 0) | (values >= self.outputs))
        if wrong.size:
            raise InvalidInput(
                f"user {wrong[0]}: category {values[wrong[0]]}; categories run from 0 to {self.outputs - 1} "
                f"({wrong.size} of {users} do not)"
            )
        return values.astype(np.int64)

    def totals(self, units: Integers, datasets: Data) -> Integers:
        """Σ W_i·1{x_i = j} for each category j, in integers."""
        rows = datasets.shape[0]
        cells = (datasets + self.outputs * np.arange(rows)[:, None]).ravel()
        spread = np.broadcast_to(units, datasets.shape).ravel()
        count = rows * self.outputs
        high = np.bincount(cells, weights=spread >> _HALF, minlength=count)
        low = np.bincount(cells, weights=spread & ((1 << _HALF) - 1), minlength=count)
        return ((high.astype(np.int64) << _HALF) + low.astype(np.int64)).reshape(rows, self.outputs)

    def weighted(self, weights: Floats, data: Data) -> Floats:
        """Σw_i·1{x_i = j} for each category j."""
        return np.asarray(np.bincount(data, weights=weights, minlength=self.outputs), dtype=np.float64)

    def truth(self, data: Data) -> Floats:
        """The share of each category."""
        return np.bincount(data, minlength=self.outputs) / data.size

    def shaped(self, table: Floats) -> Floats:
        """k numbers a release."""
        return table
