"""A dataset of an experiment: data, demands, and a sentence on what the paper left open and what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model import vocabulary
from hdp_audit.model.vocabulary import MetricName, Setting, SettingName
from hdp_audit.targets.reference import Task
from hdp_audit.theory.names import Problem

Floats = NDArray[np.float64]
BETA = 0.05


@dataclass(frozen=True, eq=False)
class Dataset:
    """Fixed data and demands, as the paper has them; in the weak setting every trial permutes the data afresh."""

    key: str
    label: str
    task: Task
    setting: SettingName
    data: NDArray[Any]
    epsilon: Floats
    source: str
    differs: str

    @property
    def outputs(self) -> int:
        """k, or 1 for a mean."""
        return self.task.outputs

    @property
    def weakly(self) -> bool:
        """Whether every trial permutes the data."""
        return self.setting == "weakly-correlated"

    @property
    def truth(self) -> Floats:
        """The mean, or the frequencies, that are estimated."""
        return self.task.truth(self.data)

    def weighted(self, weights: Floats) -> Floats:
        """Σw_i·x_i, or Σw_i·1{x_i = j} for each category."""
        return self.task.weighted(weights, self.data)

    def problem(self, metric: MetricName) -> Problem:
        """The cell of the theory that a row of this dataset belongs to."""
        task, setting = vocabulary.Task(self.task.name), Setting(self.setting)
        return Problem(task, setting, vocabulary.Metric(metric), self.outputs, BETA)
