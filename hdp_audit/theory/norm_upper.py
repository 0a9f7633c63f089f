"""Guarantees for frequencies in ℓ1 and ℓ2 (ours): hull noise around the best c, or simplex weights on permuted data.

Around c the worst bias is D·(c − 1) in one entry and cD in the others: least for c = 0 in ℓ1, where it is D, and for
c = 1/k in ℓ2, where it is D·√(1 − 1/k). Two categories are a mean y, answered as (1 − y, y), which errs by |y − θ|
twice: 2 times the mean's error in ℓ1, √2 times in ℓ2, and nothing does better.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.family import Statistics
from hdp_audit.theory.guarantee_noise import Hull
from hdp_audit.theory.guarantee_norms import Length, Permuted, permuted, with_noise
from hdp_audit.theory.names import Metric, Norm, Problem, Task

Floats = NDArray[np.float64]


def best_share(norm: Norm, categories: int) -> float:
    """The best c."""
    return 0.0 if norm is Norm.L1 else 1 / categories


def pair_factor(problem: Problem) -> float:
    """What the error of a mean is worth where two categories hold it: 2 or √2 times as much."""
    factor = 2.0 if problem.norm is Norm.L1 else float(np.sqrt(2.0))
    return factor if problem.metric is Metric.PAC else factor**2


def as_mean(problem: Problem) -> Problem:
    """The mean that two categories hold."""
    return replace(problem, task=Task.MEAN)


def around_share(problem: Problem, s: Statistics) -> Floats:
    """Correlated data, weights min(1, ε/ρ)/n and noise of scale 2t; the family's bias is half of what is missing."""
    size = 2 * s.bias if problem.norm is Norm.L1 else 2 * s.bias * np.sqrt(1 - 1 / problem.categories)
    return with_noise(size, _one(problem), problem.metric, problem.beta, 2 * s.t)


def on_simplex(problem: Problem, s: Statistics, n: int) -> Floats:
    """Permuted data, simplex weights."""
    return permuted(Permuted(0.0, 0.0, s.spread, s.bias, n), _one(problem), problem, 2 * s.t)


def _one(problem: Problem) -> Length:
    """Noise of scale 1; lengths grow with the scale."""
    return Length(problem.norm, Hull(1.0, problem.categories), problem.categories)
