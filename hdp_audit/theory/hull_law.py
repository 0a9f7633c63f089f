"""The exact law of the largest error under hull noise (ours): P(‖A + v‖∞ ≤ α), no union bound.

In units of b = 2t the k entries of v are Laplace(1) numbers given that their sum is 0, so that

    P(‖A + v‖∞ ≤ α) = f(0)/h_k(0),

f the density of the sum of k Laplace(1) numbers, the j-th cut to [−α − A_j, α − A_j], and h_k(0) that of the sum
without cuts, C(2k−2, k−1)/2^{2k−1}. f(0) is a Fourier sum of Πφ_j, φ_j(ω) = ∫½e^{−|x|+iωx}dx over the cut: with spacing
2π/L it adds the densities at ±L, ±2L, ..., which are below h_k(L), less than any figure here. At the vertex that
decides one entry has bias −(1−c)D, all others cD. Without bias the law is that of r·max(Dirichlet parts), r ~
Gamma(k−1): the oracle of the tests.

Answers are clipped at 0, so an entry of at most α is never answered too low by α. Entries that add up to `total` have
fewer than total/α above α; the others are cut on one side only. The set of v that serves stays convex, so the worst
bias is still a vertex: the one entry with bias −(1−c)D is among those cut on both sides, or not.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.hull import union
from hdp_audit.theory.hull_tail import HullTail, hull_tail

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Complexes = NDArray[np.complex128]
_ABSOLUTE = 1e-7  # what the Fourier sum may be off by, taken off every probability
_FREQUENCIES = 3000
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


def log_centre_density(k: int) -> float:
    """log h_k(0), the density at 0 of a sum of k Laplace(1) numbers."""
    return float(special.gammaln(2 * k - 1) - 2 * special.gammaln(k) - (2 * k - 1) * np.log(2.0))


def inside(
    alpha: Floats, low: float, high: float, k: int, both: Ints | None = None, *, first_both: bool = True
) -> Floats:
    """P(‖A + v‖∞ ≤ α) for one entry with bias −low and k − 1 entries with bias high, within 1e-7; k ≥ 3.

    `both` entries (for each α; all of them if None) are cut on both sides, the others above only; the first entry is
    one of them or not.
    """
    period = 60.0 + 12.0 * np.sqrt(k)
    # The frequencies that matter reach to some hundreds for k = 3, and less the more entries there are.
    omega = 2 * np.pi / period * np.arange(_FREQUENCIES * (4 if k < 5 else 1))
    found = np.empty(alpha.shape)
    for at, a in enumerate(alpha):
        # What is cut above only is cut at −period as well: a little less lies inside.
        one = _cut(omega, low - a if first_both else -period, a + low)
        count = k - 1 if both is None else int(both[at]) - first_both
        others, free = _cut(omega, -a - high, a - high), _cut(omega, -period, a - high)
        with np.errstate(divide="ignore"):
            logs = np.log(one) + count * np.log(others) + (k - 1 - count) * np.log(free)
        terms = np.exp(logs - log_centre_density(k)).real
        found[at] = (terms[0] + 2 * terms[1:].sum()) / period
    return np.clip(found, 0.0, 1.0)


def _cut(omega: Floats, left: float, right: float) -> Complexes:
    """∫½e^{−|x| + iωx}dx from left to right."""
    return _from_zero(omega, right) - _from_zero(omega, left)


def _from_zero(omega: Floats, x: float) -> Complexes:
    rate = 1 - 1j * np.sign(x) * omega
    return np.asarray(np.sign(x) * (1 - np.exp(-abs(x) * rate)) / (2 * rate))


def exact_pac(deficit: float, t: float, k: int, beta: float, centre: float, total: float = math.inf) -> float:
    """The smallest α, in units of the data, with P(‖A + v‖∞ > α) ≤ β, from above; clipped answers if the entries add
    up to `total`.
    """
    law = _Law.of(deficit, t, k, centre, total)
    low, high = 0.0, max(law.low, law.high) + law.tail.quantile(beta / (2 * k))
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if law.outside(np.array([middle]))[0] <= beta else (middle, high)
    return 2 * t * high


def exact_mse(deficit: float, t: float, k: int, centre: float, total: float = math.inf) -> float:
    """∫2α·P(‖A + v‖∞ > α)dα: panels where the law bends, the union bound beyond."""
    law = _Law.of(deficit, t, k, centre, total)
    largest = max(law.low, law.high)
    first, last = max(largest - 45.0, 0.0), largest + law.tail.quantile(1e-5 / (2 * k))
    bends = np.minimum([law.low, law.high, *law.jumps()], last)
    edges = np.unique(np.concatenate([np.arange(first, last, 0.75), [last], bends]))
    edges = edges[edges >= first]
    half = np.diff(edges)[:, None] / 2
    alpha = edges[:-1, None] + half * (_NODES + 1)
    outside = law.outside(alpha.ravel()).reshape(alpha.shape)
    within = first**2 + float((2 * alpha * outside * half * _WEIGHTS).sum())
    return (2 * t) ** 2 * (within + law.beyond(last))


class _Law:
    """One vertex: biases in units of 2t, and the marginal tail."""

    def __init__(self, low: float, high: float, k: int, total: float) -> None:
        self.low, self.high, self.k, self.total = low, high, k, total
        self.tail: HullTail = hull_tail(k)

    @classmethod
    def of(cls, deficit: float, t: float, k: int, centre: float, total: float) -> _Law:
        return cls((1 - centre) * deficit / (2 * t), centre * deficit / (2 * t), k, total / (2 * t))

    def jumps(self) -> Floats:
        """The α at which one entry less can be above α."""
        return self.total / np.arange(1, self.k + 1) if math.isfinite(self.total) else np.zeros(0)

    def both(self, alpha: Floats) -> Ints:
        """How many entries can be above α: fewer than total/α."""
        with np.errstate(divide="ignore"):
            most = np.ceil(self.total / alpha * (1 + 1e-12)) - 1
        return np.clip(most, 0, self.k).astype(np.int64)

    def _inside(self, alpha: Floats) -> Floats:
        """Where the worse of the two vertices leaves the answer."""
        both = self.both(alpha)
        found = np.ones(alpha.size)
        for first, kept in ((True, both > 0), (False, both < self.k)):
            law = inside(alpha[kept], self.low, self.high, self.k, both[kept], first_both=first)
            found[kept] = np.minimum(found[kept], law)
        return found

    def outside(self, alpha: Floats) -> Floats:
        """P(‖A + v‖∞ > α), never above the union bound."""
        total = self.low + self.high
        share = np.full(alpha.shape, self.high / total if total > 0 else 0.5)
        bound = union(self.tail, alpha, share, np.full(alpha.shape, total))
        return np.minimum(bound, 1 - self._inside(alpha) + _ABSOLUTE)

    def beyond(self, start: float) -> float:
        """∫_start^∞ 2αU(α)dα, U the union bound."""
        total = 0.0
        for bias, count in ((self.low, 1), (self.high, self.k - 1)):
            ends = np.array([start - bias, start + bias])
            total += count * float((start * self.tail.first(ends) + self.tail.second(ends)).sum())
        return 2 * (1 + self.tail.error) * total
