"""The mean of vectors in the unit ball of ℓ2: HVM, with Gaussian noise only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.arrays import as_reals
from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.noise import Integers
from mechanisms.task import Data

MOST_DIMENSIONS = 1 << 20
# Norms in doubles are off by at most (d + 4)·2^-53 of themselves, which this covers: rows stay inside their ball.
_INSIDE = 1.0 - 2.0**-30


@dataclass(frozen=True)
class VectorMean:
    """d outputs; a user of W units adds an integer vector no longer than W, and a replaced datum moves up to 2W."""

    outputs: int
    name: ClassVar[str] = "vector-mean"
    sensitivity: ClassVar[int] = 2
    moved: ClassVar[int] = 4
    categories: ClassVar[None] = None

    def __post_init__(self) -> None:
        whole = isinstance(self.outputs, (int, np.integer)) and not isinstance(self.outputs, bool)
        if not whole or not 1 <= self.outputs <= MOST_DIMENSIONS:
            raise InvalidInput(f"dimensions = {self.outputs!r}; give a whole number from 1 to {MOST_DIMENSIONS}")

    @classmethod
    def of(cls, dimensions: int | None, wanted_by: str) -> Self:
        """Vectors need their number of dimensions."""
        if dimensions is None:
            raise InvalidInput(f"{wanted_by} estimates a mean of vectors and needs dimensions=d, a whole number")
        return cls(dimensions)

    @property
    def datum(self) -> tuple[int, ...]:
        """A row of d numbers."""
        return (self.outputs,)

    def checked(self, data: ArrayLike, users: int) -> Data:
        """Finite rows of d numbers; those longer than 1 are shortened to 1 when they are used."""
        values = as_reals(data, "data for a mean of vectors", "finite numbers")
        if values.shape != (users, self.outputs):
            raise InvalidInput(
                f"data have shape {values.shape}, demands are for {users} users; "
                f"give one row of {self.outputs} numbers for each demand"
            )
        wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if wrong.size:
            raise InvalidInput(
                f"user {wrong[0]}: datum {values[wrong[0]].tolist()}; data for a mean of vectors are finite numbers "
                f"({wrong.size} of {users} rows are not)"
            )
        return values

    def totals(self, units: Integers, datasets: Data) -> Integers:
        """Σ of W_i·x_i, x_i shortened to the ball, each entry rounded towards 0: no row is longer than W_i."""
        shares = in_ball(datasets) * (units.astype(np.float64) * _INSIDE)[..., None]
        return np.trunc(shares).astype(np.int64).sum(axis=1)

    def weighted(self, weights: Floats, data: Data) -> Floats:
        """Σw_i·x_i, x_i shortened to the ball."""
        return np.asarray(weights @ in_ball(data))

    def truth(self, data: Data) -> Floats:
        """The mean of the shortened rows."""
        return np.asarray(in_ball(data).mean(axis=0))

    def shaped(self, table: Floats) -> Floats:
        """d numbers a release."""
        return table


def in_ball(vectors: Floats) -> Floats:
    """x/max(1, ‖x‖₂) along the last axis; entries are scaled first, so that no square overflows."""
    near = vectors / np.maximum(np.abs(vectors).max(axis=-1, keepdims=True), 1.0)
    return np.asarray(near / np.maximum(np.sqrt((near * near).sum(axis=-1, keepdims=True)), 1.0))
