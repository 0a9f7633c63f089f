"""The explicit upper bounds of `sharp` for vectors in the unit ball, errors in ℓ2 and Gaussian noise (ours).

The ball has diameter 2, so the largest bias is ‖w − 1/n‖₁, twice that of a mean in [0, 1]; around the centre it is the
missing weight. P(‖A + N‖₂ ≤ α) depends on A through its length alone and falls with it (Anderson). d = biased + free.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaincc, gammainccinv, ndtr

from mechanisms.demands import Floats
from mechanisms.sharp import permutation_factor

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def typical_maximum(count: int, beta: float | None) -> float:
    """The (1−β)-quantile of ‖N(0, I_d)‖₂, or √d, its root mean square."""
    return float(np.sqrt(2.0 * gammainccinv(0.5 * count, beta) if beta is not None else count))


def worst_quantile(bias: Floats, scale: Floats, beta: float, biased: int, free: int) -> Floats:
    """The (1−β)-quantile of ‖A + N‖₂ at the largest bias, right to 10⁻⁴ of itself: enough to choose a level."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(scale > 0, 2.0 * bias / scale, 0.0)
    return np.where(scale > 0, scale * (x + _gap(biased + free, beta)(x / (1.0 + x))), 2.0 * bias)


@lru_cache(maxsize=8)  # a search over the level asks for thousands of biases
def _gap(d: int, beta: float) -> CubicSpline:
    """q(x) − x as a function of x/(1 + x), q the quantile of ‖(x, 0, …) + N‖₂ at σ = 1."""
    from scipy.interpolate import CubicSpline  # slow to load

    share = np.linspace(0.0, 1.0, 193)
    x = share / np.maximum(1.0 - share, 1e-6)
    low, high = np.zeros_like(x), x + typical_maximum(d, beta)
    reach = 7.0 + float(np.sqrt(-2.0 * np.log(beta)))  # beyond it lies less than a billionth of β
    for _ in range(42):
        middle = 0.5 * (low + high)
        reached = _outside(middle, x, d, reach) <= beta
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return CubicSpline(share, high - x)


def _outside(y: Floats, x: Floats, d: int, reach: float) -> Floats:
    """P((x + N₁)² + χ²_{d−1} > y²): N₁ below −y − x or above y − x, or in between and the other d − 1 large."""
    tails = np.asarray(ndtr(x - y) + ndtr(-y - x))
    if d == 1:
        return tails
    start = np.clip(-y - x, -reach, reach)
    half = 0.5 * (np.clip(y - x, -reach, reach) - start)[:, None]
    z = start[:, None] + half * (_NODES + 1.0)
    room = np.maximum((y - x)[:, None] - z, 0.0) * np.maximum((y + x)[:, None] + z, 0.0)
    density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    return np.asarray(tails + (gammaincc(0.5 * (d - 1), 0.5 * room) * density * half * _WEIGHTS).sum(axis=1))


def worst_square(bias: Floats, scale: Floats, biased: int, free: int) -> Floats:
    """a² + dσ², a = ‖w − 1/n‖₁: exact before the answer is moved into the ball."""
    return 4.0 * bias**2 + (biased + free) * scale**2


def tilted_quantile(spread: Floats, scale: Floats, users: int, outputs: int, beta: float) -> Floats:
    """√((K_n‖w − 1/n‖₂² + σ²)·τ), where (d/2)(log(τ/d) + 1) − τ/2 = log β: weakly correlated, in one step.

    In every direction the permuted sum is sub-Gaussian with variance proxy K_n‖w − 1/n‖₂² (entries in [−1, 1]), so
    with the noise X is with s. Then E exp(η‖X‖²/2s) ≤ (1 − η)^{−d/2}: integrate e^⟨λ, X⟩ over λ ~ N(0, η/s·I).
    Markov at the best η, 1 − d/τ.
    """
    proxy = permutation_factor(users) * spread**2 + scale**2
    return np.sqrt(proxy * chernoff_chi_square(outputs, beta))


def chernoff_chi_square(d: int, beta: float) -> float:
    """The τ > d with (τ/d)^{d/2}·e^{(d−τ)/2} = β, from above."""
    low, high = float(d), float(d - 4.0 * np.log(beta) + 2.0 * np.sqrt(-2.0 * d * np.log(beta)))
    for _ in range(200):
        middle = 0.5 * (low + high)
        small = 0.5 * d * (np.log(middle / d) + 1.0) - 0.5 * middle <= np.log(beta)
        low, high = (low, middle) if small else (middle, high)
    return high


def permuted_square(spread: Floats, scale: Floats, users: int, outputs: int) -> Floats:
    """‖w − 1/n‖₂²·n/(n−1) + dσ²: E‖A‖² = ‖w − 1/n‖₂²·Σ‖x − x̄‖²/(n−1), which is at most n/(n−1)."""
    return spread**2 * users / max(users - 1, 1) + outputs * scale**2
