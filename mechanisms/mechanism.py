"""What every reference mechanism offers; how it draws is its own business."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.arrays import as_array
from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.task import Data, Task

Noise = Literal["exact", "float"]


class ReferenceMechanism(ABC):
    """Demands and a task, fixed when built; data come with each release."""

    name: str
    task: Task
    epsilon: Floats
    noise: Noise
    places_units: ClassVar[bool] = False  # whether permuted data cost it no more than fixed data
    level: float | None  # the saturation level ρ, where the weights are min(ε, ρ) up to a factor

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """Each user's weight in the estimate."""

    @property
    @abstractmethod
    def noise_scale(self) -> float:
        """Laplace scale of each output (b in the paper's bounds); 0 where no noise is needed."""

    def privacy_loss_exact(self, user: int) -> Fraction | float:
        """The user's loss as a rational number; inf for public data released as they are."""
        if not 0 <= whole_number(user, "user") < self.epsilon.size:
            raise InvalidInput(f"user = {user}; users are numbered from 0 to {self.epsilon.size - 1}")
        return self._loss(user)

    @abstractmethod
    def _loss(self, user: int) -> Fraction | float:
        """The same for a user who exists."""

    @property
    @abstractmethod
    def privacy_loss(self) -> Floats:
        """Each user's loss: the smallest doubles that are no smaller than the exact ones, never above the demand."""

    @abstractmethod
    def _outputs(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        """One output for each row, shape (rows, outputs)."""

    def release(self, data: ArrayLike, *, rng: np.random.Generator | None = None) -> float | Floats:
        """One output; without `rng` from the operating system's randomness, as a real release must be."""
        checked = self.task.checked(data, self.epsilon.size)
        table = self._repeated(checked, 1, None if rng is None else _generator(rng))
        return self.task.shaped(table)[0]

    def release_many(self, data: ArrayLike, *, size: int, rng: np.random.Generator, permuted: bool = False) -> Floats:
        """`size` independent outputs for one dataset.

        Or for a fresh random permutation of it each time (weak correlation).
        """
        checked = self.task.checked(data, self.epsilon.size)
        if whole_number(size, "size") < 0:
            raise InvalidInput(f"size = {size}; give the number of outputs, 0 or more")
        draw = self._permuted if permuted else self._repeated
        return self.task.shaped(draw(checked, int(size), _generator(rng)))

    def release_each(self, datasets: ArrayLike, *, rng: np.random.Generator) -> Floats:
        """One output for each row of a 2-D array of datasets."""
        rows = as_array(datasets, "datasets")
        if rows.shape[1:] != (self.epsilon.size, *self.task.datum):
            raise InvalidInput(f"datasets have shape {rows.shape}; give one dataset of {self.epsilon.size} users a row")
        return self.task.shaped(self._outputs(self._checked_rows(rows), _generator(rng)))

    def _checked_rows(self, rows: Data) -> Data:
        """All rows at once; only if that fails, row by row, to name the offender."""
        try:
            one = rows.reshape(-1, *self.task.datum)
            return self.task.checked(one, one.shape[0]).reshape(rows.shape)
        except InvalidInput:
            for number, row in enumerate(rows):
                try:
                    self.task.checked(row, self.epsilon.size)
                except InvalidInput as why:
                    raise InvalidInput(f"datasets, row {number}: {why}") from None
            raise

    def _repeated(self, data: Data, size: int, rng: np.random.Generator | None) -> Floats:
        return self._outputs(np.broadcast_to(data, (size, *data.shape)), rng)

    def _permuted(self, data: Data, size: int, rng: np.random.Generator) -> Floats:
        """As `_outputs`, for `size` fresh permutations of one dataset."""
        table = np.empty((size, self.task.outputs))
        for row in range(size):
            table[row] = self._outputs(rng.permutation(data)[None, :], rng)[0]
        return table


def whole_number(value: object, name: str) -> int:
    """An integer of any kind, but no truth value and no float."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise InvalidInput(f"{name} = {value!r}; give a whole number")


def _generator(rng: object) -> np.random.Generator:
    if isinstance(rng, np.random.Generator):
        return rng
    raise InvalidInput(f"rng = {rng!r}; give a numpy generator, such as numpy.random.default_rng(1)")
