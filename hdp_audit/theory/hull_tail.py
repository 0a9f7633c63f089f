"""The exact one-coordinate tail of hull noise (ours), for any number of categories, as a table.

In units of the scale 2t, v_j is one of k independent Laplace(1) numbers given that their sum is 0: its density is
g(v) = ½e^{−|v|}·h_{k−1}(v)/h_k(0), h_m the density of a sum of m of them, e^{−|v|} times a polynomial of degree m − 1.
Hence |v_j| is a mixture of Gamma(i + 1, rate 2), and with Q the regularised upper incomplete gamma function

    T(y) = P(v_j > y) = Σ_{i<k−1} ω_i·Q(i + 1, 2y),  ω_0 = (k−1)/(2(2k−3)),  ω_{i+1} = ω_i·(k−2−i)/(2k−4−i),  Σω = ½.

Q(i + 1, z) = Σ_{j≤i} e^{−z}z^j/j!, so T(y) = e^{−z}Σ_j z^j/j!·Ω_j with Ω_j = Σ_{i≥j} ω_i, all terms positive; each
integral from y on sums the coefficients from the far end once more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Curve = Callable[[Floats], Floats]
# ω falls at least by half each time: what is left out after 400 terms is below 1e-120 of the whole.
_TERMS = 400
_STEP = 1 / 32
_LAST = 120.0


def mixture(k: int) -> Floats:
    """ω_0, ω_1, ...: how often |v_j| is Gamma(i + 1, rate 2), each side of 0 apart; k ≥ 2."""
    i = np.arange(min(k - 1, _TERMS) - 1, dtype=np.float64)
    return np.cumprod(np.concatenate([[(k - 1) / (2 * (2 * k - 3))], (k - 2 - i) / (2 * k - 4 - i)]))


@dataclass(frozen=True, eq=False)
class HullTail:
    """T and its integrals T₁(y) = E(v − y)₊, T₂(y) = ½E(v − y)₊², each within a factor 1 ± `error` for every real y.

    Beyond the table's last point they are bounded by the tangent of their logarithm there: T is log-concave as the
    density is (Prékopa), and so are its integrals, hence each logarithm lies below its tangents.
    """

    k: int
    logs: tuple[Curve, Curve, Curve]
    log_density: Curve
    last_slopes: tuple[float, float, float]
    error: float = 1e-8

    def _right(self, order: int, y: Floats) -> Floats:
        size = np.abs(y)
        near = np.minimum(size, _LAST)
        return np.asarray(np.exp(self.logs[order](near) + self.last_slopes[order] * (size - near)))

    def density(self, y: Floats) -> Floats:
        """g(y), for searches only."""
        return np.asarray(np.exp(self.log_density(np.minimum(np.abs(y), _LAST))))

    def beyond(self, y: Floats) -> Floats:
        """T(y) = P(v > y); T(−y) = 1 − T(y)."""
        right = self._right(0, y)
        return np.where(y >= 0, right, 1 - right)

    def first(self, y: Floats) -> Floats:
        """T₁(y) = ∫_y^∞ T; T₁(−y) = y + T₁(y)."""
        return self._right(1, y) + np.maximum(-y, 0.0)

    def second(self, y: Floats) -> Floats:
        """T₂(y) = ∫_y^∞ T₁; T₂(−y) = 2T₂(0) + y²/2 − T₂(y)."""
        right = self._right(2, y)
        return np.where(y >= 0, right, 2 * self._right(2, np.zeros(1))[0] + y**2 / 2 - right)

    def quantile(self, level: float) -> float:
        """Some y, good to 1e-9, with T(y) ≤ level; about 0 for level ≥ ½."""
        low, high = 0.0, _LAST
        while not self._reaches(high, level):
            low, high = high, 2 * high
        for _ in range(37):
            middle = (low + high) / 2
            low, high = (low, middle) if self._reaches(middle, level) else (middle, high)
        return high

    def _reaches(self, y: float, level: float) -> bool:
        return bool(self.beyond(np.array([y]))[0] * (1 + self.error) <= level)


@lru_cache(maxsize=32)
def hull_tail(k: int) -> HullTail:
    """Tables of log T, log T₁, log T₂ with step 1/32: cubic Hermite interpolation from exact values and slopes."""
    y = np.arange(0.0, _LAST + _STEP, _STEP)
    coefficients = mixture(k)
    values = []
    for order in range(3):
        coefficients = np.cumsum(coefficients[::-1])[::-1]
        values.append(_poisson_sum(coefficients, 2 * y) - order * np.log(2))
    # The density −T' is 2e^{−z}Σ z^j/j!·ω_j.
    density = _poisson_sum(mixture(k), 2 * y) + np.log(2)
    slopes = [-np.exp(density - values[0])] + [-np.exp(values[i] - values[i + 1]) for i in range(2)]
    from scipy import interpolate  # slow to load

    curves = [interpolate.CubicHermiteSpline(y, value, slope) for value, slope in zip(values, slopes, strict=True)]
    last = (float(slopes[0][-1]), float(slopes[1][-1]), float(slopes[2][-1]))
    return HullTail(k, (curves[0], curves[1], curves[2]), interpolate.CubicSpline(y, density), last)


def _poisson_sum(coefficients: Floats, z: Floats) -> Floats:
    """log Σ_j e^{−z}z^j/j!·C_j for positive C."""
    j = np.arange(coefficients.size)
    logs = special.xlogy(j, z[:, None]) - special.gammaln(j + 1) + np.log(coefficients)
    return np.asarray(special.logsumexp(logs, axis=1)) - z
