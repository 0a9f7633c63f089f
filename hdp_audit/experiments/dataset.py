"""A dataset of an experiment: data, demands, and a sentence on what the paper left open and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Task = Literal["frequency", "mean"]
Setting = Literal["correlated", "weakly-correlated"]
Metric = Literal["pac", "mse"]
METRICS: tuple[Metric, Metric] = ("pac", "mse")
BETA = 0.05


@dataclass(frozen=True, eq=False)
class Dataset:
    """Fixed data and demands, as the paper has them; in the weak setting every trial permutes the data afresh."""

    key: str
    label: str
    task: Task
    setting: Setting
    data: NDArray[Any]
    epsilon: Floats
    categories: int | None
    source: str
    differs: str

    @property
    def outputs(self) -> int:
        """k, or 1 for a mean."""
        return self.categories or 1

    @property
    def weakly(self) -> bool:
        """Whether every trial permutes the data."""
        return self.setting == "weakly-correlated"

    @property
    def truth(self) -> Floats:
        """The mean, or the frequencies, that are estimated."""
        if self.categories is None:
            return np.array([float(self.data.mean())])
        return np.bincount(self.data, minlength=self.categories) / self.data.size

    def weighted(self, weights: Floats) -> Floats:
        """Σw_i·x_i, or Σw_i·1{x_i = j} for each category."""
        if self.categories is None:
            return np.array([float(weights @ self.data)])
        return np.asarray(np.bincount(self.data, weights=weights, minlength=self.categories), dtype=np.float64)
