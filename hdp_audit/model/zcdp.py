"""Zero-concentrated differential privacy: Rényi divergences of every order α are at most ρα.

For every α > 1 an event then keeps P(S) − e^ε·Q(S) ≤ e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1). The best α at ε satisfies
ε = (2α−1)ρ + log(1−1/α), which rises with α; so α tells ε in closed form, and is found from it in a table. Any α gives
a δ that holds, so what the table leaves open costs no soundness.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.model.columns import column
from hdp_audit.model.promise import Limit, OfColumns

Floats = NDArray[np.float64]
Users = NDArray[np.int64]

ORDERS = np.linspace(-1.0, 1.0, 3001) * np.log(1e9)  # log(α − 1)


@dataclass(frozen=True)
class ConcentratedLimit(Limit):
    """ρ = root²/2 of a group; the root is the μ of Gaussian noise that loses ρ."""

    root: float

    @property
    def strength(self) -> float:
        """√(2ρ)."""
        return self.root

    @property
    def rho(self) -> float:
        """ρ."""
        return 0.5 * self.root**2

    @property
    def shown(self) -> float:
        """ρ."""
        return self.rho

    def at(self, strength: float) -> ConcentratedLimit:
        """Another ρ."""
        return ConcentratedLimit(strength)

    def delta(self, epsilon: ArrayLike) -> Floats:
        """The infimum over α, at most 1."""
        given = np.asarray(epsilon, dtype=np.float64)
        if not 0.0 < self.rho < np.inf:
            return np.full(given.shape, float(self.rho > 0))
        best, _ = _table(self.root)
        more = np.exp(np.interp(given, best, ORDERS))
        return np.asarray(np.exp(np.minimum(_log_delta(self.rho, more, given), 0.0)))

    def tangent(self, wrong: ArrayLike) -> Floats:
        """−dδ/d(e^ε) = (α−1)·δ·e^−ε, which falls as α rises."""
        rare = np.log(np.clip(np.asarray(wrong, dtype=np.float64), 1e-300, 0.5))
        if not 0.0 < self.rho < np.inf:
            return np.zeros(rare.shape)
        best, rarity = _table(self.root)
        return np.asarray(np.maximum(np.interp(-rare, -rarity, best), 0.0))

    def shown_by(self, right: ArrayLike, wrong: ArrayLike) -> Floats:
        """√(−2·log wrong) − √(−2·log right): the largest over α of what right^α·wrong^(1−α) ≤ e^((α−1)αρ) asks for."""
        rarities = (np.sqrt(-2.0 * np.log(np.clip(rate, 1e-300, 1.0))) for rate in (wrong, right))
        return np.asarray(np.subtract(*rarities))

    def gaussian(self) -> float:
        """√(2ρ): normal noise loses exactly ρ = μ²/2."""
        return self.root

    def lost_by(self, mu: float) -> float:
        """μ."""
        return mu


@lru_cache(maxsize=4096)
def _table(root: float) -> tuple[Floats, Floats]:
    """For each order the ε at which it is best, and the logarithm of how rare the best event is there."""
    more, rho = np.exp(ORDERS), 0.5 * root**2
    best = (2.0 * more + 1.0) * rho - np.log1p(1.0 / more)
    rarity = ORDERS + _log_delta(rho, more, best) - best
    return best, np.minimum.accumulate(rarity)


def _log_delta(rho: float, more: Floats, epsilon: Floats) -> Floats:
    """For α = 1 + more."""
    alpha = 1.0 + more
    return np.asarray(more * (alpha * rho - epsilon) - alpha * np.log1p(1.0 / more) - np.log(more))


class ZCDP(OfColumns):
    """User i loses at most ρ_i: zero-concentrated differential privacy.

    Args:
        rho: One number from 0 to inf for each user.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import ZCDP
        >>> promise = ZCDP([0.5, 0.125])
        >>> both = promise.group(np.array([0, 1]))
        >>> round(promise.parameter(both.strength), 6)  # (√0.5 + √0.125)²
        1.125
    """

    kind = "zcdp"
    symbol = "ρ"

    def __init__(self, rho: ArrayLike) -> None:
        super().__init__(rho=column("rho", rho))
        self._roots = column("rho", np.sqrt(2.0 * super().strengths))

    @property
    def strengths(self) -> Floats:
        """√(2ρ_i), which add up: a group keeps (Σ√ρ_i)²."""
        return self._roots

    def parameters(self, strengths: Floats) -> Floats:
        """ρ."""
        return np.asarray(0.5 * strengths**2)

    def group(self, users: Users) -> ConcentratedLimit:
        """(Σ√ρ_i)²."""
        return ConcentratedLimit(float(self._roots[users].sum()))
