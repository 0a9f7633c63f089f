"""Task, setting and metric, spelled once: words where people write them, members where code branches on them.

A member is its word (`Setting.WEAK == "weakly-correlated"`), so either form can be compared, stored and shown.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, get_args

TaskName = Literal["mean", "frequency", "sum", "count", "vector-mean", "custom"]
EstimatedName = Literal["mean", "frequency"]
SettingName = Literal["correlated", "weakly-correlated"]
MetricName = Literal["pac", "mse"]
NormName = Literal["linf", "l2", "l1"]

ESTIMATED: tuple[EstimatedName, ...] = get_args(EstimatedName)
MEASURED: tuple[TaskName, ...] = ("mean", "frequency", "sum", "count")  # where a truth is known
SETTINGS: tuple[SettingName, ...] = get_args(SettingName)
METRICS: tuple[MetricName, ...] = get_args(MetricName)
NORMS: tuple[NormName, ...] = get_args(NormName)


class Task(StrEnum):
    """What is estimated: frequencies of k categories, or the mean of numbers in [0, 1]."""

    FREQUENCY = "frequency"
    MEAN = "mean"


class Setting(StrEnum):
    """Whether the adversary hands data to users (correlated), or a random permutation does (weakly correlated)."""

    CORRELATED = "correlated"
    WEAK = "weakly-correlated"


class Metric(StrEnum):
    """The (1−β)-quantile of the error, or its mean square."""

    PAC = "pac"
    MSE = "mse"


class Norm(StrEnum):
    """What the error of a table of frequencies is: its largest entry, its length, or the sum of its entries' sizes."""

    LINF = "linf"
    L2 = "l2"
    L1 = "l1"
