"""The study's measurements: errors on data whose correlation with the demands is a dial from 0 to 1.

Data are ranks of κ·(normal score of the demand) + √(1−κ²)·(independent normal). κ = 0 is the weak setting, κ = 1 ties
data to demands completely. Given data, the error's law is exact; only the data are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.experiments.algorithms import built, exact_law, guaranteed, variants
from hdp_audit.experiments.dataset import BETA, Dataset
from hdp_audit.experiments.families import DemandFamily
from hdp_audit.model.vocabulary import METRICS, EstimatedName, MetricName, SettingName
from hdp_audit.targets.reference import Frequency, Mean, Task
from hdp_audit.targets.streams import stream

Floats = NDArray[np.float64]
KAPPAS = (0.0, 0.25, 0.5, 0.75, 1.0)
BINS = 10
# Kinds of data: ten bins of equal size; half zeros and half ones; numbers close to ½.
KINDS: tuple[tuple[str, EstimatedName], ...] = (
    ("frequency", "frequency"),
    ("mean, 0 or 1", "mean"),
    ("mean, narrow", "mean"),
)


TASKS: Mapping[EstimatedName, Task] = MappingProxyType({"frequency": Frequency(BINS), "mean": Mean()})
# What is compared: by role, the rule of the catalog and the setting that it is made for.
ROLES: Mapping[str, tuple[str, SettingName | None]] = MappingProxyType(
    {
        "c": ("hp", "correlated"),
        "w": ("hp", "weakly-correlated"),
        "a": ("a", None),
        "c-sharp": ("sharp", "correlated"),
        "w-sharp": ("sharp", "weakly-correlated"),
        "c-centred": ("centred", "correlated"),
        "c-anchored": ("anchored", "correlated"),
    }
)


@dataclass(frozen=True)
class Prepared:
    """A family's mechanisms for one task and metric, built once for all data."""

    family: DemandFamily
    task: EstimatedName
    metric: MetricName
    mechanisms: dict[str, Any]

    def promises(self) -> dict[str, float]:
        """The correlated guarantee of every variant."""
        dataset = _dataset(self.family, self.task, np.zeros(self.family.users, dtype=np.int64))
        found = {r: guaranteed(m, dataset, self.metric) for r, m in self.mechanisms.items()}
        return {r: value for r, value in found.items() if value is not None}


Ready = dict[tuple[EstimatedName, MetricName], Prepared]


def prepared(family: DemandFamily, task: EstimatedName, metric: MetricName) -> Prepared:
    """Every variant for the family's demands."""
    empty = _dataset(family, task, np.zeros(family.users, dtype=np.int64))
    names = {role: variants(rule, task, setting, metric) for role, (rule, setting) in ROLES.items()}
    return Prepared(family, task, metric, {role: built(name, empty, metric) for role, (name,) in names.items()})


def _dataset(family: DemandFamily, task: EstimatedName, data: NDArray[Any]) -> Dataset:
    return Dataset(family.name, family.name, TASKS[task], "correlated", data, family.demands, "", "")


def tied_ranks(family: DemandFamily, kappa: float, rng: np.random.Generator) -> Floats:
    """Each user's rank in (0, 1), tied to the rank of their demand with strength κ; equal demands in random order."""
    from scipy.special import ndtri

    n = family.users
    demand_rank = np.empty(n)
    demand_rank[np.lexsort((rng.random(n), family.demands))] = (np.arange(n) + 0.5) / n
    latent = kappa * ndtri(demand_rank) + np.sqrt(1.0 - kappa**2) * rng.standard_normal(n)
    ranks = np.empty(n)
    ranks[np.argsort(latent, kind="stable")] = (np.arange(n) + 0.5) / n
    return ranks


def data_of(kind: str, ranks: Floats) -> NDArray[Any]:
    """Ranks as data of a kind."""
    if kind == "frequency":
        return np.minimum((ranks * BINS).astype(np.int64), BINS - 1)
    if kind == "mean, 0 or 1":
        return (ranks >= 0.5).astype(np.float64)
    return 0.5 + 0.25 * (ranks - 0.5)


def error_of(mechanism: Any, dataset: Dataset, metric: MetricName) -> float:
    """The exact 95% quantile or mean square on these data."""
    law = exact_law(mechanism, dataset)
    if law is None:
        raise ValueError(f"{mechanism.name}: its error has no exact law; the study compares exact errors")
    return law.quantile(1.0 - BETA) if metric == "pac" else law.mean_square()


def everything(family: DemandFamily) -> Ready:
    """Both tasks and metrics."""
    return {(task, metric): prepared(family, task, metric) for task in TASKS for metric in METRICS}


def log_errors(
    family: DemandFamily, ready: Ready, draws: int, seed: int, kappas: tuple[float, ...]
) -> dict[tuple[str, ...], Floats]:
    """(kind, metric, role) -> log error, an array κ × draws; squared errors count half, so all are in error units."""
    found: dict[tuple[str, ...], Floats] = {}
    for i, kappa in enumerate(kappas):
        for j in range(draws):
            rng = stream(seed, "study", family.name, str(kappa), j)
            ranks = tied_ranks(family, kappa, rng)
            for kind, task in KINDS:
                dataset = _dataset(family, task, data_of(kind, ranks))
                for metric in METRICS:
                    for name, mechanism in ready[task, metric].mechanisms.items():
                        table = found.setdefault((kind, metric, name), np.empty((len(kappas), draws)))
                        error = error_of(mechanism, dataset, metric)
                        table[i, j] = np.log(max(error, 1e-12)) * (1.0 if metric == "pac" else 0.5)
    return found
