"""The price of safety on salaries: error on the real data against the worst-case guarantee, along the level."""

from __future__ import annotations

from typing import Any

import numpy as np

from hdp_audit.experiments import rows
from hdp_audit.experiments.dataset import BETA
from hdp_audit.experiments.law import ErrorLaw
from hdp_audit.theory.family import Family
from hdp_audit.theory.upper import correlated_pac

POINTS = 61


def price(seed: int) -> list[dict[str, Any]]:
    """From the smallest demand to the largest: the guarantee, and the exact 95% quantile on the salaries."""
    dataset = rows.salary_mean(seed)
    family = Family.of(dataset.epsilon)
    levels = np.geomspace(*family.level_range(), POINTS)
    statistics = family.simplex(levels)
    promises = correlated_pac(statistics.bias, statistics.t, BETA, 1, 0)
    found = []
    for level, t, promise in zip(levels, statistics.t, promises, strict=True):
        spent = np.minimum(dataset.epsilon, level)
        law = ErrorLaw(dataset.weighted(spent / spent.sum()), dataset.truth, float(t))
        found.append({"level": float(level), "guaranteed": float(promise), "error": law.quantile(1.0 - BETA)})
    return found
