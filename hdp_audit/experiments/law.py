"""The exact law of the error on given data: weighted sums with Laplace noise, clipped, against the truth.

Entry j is clip(θ_j + N_j) with independent noise, so P(‖error‖∞ ≤ α) is a product of Laplace probabilities; quantile
and mean square need no simulation. A third opinion beside the guarantee and the trials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(8)
_STEPS = np.array([0.5, 1.0, 2.0, 4.0, 7.0, 11.0, 17.0, 26.0, 38.0])


@dataclass(frozen=True, eq=False)
class ErrorLaw:
    """θ, the truth μ (both in [0, 1]) and the noise's scale."""

    centre: Floats
    truth: Floats
    scale: float

    def within(self, alpha: Floats) -> Floats:
        """P(‖error‖∞ ≤ α): above 1 and below 0 the clip stops the noise."""
        a = np.asarray(alpha, dtype=np.float64)[..., None]
        high, low = self.truth + a, self.truth - a
        above = np.where(high >= 1.0, 1.0, self._cdf(high))
        below = np.where(low <= 0.0, 0.0, self._cdf(low))
        return np.asarray(np.prod(above - below, axis=-1))

    def _cdf(self, at: Floats) -> Floats:
        if self.scale == 0:
            return (at >= self.centre).astype(np.float64)
        z = (at - self.centre) / self.scale
        return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(z, 0.0)))

    def quantile(self, probability: float) -> float:
        """The smallest α with P(error ≤ α) at least this: the first of 65 points that reaches it, ten times over."""
        if self.scale == 0:
            return float(np.abs(self.centre - self.truth).max())
        low, high = 0.0, 1.0
        for _ in range(10):
            points = np.linspace(low, high, 65)
            first = max(int(np.argmax(self.within(points) >= probability)), 1)
            low, high = float(points[first - 1]), float(points[first])
        return high

    def mean_square(self) -> float:
        """∫2α·P(error > α)dα, piece by piece between the kinks."""
        gap = np.abs(self.centre - self.truth)
        if self.scale == 0:
            return float(gap.max() ** 2)
        steps = np.concatenate([-_STEPS, [0.0], _STEPS]) * self.scale
        kinks = np.concatenate([(gap[:, None] + steps).ravel(), _STEPS * self.scale, self.truth, 1.0 - self.truth])
        edges = np.unique(np.concatenate([np.clip(kinks, 0.0, 1.0), [0.0, 1.0]]))
        half = 0.5 * np.diff(edges)[:, None]
        alpha = edges[:-1, None] + half * (_NODES + 1.0)
        return float((2.0 * alpha * (1.0 - self.within(alpha)) * half * _NODE_WEIGHTS).sum())
