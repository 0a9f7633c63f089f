"""The mean of numbers in [0, 1]: HPM, alg. (ADPM)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.arrays import as_reals
from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.noise import Integers
from mechanisms.task import Data, checked_length


@dataclass(frozen=True)
class Mean:
    """One output; a user of W units adds between 0 and W of them."""

    name: str = "mean"
    outputs: int = 1
    sensitivity: int = 1

    def checked(self, data: ArrayLike, users: int) -> Data:
        """Floats in [0, 1]."""
        values = as_reals(data, "data for a mean", "numbers in [0, 1]")
        checked_length(values, users)
        wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
        if wrong.size:
            raise InvalidInput(
                f"user {wrong[0]}: datum {values[wrong[0]]}; data for a mean are numbers in [0, 1] "
                f"({wrong.size} of {users} are not): rescale them first"
            )
        return values

    def totals(self, units: Integers, datasets: Data) -> Integers:
        """Σ round(W_i·x_i): whatever x_i is, the sum moves by an integer between 0 and W_i.

        So its sensitivity is exactly W_i.
        """
        shares = np.rint(units * datasets).astype(np.int64)
        # A product may round past W_i, at most by its last bit.
        return np.minimum(shares, units).sum(axis=1, keepdims=True)

    def shaped(self, table: Floats) -> Floats:
        """One number a release."""
        return table[:, 0]
