"""Gaussian differential privacy: nobody's datum tells more than a shift by μ of a normal output of variance 1.

The best event at ε is "the likelihood ratio is at least e^ε": under the shifted law it has the probability
Φ(μ/2 − ε/μ), under the other one Φ(−μ/2 − ε/μ), which gives δ(ε) and its tangents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from hdp_audit.model.columns import column
from hdp_audit.model.promise import Limit, OfColumns

Floats = NDArray[np.float64]
Users = NDArray[np.int64]


@dataclass(frozen=True)
class GaussianLimit(Limit):
    """μ of a group."""

    mu: float

    @property
    def strength(self) -> float:
        """μ."""
        return self.mu

    def at(self, strength: float) -> GaussianLimit:
        """Another μ."""
        return GaussianLimit(strength)

    def delta(self, epsilon: ArrayLike) -> Floats:
        """Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)."""
        given = np.asarray(epsilon, dtype=np.float64)
        if not 0.0 < self.mu < np.inf:
            return np.full(given.shape, float(self.mu > 0))
        moved = given / self.mu
        found = ndtr(0.5 * self.mu - moved) - np.exp(given + log_ndtr(-0.5 * self.mu - moved))
        return np.asarray(np.maximum(found, 0.0))

    def tangent(self, wrong: ArrayLike) -> Floats:
        """−μ·(Φ⁻¹(wrong) + μ/2)."""
        rare = np.clip(np.asarray(wrong, dtype=np.float64), 1e-300, 0.5)
        return np.asarray(np.maximum(-self.mu * (ndtri(rare) + 0.5 * self.mu), 0.0))

    def shown_by(self, right: ArrayLike, wrong: ArrayLike) -> Floats:
        """Φ⁻¹(right) − Φ⁻¹(wrong); 0 where both are certain."""
        with np.errstate(invalid="ignore"):
            shown = np.asarray(ndtri(right) - ndtri(wrong))
        return np.where(np.isnan(shown), 0.0, shown)

    def gaussian(self) -> float:
        """μ."""
        return self.mu

    def lost_by(self, mu: float) -> float:
        """μ."""
        return mu


def lost_at(mu: Floats, leaked: ArrayLike) -> Floats:
    """The ε ≥ 0 from which on the curve of normal noise with shift μ is at most δ, for many at once."""
    delta = np.broadcast_to(np.asarray(leaked, dtype=np.float64), mu.shape)
    found = np.where((mu > 0) & ((mu == np.inf) | (delta <= 0)), np.inf, 0.0)
    places = np.flatnonzero((mu > 0) & (mu < np.inf) & (delta > 0))
    shift, below = mu[places], delta[places]
    low, high = np.zeros(places.size), shift * (shift / 2 + 39.0)  # there δ(ε) ≤ Φ(μ/2 − ε/μ) is no double but 0
    for _ in range(64 if places.size else 0):
        middle = 0.5 * (low + high)
        moved = middle / shift
        beyond = ndtr(0.5 * shift - moved) - np.exp(middle + log_ndtr(-0.5 * shift - moved)) <= below
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    found[places] = np.where(high <= shift * 1e-15, 0.0, high)
    return found


class GaussianDP(OfColumns):
    """User i loses at most what a shift of μ_i standard deviations tells.

    Args:
        mu: One number from 0 to inf for each user.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import GaussianDP
        >>> promise = GaussianDP([0.5, 1.0])
        >>> both = promise.group(np.array([0, 1]))
        >>> both.strength, round(float(both.delta(1.0)), 6)
        (1.5, 0.320392)
    """

    kind = "gaussian"
    symbol = "μ"

    def __init__(self, mu: ArrayLike) -> None:
        super().__init__(mu=column("mu", mu))

    def group(self, users: Users) -> GaussianLimit:
        """Σμ_i: one after another, each by a Gaussian shift more."""
        return GaussianLimit(float(self.strengths[users].sum()))
