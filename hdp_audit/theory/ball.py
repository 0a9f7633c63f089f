"""A weighted mean of vectors in the unit ball of ℓ2 with Gaussian noise in d coordinates: errors as lengths (ours).

The answer is Σw_i·x_i + N, ‖x_i‖₂ ≤ 1. Its bias Σ(w_i − 1/n)x_i has length at most Σ|w_i − 1/n|, attained where all x_i
are ±v. ‖A + N‖₂/σ is noncentral chi with d degrees of freedom, and stochastically larger the longer A is. Moving the
answer into the ball, which holds the truth, never increases the error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from hdp_audit.theory.names import Metric, Setting
from hdp_audit.theory.upper import concentration_factor

Floats = NDArray[np.float64]
ROUNDING = 2.0**-29  # rows are kept inside the ball by a factor 1 − 2^-30, and units are whole


@dataclass(frozen=True, eq=False)
class BallEstimator:
    """Weights w ≥ 0 with Σw ≤ 1, noise of standard deviation `scale` in each of `dimensions` coordinates."""

    weights: Floats
    scale: float
    dimensions: int

    @property
    def bias(self) -> float:
        """Σ|w_i − 1/n|."""
        return float(np.abs(self.weights - 1.0 / self.weights.size).sum())

    @property
    def spread(self) -> float:
        """‖w − w̄‖₂²."""
        return float(((self.weights - self.weights.mean()) ** 2).sum())

    @property
    def missing(self) -> float:
        """1 − Σw, the length by which the mean over all permutations may be off; what rounding leaves of 0 is 0."""
        left = 1.0 - float(self.weights.sum())
        return left if left > 1e-12 else 0.0


def ball_guarantee(estimator: BallEstimator, setting: Setting, metric: Metric, beta: float) -> float:
    """The length of the error that is never exceeded, at most 2: its (1−β)-quantile or its mean square (at most 4)."""
    found = _correlated(estimator, metric, beta)
    if setting is Setting.WEAK:
        found = min(found, _weak(estimator, metric, beta))
    if metric is Metric.PAC:
        return min(found + ROUNDING, 2.0)
    return min(float(np.sqrt(found) + ROUNDING) ** 2, 4.0)


def _correlated(estimator: BallEstimator, metric: Metric, beta: float) -> float:
    a, sigma, d = estimator.bias, estimator.scale, estimator.dimensions
    if metric is Metric.MSE or sigma == 0:
        return a**2 + d * sigma**2 if metric is Metric.MSE else a
    if a / sigma > 1e4:  # far from the noise scipy's law is not reliable; triangle inequality
        return a + sigma * float(np.sqrt(stats.chi2.isf(beta, d)))
    return sigma * float(np.sqrt(stats.ncx2.isf(beta, d, (a / sigma) ** 2)))


def _weak(estimator: BallEstimator, metric: Metric, beta: float) -> float:
    """Mean bias D, then permuted sum and noise: E‖A‖² ≤ ‖w − w̄‖₂²·n/(n−1); X = A + N has proxy K_n‖w − w̄‖₂² + σ².

    A sub-Gaussian vector of proxy s has E exp(η‖X‖²/2s) ≤ (1−η)^{−d/2}, as a Gaussian one: P(‖X‖² > sτ) ≤
    (τ/d)^{d/2}e^{(d−τ)/2}.
    """
    n, d, sigma = estimator.weights.size, estimator.dimensions, estimator.scale
    if metric is Metric.MSE:
        moved = estimator.spread * n / max(n - 1, 1)
        return float(estimator.missing**2 + moved + d * sigma**2)

    def excess(tau: float) -> float:
        return float(d / 2 * (np.log(tau / d) + 1) - tau / 2 - np.log(beta))

    high = d - 4 * np.log(beta) + 2 * np.sqrt(-2 * d * np.log(beta))
    tau = optimize.brentq(excess, d, high, xtol=1e-13 * high) * (1 + 1e-12)
    return estimator.missing + float(np.sqrt((concentration_factor(n) * estimator.spread + sigma**2) * tau))
