"""The noises of the catalog: what each adds to a given bias, as a quantile and as a mean square.

A vertex lists (|bias|, number of coordinates with it). Laplace noise is exact; hull noise a union bound over exact
marginals; sampling and local noise are bounded by their moment-generating functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.hull_tail import HullTail, hull_tail
from hdp_audit.theory.upper import log_inside, noise_quantile

Floats = NDArray[np.float64]
Vertex = tuple[tuple[float, int], ...]
_HALVINGS = 60


@runtime_checkable
class Noise(Protocol):
    """What a guarantee asks of a noise."""

    def quantile(self, vertex: Vertex, beta: float) -> float:
        """At least the (1−β)-quantile of ‖A + N‖∞ at the vertex."""
        ...

    def square(self, vertex: Vertex) -> float:
        """At least E‖A + N‖∞² at the vertex."""
        ...


@dataclass(frozen=True)
class Laplace:
    """Independent Laplace(b) in each coordinate."""

    scale: float

    def quantile(self, vertex: Vertex, beta: float) -> float:
        """Exact: P(all |a_j + N_j| ≤ α) = Π P(|a_j + N_j| ≤ α)."""
        high = _largest(vertex) + self.scale * float(noise_quantile(_count(vertex), beta)) * (1 + 1e-12)
        return _crossing(lambda alpha: -np.expm1(self._log_within(vertex, alpha)), beta, high)

    def square(self, vertex: Vertex) -> float:
        """Exact: a² + 2b² for one coordinate, else ∫2α·P(‖A + N‖∞ > α)dα in panels of at most b."""
        a, b, k = _largest(vertex), self.scale, _count(vertex)
        if k == 1 or b == 0:
            return a**2 + 2 * b**2
        nodes, mass = np.polynomial.legendre.leggauss(12)
        biases = np.array([bias for bias, _ in vertex])
        panels = [np.maximum(biases + b * step, 0.0) for step in np.arange(-45.0, 47.0 + np.ceil(np.log(k)))]
        edges = np.unique(np.concatenate([[0.0], *panels]))
        edges = edges[edges <= a + b * (46.0 + np.log(k))]
        half = 0.5 * np.diff(edges)[:, None]
        alpha = edges[:-1, None] + half * (nodes + 1)
        outside = -np.expm1(self._log_within(vertex, alpha))
        return float((2 * alpha * outside * half * mass).sum())

    def _log_within(self, vertex: Vertex, alpha: Floats) -> Floats:
        b = np.asarray(self.scale)
        total = np.zeros(np.shape(alpha))
        for bias, count in vertex:
            if count:
                total = total + count * log_inside(alpha, np.asarray(bias), b)
        return total


@dataclass(frozen=True)
class Hull:
    """Density ∝ exp(−‖v‖₁/b) on Σv = 0: each coordinate is Laplace(b) given that all sum to 0."""

    scale: float
    categories: int

    @cached_property
    def _tail(self) -> HullTail:
        return hull_tail(self.categories)

    def quantile(self, vertex: Vertex, beta: float) -> float:
        """The smallest α at which the union bound is at most β."""
        if self.scale == 0:
            return _largest(vertex)
        high = _largest(vertex) + self.scale * self._tail.quantile(beta / (2 * _count(vertex)))
        return _crossing(lambda alpha: self._union(self._tail.beyond, vertex, alpha), beta, high)

    def square(self, vertex: Vertex) -> float:
        """∫2α·min(1, U(α))dα = α₀² + ∫_{α₀}^∞ 2αU dα where U(α₀) = 1, by the tail's two integrals."""
        if self.scale == 0:
            return _largest(vertex) ** 2
        start = self.quantile(vertex, 1.0)
        y0 = start / self.scale
        rest = self._union(lambda y: y0 * self._tail.first(y) + self._tail.second(y), vertex, np.asarray(start))
        return float(start**2 + 2 * self.scale**2 * rest)

    def _union(self, curve: Callable[[Floats], Floats], vertex: Vertex, alpha: Floats) -> Floats:
        total = np.zeros(np.shape(alpha))
        for bias, count in self._distinct(vertex):
            ends = (np.atleast_1d(alpha - bias) / self.scale, np.atleast_1d(alpha + bias) / self.scale)
            total = total + count * (curve(ends[0]) + curve(ends[1])).reshape(np.shape(alpha))
        return total * (1 + self._tail.error)

    def _distinct(self, vertex: Vertex) -> Vertex:
        """With two categories v₂ = −v₁: equal biases of opposite sign err alike, and one of them counts."""
        used = tuple(part for part in vertex if part[1])
        if self.categories == 2 and max(bias for bias, _ in used) - min(bias for bias, _ in used) <= 1e-15:
            return ((used[0][0], 1),)
        return used


