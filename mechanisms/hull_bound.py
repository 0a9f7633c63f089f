"""Worst-case error of hull noise around c (ours): one entry biased by −(1−c)D, all others by cD, D the missing weight.

The bias ranges over the hull of the k vertices cD·1 − D·e_j; P(‖A + v‖∞ ≤ α) is log-concave in A and E‖A + v‖∞²
convex, so both are worst at a vertex. There a union bound over entries, each with its exact law: v_j is Laplace(b)
given that all k of them sum to 0.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaincc, gammaln

from mechanisms.demands import Floats

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_REACH = 80.0  # in units of b; the tail is below e^{−80} there
_TERMS = 800  # ω falls by half or more each time: what is left out is below 2^{−800} of the whole
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(48)
_SHARES = np.linspace(0.0, 1.0, 17)


def mixture_weights(outputs: int) -> Floats:
    """ω_i with P(v_j > y) = Σω_i·Q(i+1, 2y), Σω = ½: the sum of m Laplace(1) has density e^{−|v|}·Σ c_{m,i}|v|^i.

    c_{m,i} = (2m−2−i)!/((m−1)!·i!·(m−1−i)!·2^{2m−1−i}), and the marginal is ½e^{−|v|} times that for m = k − 1,
    normalised.
    """
    m = outputs - 1
    i = np.arange(min(m, _TERMS))
    log_c = gammaln(2 * m - 1 - i) - gammaln(m) - gammaln(i + 1) - gammaln(m - i) - (2 * m - 1 - i) * np.log(2.0)
    log_weight = log_c + gammaln(i + 1) - (i + 2) * np.log(2.0)
    weight = np.exp(log_weight - log_weight.max())
    return 0.5 * weight / weight.sum()


@lru_cache(maxsize=16)
def _log_tail(outputs: int) -> CubicSpline:
    """log P(v_j > y) for y from 0 to 80, interpolated to better than 10⁻⁹."""
    from scipy.interpolate import CubicSpline  # slow to load

    y = np.concatenate([np.arange(0.0, 10.0, 0.01), np.arange(10.0, _REACH + 0.05, 0.05)])
    tail = sum(weight * gammaincc(i + 1, 2.0 * y) for i, weight in enumerate(mixture_weights(outputs)))
    return CubicSpline(y, np.log(np.maximum(tail, 1e-300)))


def _exceeds(alpha: Floats, bias: Floats, outputs: int) -> Floats:
    """P(|bias + v_j| > α) in units of b."""
    spline = _log_tail(outputs)

    def tail(y: Floats) -> Floats:
        size = np.abs(y)
        far = np.where(size < _REACH, np.exp(spline(np.minimum(size, _REACH))), 0.0)
        return np.where(y >= 0, far, 1.0 - far)

    return tail(alpha - bias) + tail(alpha + bias)


def _union(alpha: Floats, x: Floats, share: Floats, outputs: int) -> Floats:
    most = _exceeds(alpha, (1.0 - share) * x, outputs)
    return most + (outputs - 1) * _exceeds(alpha, share * x, outputs)


def _level_set(x: Floats, share: Floats, outputs: int, probability: float) -> Floats:
    """The α at which the union bound falls to the given probability."""
    low = np.zeros_like(x * share)
    high = np.maximum(share, 1.0 - share) * x + np.log(2.0 * outputs / probability) + 5.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        reached = _union(middle, x, share, outputs) <= probability
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high


def hull_error(missing: Floats, scale: Floats, share: Floats, outputs: int, beta: float | None) -> Floats:
    """The (1−β)-quantile bound, or for β = None the mean square ∫2α·min(1, U(α))dα; `share` is c."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(scale > 0, missing / scale, 0.0)
    noiseless = np.maximum(share, 1.0 - share) * missing
    if beta is not None:
        return np.where(scale > 0, scale * _level_set(x, share, outputs, beta), noiseless)
    # Up to here the union is 1 for all that matters; taking it as 1 keeps the bound.
    start = _level_set(x, share, outputs, 1.0 - 1e-6)
    # The laws have kinks where α meets a bias: integrate piece by piece.
    first, last = np.maximum(start, share * x), np.maximum(start, (1.0 - share) * x)
    edges = (start, first, last, last + 45.0 + np.log(outputs))
    total = start**2
    for low, high in pairwise(edges):
        some = high > low  # most pieces are empty
        alpha = low[some][..., None] + 0.5 * (high - low)[some][..., None] * (_NODES + 1.0)
        beyond = np.minimum(_union(alpha, x[some][..., None], share[some][..., None], outputs), 1.0)
        height = np.zeros((*x.shape, _NODES.size))
        height[some] = 2.0 * alpha * beyond
        total = total + 0.5 * (high - low) * (height @ _NODE_WEIGHTS)
    return np.where(scale > 0, scale**2 * total, noiseless**2)


