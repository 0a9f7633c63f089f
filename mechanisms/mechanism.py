"""What every reference mechanism offers; how it draws is its own business."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

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
    level: float | None  # the saturation level ρ, where the weights are min(ε, ρ) up to a factor

    @property
    @abstractmethod
    def weights(self) -> Floats:
        """Each user's weight in the estimate."""

    @property
    @abstractmethod
    def noise_scale(self) -> float:
        """Laplace scale of each output (b in the paper's bounds); 0 where no noise is needed."""

    @abstractmethod
    def privacy_loss_exact(self, user: int) -> Fraction | float:
        """The user's loss as a rational number; inf for public data released as they are."""

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
        table = self._repeated(checked, 1, rng)
        return self.task.shaped(table)[0]

    def release_many(self, data: ArrayLike, *, size: int, rng: np.random.Generator, permuted: bool = False) -> Floats:
        """`size` independent outputs for one dataset.

        Or for a fresh random permutation of it each time (weak correlation).
        """
        checked = self.task.checked(data, self.epsilon.size)
        if size < 0:
            raise InvalidInput(f"size = {size}; give the number of outputs, 0 or more")
        draw = self._permuted if permuted else self._repeated
        return self.task.shaped(draw(checked, size, rng))

    def release_each(self, datasets: ArrayLike, *, rng: np.random.Generator) -> Floats:
        """One output for each row of a 2-D array of datasets."""
        rows = np.asarray(datasets)
        if rows.ndim != 2 or rows.shape[1] != self.epsilon.size:
            raise InvalidInput(f"datasets have shape {rows.shape}; give one dataset of {self.epsilon.size} users a row")
        checked = self.task.checked(rows.ravel(), rows.size).reshape(rows.shape)
        return self.task.shaped(self._outputs(checked, rng))

    def _repeated(self, data: Data, size: int, rng: np.random.Generator | None) -> Floats:
        return self._outputs(np.broadcast_to(data, (size, data.size)), rng)

    @abstractmethod
    def _permuted(self, data: Data, size: int, rng: np.random.Generator) -> Floats:
        """As `_outputs`, for `size` fresh permutations of one dataset."""
