"""The explicit upper bounds of `sharp` for Gaussian noise: the same names, arguments and order, `scale` being σ.

The argument is the same: the Gaussian density is log-concave and even, so P(‖A + N‖∞ ≤ α) is least, and E‖A + N‖∞² as a
convex function of A largest, at a vertex of the polytope of biases. Only the tails are others.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from mechanisms.demands import Floats
from mechanisms.sharp import around, largest_sample_variance, least_split, nodes, permutation_factor

_REACH = 12.0  # P(|N| > 12) < 4e-33: beyond this the tail is below a double's resolution, whatever it is multiplied by


def _log_within(y: Floats, x: Floats) -> Floats:
    """log P(|x + N| ≤ y): 1 − Φ(x − y) − Φ(−x − y) where y ≥ x, a difference of two small tails below."""
    near, far = log_ndtr(y - x), log_ndtr(-y - x)
    with np.errstate(divide="ignore"):
        inside = near + np.log(-np.expm1(np.minimum(far - near, 0.0)))
        beyond = np.log1p(-np.minimum(ndtr(x - y) + ndtr(-x - y), 1.0))
    return np.where(y >= x, beyond, inside)


def _log_cdf(y: Floats, x: Floats, biased: int, free: int) -> Floats:
    rest = free * _log_within(y, np.zeros_like(y)) if free else 0.0
    return biased * _log_within(y, x) + rest


def largest_of_normals(count: int, beta: Floats | float) -> Floats:
    """z_k(β) = −Φ⁻¹((1 − (1−β)^{1/k})/2): the exact (1−β)-quantile of the largest of k |N(0, 1)|."""
    return np.asarray(-ndtri(-0.5 * np.expm1(np.log1p(-np.asarray(beta)) / count)))


def typical_maximum(count: int, beta: float | None) -> float:
    """z_k(β), or for the squared error the root mean square of the largest of k |N(0, 1)| (1 for k = 1)."""
    if beta is not None:
        return float(largest_of_normals(count, beta))
    return float(np.sqrt(worst_square(np.zeros(1), np.ones(1), 1, count - 1)[0]))


def mean_maximum(count: int) -> float:
    """E of the largest of k |N(0, 1)|: ∫P(some |N_j| > y)dy; √(2/π) for k = 1."""
    y, dy = nodes(np.zeros(1), np.full(1, _REACH))
    return float((-np.expm1(_log_cdf(y, np.zeros_like(y), count, 0)) * dy).sum())


def worst_quantile(bias: Floats, scale: Floats, beta: float, biased: int, free: int) -> Floats:
    """The (1−β)-quantile of ‖A + N‖∞ at the worst vertex, exact before clipping."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(scale > 0, bias / scale, 0.0)
    low, high = np.zeros_like(x), x + largest_of_normals(biased + free, beta)
    target = np.log1p(-beta)
    for _ in range(64):
        middle = 0.5 * (low + high)
        reached = _log_cdf(middle, x, biased, free) >= target
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return np.where(scale > 0, scale * high, bias)


def worst_square(bias: Floats, scale: Floats, biased: int, free: int) -> Floats:
    """E‖A + N‖∞² at the worst vertex, exact before clipping: ∫2α·P(‖A + N‖∞ > α)dα (a mean: a² + σ²)."""
    if biased + free == 1:
        return bias**2 + scale**2
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(scale > 0, bias / scale, 0.0)
    y, dy = nodes(np.maximum(x - _REACH, 0.0), x)
    inside = (2.0 * y * np.exp(_log_cdf(y, x[:, None], biased, free)) * dy).sum(axis=1)
    y, dy = nodes(x, x + _REACH)
    beyond = (2.0 * y * -np.expm1(_log_cdf(y, x[:, None], biased, free)) * dy).sum(axis=1)
    return np.where(scale > 0, scale**2 * (x**2 - inside + beyond), bias**2)


def split_quantile(spread: Floats, scale: Floats, users: int, outputs: int, beta: float) -> Floats:
    """min over β₁ + β₂ = β of ‖w − 1/n‖₂·√(K_n·log(2k/β₁)/2) + σ·z_k(β₂): weakly correlated, by a union bound."""
    return least_split(spread, scale, users, outputs, beta, largest_of_normals)


def tilted_quantile(spread: Floats, scale: Floats, users: int, outputs: int, beta: float) -> Floats:
    """σ·min over y of y + h·v/2σ² + log(2k·Q(y)/β)/h (ours): weakly correlated, noise and permutation in one step.

    The normal tail Q is log-concave, so Q(x) ≤ Q(y)e^{−h(x−y)} with h = φ(y)/Q(y); the permuted sum A is sub-Gaussian
    with variance proxy v = K_n‖w − 1/n‖₂²/4. So P(A_j + N_j > α) ≤ Q(y)·exp(h(y − α/σ) + h²v/2σ²) for every y; both
    signs and a union bound over k outputs. At v = 0 that is the noise's own quantile.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(scale > 0, 0.125 * permutation_factor(users) * (spread / scale) ** 2, 0.0)[:, None]
    low, high, best = np.full(share.shape[0], -4.0), np.full(share.shape[0], 4.0), np.full(share.shape[0], np.inf)
    for _ in range(5):
        logs = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, 33)
        y = np.exp(logs)
        tail = log_ndtr(-y)
        hazard = np.exp(-0.5 * (y**2 + np.log(2.0 * np.pi)) - tail)
        values = y + hazard * share + (np.log(2.0 * outputs / beta) + tail) / hazard
        best = np.minimum(best, values.min(axis=1))
        low, high = around(logs, values.argmin(axis=1))
    return np.where(scale > 0, scale * best, np.inf)


def permuted_square(spread: Floats, scale: Floats, users: int, outputs: int) -> Floats:
    """V + 2√V·σ·E max|N| + σ²·E max N², V = (1−1/k)²·n/(n−1)·‖w − 1/n‖₂²: A and N are independent, ΣA_j = 0.

    A mean has ‖w − 1/n‖₂²·S²_max + σ², which is exact.
    """
    if outputs == 1:
        return spread**2 * largest_sample_variance(users) + scale**2
    root = (1.0 - 1.0 / outputs) * np.sqrt(users / max(users - 1, 1)) * spread
    noise = 2.0 * root * scale * mean_maximum(outputs) + (scale * typical_maximum(outputs, None)) ** 2
    return root**2 + noise