def best_share(missing: Floats, scale: Floats, outputs: int, beta: float | None, zooms: int) -> tuple[Floats, Floats]:
    """(error, c) at the best c in [0, ½], by zooming."""
    low, high = np.zeros_like(missing), np.full_like(missing, 0.5)
    rows = np.arange(missing.size)
    best, error = np.full_like(missing, 0.5), np.full_like(missing, np.inf)
    for _ in range(zooms):
        shares = low[:, None] + (high - low)[:, None] * _SHARES
        values = hull_error(missing[:, None] + 0.0 * shares, scale[:, None] + 0.0 * shares, shares, outputs, beta)
        at = values.argmin(axis=1)
        better = values[rows, at] < error
        best, error = np.where(better, shares[rows, at], best), np.where(better, values[rows, at], error)
        low, high = shares[rows, np.maximum(at - 1, 0)], shares[rows, np.minimum(at + 1, _SHARES.size - 1)]
    return error, best


# Where tangents of log P(v_j > y) are taken, in units of b.
_TANGENTS = np.concatenate([np.linspace(-2.0, 0.0, 4), np.linspace(0.4, 9.0, 16), [12.0, 20.0, 40.0]])


@lru_cache(maxsize=16)
def _tangents(outputs: int) -> tuple[Floats, Floats]:
    """(λ, h) with log P(v_j > y) ≤ h − λy for every y, as the tail is log-concave; in units of b."""
    spline = _log_tail(outputs)
    size = np.abs(_TANGENTS)
    slope, far = -spline(size, 1), np.exp(spline(size))
    # On the left P(v > −y) = 1 − P(v > y), and the density is the same.
    beyond = np.where(_TANGENTS >= 0, far, 1.0 - far)
    rates = slope * far / beyond
    return rates, np.log(beyond) + rates * _TANGENTS


def permuted_error(proxy: Floats, scale: Floats, outputs: int, beta: float | None) -> Floats:
    """Simplex weights, hull noise, permuted data: the quantile bound, or for β = None that of the mean square.

    P(|A_j + v_j| > α) ≤ 2·exp(h − λα/b + λ²V/8b²) for every tangent, V = `proxy` = K_n‖w − 1/n‖₂²; all k together are
    below β from α = b(log(2k/β) + h)/λ + λV/8b on, and ∫2α·min(1, ·)dα = α₀² + 2α₀b/λ + 2(b/λ)² with α₀ that of β = 1.
    """
    rates, heights = _tangents(outputs)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = scale[..., None] / rates
        moved = proxy[..., None] / (8.0 * reach)
        start = reach * (np.log(2.0 * outputs / (1.0 if beta is None else beta)) + heights) + moved
        found = start if beta is not None else start**2 + 2.0 * reach * start + 2.0 * reach**2
    return np.where(scale > 0, np.nan_to_num(found, nan=np.inf).min(axis=-1), np.inf)


@lru_cache(maxsize=16)
def _plain_square(outputs: int) -> float:
    """The bound on E‖v‖∞² in units of b."""
    one = np.ones(1)
    return float(hull_error(0.0 * one, one, 0.5 * one, outputs, None)[0])


def joined_square(spread: Floats, scale: Floats, users: int, outputs: int) -> Floats:
    """The same by Minkowski: ((1 − 1/k)√(n/(n−1))·‖w − 1/n‖₂ + √E‖v‖∞²)²; better where noise is the smaller part."""
    moved = (1.0 - 1.0 / outputs) * np.sqrt(users / max(users - 1, 1)) * spread
    return np.asarray((moved + scale * np.sqrt(_plain_square(outputs))) ** 2)
