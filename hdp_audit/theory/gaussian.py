"""Gaussian noise: what it adds to a given bias, exactly, and upper bounds for permuted data (ours).

N has independent N(0, σ²) coordinates. The law is even and log-concave, so the argument of `guarantee` holds as it does
for Laplace noise: P(‖A + N‖∞ ≤ α) is least and E‖A + N‖∞² largest at a vertex of the polytope of biases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from hdp_audit.theory.upper import concentration_factor

Floats = NDArray[np.float64]
Vertex = tuple[tuple[float, int], ...]
_HALVINGS = 60
_TAIL = 13.0  # in σ; what lies beyond weighs less than 1e-36


def outside_one(alpha: Floats, a: float, sigma: float) -> Floats:
    """P(|a + N| > α) = Q((α − a)/σ) + Q((α + a)/σ), Q the upper tail."""
    return np.asarray(np.minimum(special.ndtr((a - alpha) / sigma) + special.ndtr((-a - alpha) / sigma), 1.0))


def noise_quantile(k: int, beta: ArrayLike) -> Floats:
    """z_k(β): P(max of k |N(0, 1)| > z) = 1 − erf(z/√2)^k = β, so erfc(z/√2) = 1 − (1−β)^{1/k}."""
    share = -np.expm1(np.log1p(-np.asarray(beta, dtype=np.float64)) / k)
    return np.asarray(-special.ndtri(share / 2))


@dataclass(frozen=True)
class Gaussian:
    """Independent N(0, σ²) in each coordinate."""

    scale: float

    def quantile(self, vertex: Vertex, beta: float) -> float:
        """Exact: P(all |a_j + N_j| ≤ α) = Π P(|a_j + N_j| ≤ α), solved by bisection, the upper end returned."""
        largest, k = _largest(vertex), sum(count for _, count in vertex)
        if self.scale == 0:
            return largest
        low, high = 0.0, largest + self.scale * float(noise_quantile(k, beta)) * (1 + 1e-12)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            enough = float(self._outside(vertex, np.asarray(middle))) <= beta
            low, high = (low, middle) if enough else (middle, high)
        return high

    def square(self, vertex: Vertex) -> float:
        """Exact: a² + σ² for one coordinate, else ∫2α·P(‖A + N‖∞ > α)dα in panels of at most σ."""
        largest, k = _largest(vertex), sum(count for _, count in vertex)
        if k == 1 or self.scale == 0:
            return largest**2 + self.scale**2
        return self._moment(vertex, lambda alpha: 2 * alpha)

    def largest(self, k: int) -> float:
        """E max of k |N_j| = ∫P(max > α)dα."""
        return self._moment(((0.0, k),), np.ones_like)

    def _moment(self, vertex: Vertex, slope: Callable[[Floats], Floats]) -> float:
        """∫slope(α)·P(‖A + N‖∞ > α)dα."""
        nodes, mass = np.polynomial.legendre.leggauss(12)
        start = np.array([bias for bias, count in vertex if count])
        steps = self.scale * np.arange(-_TAIL, _TAIL + 1)
        edges = np.unique(np.maximum(np.concatenate([[0.0], *(bias + steps for bias in start)]), 0.0))
        half = 0.5 * np.diff(edges)[:, None]
        alpha = edges[:-1, None] + half * (nodes + 1)
        return float((slope(alpha) * self._outside(vertex, alpha) * half * mass).sum())

    def _outside(self, vertex: Vertex, alpha: Floats) -> Floats:
        inside = np.zeros(np.shape(alpha))
        with np.errstate(divide="ignore"):
            for bias, count in vertex:
                if count:
                    inside = inside + count * np.log1p(-outside_one(alpha, bias, self.scale))
        return np.asarray(-np.expm1(inside))


def _largest(vertex: Vertex) -> float:
    return max(bias for bias, count in vertex if count)


def correlated_pac(a: Floats, sigma: Floats, beta: float, biased: int, plain: int) -> Floats:
    """`Gaussian.quantile` for arrays: `biased` coordinates carry ±a, `plain` none; the upper end of the bracket."""
    safe = np.where(sigma > 0, sigma, 1.0)
    x = np.where(sigma > 0, a / safe, 0.0)
    low, high = np.zeros_like(x), x + noise_quantile(biased + plain, beta) * (1 + 1e-12)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        enough = _outside_some(middle, x, biased, plain) <= beta
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(np.where(sigma > 0, sigma * high, a))


def frequency_correlated_mse(a: Floats, sigma: Floats, biased: int, plain: int) -> Floats:
    """`Gaussian.square` for arrays: a² − ∫_{α<a} 2αF + ∫_{α>a} 2α(1 − F), F the product law; panels of width σ."""
    safe = np.where(sigma > 0, sigma, 1.0)
    x = np.where(sigma > 0, a / safe, 0.0)[..., None]
    nodes, weights = np.polynomial.legendre.leggauss(10)
    steps = (np.arange(-_TAIL, _TAIL)[:, None] + (nodes + 1) / 2).ravel()
    y = np.maximum(x + steps, 0.0)
    outside = _outside_some(y, x, biased, plain)
    part = 2 * y * np.where(steps < 0, outside - 1, outside) @ np.tile(weights / 2, int(2 * _TAIL))
    return np.asarray(np.where(sigma > 0, sigma**2 * (x[..., 0] ** 2 + part), a**2))


def _outside_some(y: Floats, x: Floats, biased: int, plain: int) -> Floats:
    """P(some |x_j + N_j| > y) at σ = 1."""
    with np.errstate(divide="ignore"):
        inside = biased * np.log1p(-np.minimum(special.ndtr(x - y) + special.ndtr(-x - y), 1.0))
        if plain:
            inside = inside + plain * np.log1p(-np.minimum(2 * special.ndtr(-y), 1.0))
    return np.asarray(-np.expm1(inside))


def weak_pac(spread: ArrayLike, sigma: ArrayLike, n: int, k: int, beta: float) -> Floats:
    """σ·min over y of y + h(y)v/2σ² + log(2k·Q(y)/β)/h(y), h = φ/Q, v = K_n‖w−u‖₂²/4 the permuted sum's proxy.

    Q is log-concave: Q(x) ≤ Q(y)e^{−h(y)(x−y)} for all x. With x = (α − A)/σ and E e^{λA} ≤ e^{λ²v/2},
    P(A + N > α) ≤ Q(y)·exp(h(y)(y − α/σ) + h(y)²v/2σ²); both signs, k coordinates. Every y gives a valid bound.
    """
    noise = np.asarray(sigma, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(noise > 0, concentration_factor(n) * np.asarray(spread) / (8 * noise**2), 0.0)[..., None]
    left, right = np.full_like(ratio, -3.0), np.full_like(ratio, 4.2)
    best = np.full(noise.shape, np.inf)
    for _ in range(4):
        logs = left + (right - left) * np.linspace(0, 1, 81)
        y = np.exp(logs)
        tail = special.log_ndtr(-y)
        hazard = np.exp(-(y**2) / 2 - tail) / np.sqrt(2 * np.pi)
        values = y + hazard * ratio + (np.log(2 * k / beta) + tail) / hazard
        at = np.argmin(values, axis=-1)[..., None]
        best = np.minimum(best, np.take_along_axis(values, at, -1)[..., 0])
        left, right = (np.take_along_axis(logs, np.clip(at + step, 0, 80), -1) for step in (-1, 1))
    return np.asarray(np.where(noise > 0, noise * best, np.inf))


def frequency_weak_mse(a: ArrayLike, spread: ArrayLike, sigma: ArrayLike, n: int, k: int) -> Floats:
    """V + 2√V·σ·E max|N| + σ²·E max N², V = min(a², (1−1/k)²·n/(n−1)·‖w−u‖₂²): A and N are independent."""
    moved = np.minimum(np.asarray(a) ** 2, (1 - 1 / k) ** 2 * n / max(n - 1, 1) * np.asarray(spread))
    noise, unit = np.asarray(sigma), Gaussian(1.0)
    cross = 2 * np.sqrt(moved) * noise * unit.largest(k)
    return np.asarray(moved + cross + noise**2 * unit.square(((0.0, k),)))
