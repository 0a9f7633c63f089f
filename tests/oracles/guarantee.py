"""What a mechanism guarantees, case by case from `hdp_audit.theory.upper` and `hull`: the first derivation there was.

`hdp_audit.theory.guarantee` reads the same numbers off the vertices of one polytope, for any weights and noise; the two
share the bounds for one vertex, and nothing of the way to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hdp_audit.experiments.dataset import BETA, Dataset
from hdp_audit.model.vocabulary import MetricName as Metric
from hdp_audit.theory import hull, upper
from mechanisms import entry


def guaranteed(mechanism: Any, dataset: Dataset, metric: Metric) -> float | None:
    """The worst error over all data in the dataset's setting; None where no bound is known (SM, LDP)."""
    match entry(mechanism.name).rule:
        case "hull":
            return _hull(mechanism, dataset, metric)
        case "anchored":
            return _anchored(mechanism, dataset, metric)
        case "sm" | "ldp":
            return None
        case "centred" | "secret":
            return _centred(mechanism, dataset, metric)
        case _:
            return simplex(mechanism, dataset, metric)


def simplex(mechanism: Any, dataset: Dataset, metric: Metric) -> float:
    """Weights that sum to 1."""
    n, k, b = dataset.epsilon.size, dataset.outputs, mechanism.noise_scale
    gap = mechanism.weights - 1.0 / n
    bias, spread = 0.5 * float(np.abs(gap).sum()), float(gap @ gap)
    worst = _correlated(bias, b, min(k, 2), k - min(k, 2), metric)
    if not dataset.weakly:
        return worst
    if metric == "pac":
        return min(worst, float(upper.weak_pac(bias, spread, b, n, k, BETA)))
    if k == 1:
        return float(upper.mean_weak_mse(spread, b, n))
    return min(worst, float(upper.frequency_weak_mse(bias, spread, b, n, k)))


def _correlated(bias: float, b: float, biased: int, plain: int, metric: Metric) -> float:
    if metric == "pac":
        return float(upper.correlated_pac(bias, b, BETA, biased, plain))
    if biased == 1:
        return float(upper.mean_correlated_mse(bias, b))
    return float(upper.frequency_correlated_mse(bias, b, biased, plain))


def _centred(mechanism: Any, dataset: Dataset, metric: Metric) -> float:
    """Half of the missing weight biases every output; `hpm-we-centred` has its own bound."""
    n, total, b = dataset.epsilon.size, float(mechanism.weights.sum()), mechanism.noise_scale
    if entry(mechanism.name).setting == "weakly-correlated":
        full = mechanism.weights / total
        spread = float(((full - 1.0 / n) ** 2).sum())
        return float(upper.shrunk_mean_weak_mse(spread, b / total, n))
    return _correlated(0.5 * max(1.0 - total, 0.0), b, dataset.outputs, 0, metric)


def _hull(mechanism: Any, dataset: Dataset, metric: Metric) -> float:
    missing, t = np.array([max(1.0 - float(mechanism.weights.sum()), 0.0)]), np.array([mechanism.noise_scale / 2])
    if metric == "pac":
        return float(hull.hull_pac(missing, t, dataset.outputs, BETA)[0])
    return float(hull.hull_mse(missing, t, dataset.outputs)[0])


def _anchored(mechanism: Any, dataset: Dataset, metric: Metric) -> float:
    """The answer lies within h of the anchor: its worst quantile + h, or (√V + h)²."""
    worst = simplex(mechanism.anchor, dataset, metric)
    return worst + mechanism.reach if metric == "pac" else (np.sqrt(worst) + mechanism.reach) ** 2