@dataclass(frozen=True, eq=False)
class Sampled:
    """SM: user i's weight is B_i/P, B_i ~ Bernoulli(p_i), P = Σp; on top Laplace(b) in each coordinate."""

    chances: Floats
    scale: float

    @cached_property
    def _size(self) -> float:
        return float(self.chances.sum())

    @property
    def variance(self) -> float:
        """Σp(1−p)/P²: the most that sampling adds to a coordinate, or to all of them together."""
        return float((self.chances * (1 - self.chances)).sum()) / self._size**2

    def quantile(self, vertex: Vertex, beta: float) -> float:
        """Chernoff: α = a + min_λ log(k(M(λ) + M(−λ))/((1 − λ²b²)β))/λ, M the sampling's moment function."""
        if self.scale == 0 and self.variance == 0:
            return _largest(vertex)
        reach = 1 / self.scale if self.scale > 0 else 50 * self._size
        best = np.inf
        for rate in reach * np.geomspace(1e-4, 0.999, 60):
            sides = np.logaddexp(self._log_moment(rate), self._log_moment(-rate))
            noise = -np.log1p(-((rate * self.scale) ** 2))
            best = min(best, (sides + noise + np.log(_count(vertex) / beta)) / rate)
        return _largest(vertex) + best

    def _log_moment(self, rate: float) -> float:
        """log E exp(λΣ(B_i − p_i)/P): all users in one category is the worst, as each factor is at least 1."""
        step = rate / self._size
        with np.errstate(divide="ignore"):
            mixture = np.logaddexp(np.log1p(-self.chances), np.log(self.chances) + step)
        return float((mixture - self.chances * step).sum())

    def square(self, vertex: Vertex) -> float:
        """A mean: bias² + variances, as cross terms vanish. Frequencies: Minkowski, E‖S‖∞² ≤ ΣE S_j² ≤ `variance`."""
        a, k = _largest(vertex), _count(vertex)
        if k == 1:
            return a**2 + self.variance + 2 * self.scale**2
        noise = Laplace(self.scale).square(((0.0, k),))
        return float((a + np.sqrt(self.variance) + np.sqrt(noise)) ** 2)


@dataclass(frozen=True, eq=False)
class NoisyMessages:
    """LDP, means: user i's message carries Laplace(w_i/ℓ_i); weights and losses of those who add noise."""

    weights: Floats
    losses: Floats

    def quantile(self, vertex: Vertex, beta: float) -> float:
        """The bias plus Chernoff's bound: min over λ of log(2/(β·Π(1 − λ²s_i²)))/λ, s_i = w_i/ℓ_i."""
        scales = self.weights / self.losses
        if scales.size == 0 or not scales.any():
            return _largest(vertex)
        rates = np.geomspace(1e-4, 0.999, 60) / float(scales.max())
        logs = np.array([-np.log1p(-((rate * scales) ** 2)).sum() for rate in rates])
        return _largest(vertex) + float(((np.log(2 / beta) + logs) / rates).min())

    def square(self, vertex: Vertex) -> float:
        """a² + 2Σ(w/ℓ)², exact."""
        return _largest(vertex) ** 2 + 2 * float(((self.weights / self.losses) ** 2).sum())


@dataclass(frozen=True, eq=False)
class FlippedBits:
    """LDP, frequencies: bits flipped with probability f, 1 − 2f = g = tanh(ℓ/4), divided by g.

    By Kearns and Saul such noise is sub-Gaussian with variance factor w²·coth(ℓ/4)/ℓ.
    """

    weights: Floats
    losses: Floats

    def quantile(self, vertex: Vertex, beta: float) -> float:
        """The bias plus Chernoff's bound on the sum."""
        return _largest(vertex) + float(np.sqrt(2 * self._factor * np.log(2 * _count(vertex) / beta)))

    @cached_property
    def _factor(self) -> float:
        return float((self.weights**2 / (np.tanh(self.losses / 4) * self.losses)).sum() * (1 + 1e-9))

    def square(self, vertex: Vertex) -> float:
        """Minkowski with E max_j S_j² ≤ min(k·Var, 2σ²(1 + log 2k))."""
        a, k = _largest(vertex), _count(vertex)
        gain = np.tanh(self.losses / 4)
        variance = float((self.weights**2 * (1 - gain**2) / (4 * gain**2)).sum()) * (1 + 1e-9)
        return float((a + np.sqrt(min(k * variance, 2 * self._factor * (1 + np.log(2 * k))))) ** 2)


def _largest(vertex: Vertex) -> float:
    return max(bias for bias, count in vertex if count)


def _count(vertex: Vertex) -> int:
    return sum(count for _, count in vertex)


def _crossing(outside: Callable[[Floats], Floats], beta: float, high: float) -> float:
    """The smallest α with P(‖A + N‖∞ > α) ≤ β, from above, by bisection below `high`, which is enough."""
    low = 0.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if float(outside(np.asarray(middle))) <= beta else (middle, high)
    return high
