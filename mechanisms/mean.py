"""The mean of numbers in [0, 1]: HPM, alg. (ADPM)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.arrays import as_reals
from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.noise import Integers
from mechanisms.task import Data, checked_length

USERS = 1 << 14  # whose shares are added up at one time: they stay in the cache, and integers add up to the same


@dataclass(frozen=True)
class Mean:
    """One output; a user of W units adds between 0 and W of them."""

    name: ClassVar[str] = "mean"
    sensitivity: ClassVar[int] = 1
    moved: ClassVar[int] = 1
    datum: ClassVar[tuple[int, ...]] = ()
    outputs: ClassVar[int] = 1
    categories: ClassVar[None] = None

    @classmethod
    def of(cls, categories: int | None, wanted_by: str) -> Self:
        """A mean has no categories."""
        if categories is not None:
            raise InvalidInput(f"categories = {categories!r} given for a mean ({wanted_by}); leave it out")
        return cls()

    def checked(self, data: ArrayLike, users: int) -> Data:
        """Floats in [0, 1]."""
        values = as_reals(data, "data for a mean", "numbers in [0, 1]", copy=False)
        checked_length(values, users)
        if not (values.min(initial=0) >= 0 and values.max(initial=1) <= 1):  # NaN is neither
            wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
            raise InvalidInput(
                f"user {wrong[0]}: datum {values[wrong[0]]}; data for a mean are numbers in [0, 1] "
                f"({wrong.size} of {users} are not): rescale them first"
            )
        return values

    def totals(self, units: Integers, datasets: Data) -> Integers:
        """Σ round(W_i·x_i): whatever x_i is, the sum moves by an integer between 0 and W_i.

        So its sensitivity is exactly W_i.
        """
        totals = np.zeros((datasets.shape[0], 1), dtype=np.int64)
        for start in range(0, datasets.shape[1], USERS):
            own = units[..., start : start + USERS]  # one user's units for all datasets, or a row for each of them
            shares = own * datasets[:, start : start + USERS]
            whole = np.rint(shares, out=shares).astype(np.int64)
            # A product may round past W_i, at most by its last bit.
            totals += np.minimum(whole, own, out=whole).sum(axis=1, keepdims=True)
        return totals

    def weighted(self, weights: Floats, data: Data) -> Floats:
        """Σw_i·x_i."""
        return np.array([float(weights @ data)])

    def truth(self, data: Data) -> Floats:
        """The mean."""
        return np.array([float(data.mean())])

    def shaped(self, table: Floats) -> Floats:
        """One number a release."""
        return table[:, 0]
