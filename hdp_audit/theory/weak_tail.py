"""Weak setting, upper, frequencies (ours): the tail of permutation plus noise, category by category, by tilting.

The answer for category j is μ_j + A_j + v_j, A_j = Σ_i (w_i − w̄)x_σ(i), x the indicator of j, σ a random permutation.

Tilting. The noise's tail T is log-concave, so it lies below the tangents of its logarithm: T(x) ≤ T(y)e^{−λ(x − y)} for
every real x and y, λ = −(log T)′(y). Hence P(A_j + v_j > α) ≤ T(y)e^{−λ(α − y)}·E e^{λA_j}; the best y may be taken.

Permutation. A category with m members has E e^{λΣw_ix_σ(i)} = e_m(e^{λw})/C(n, m), an elementary symmetric polynomial:
exact. Its logarithm is concave in m (Newton's inequalities), so between the m computed it lies below the secants of the
neighbours on either side. Weights are first averaged in groups; what that leaves out is itself a permuted sum, with
E e^{λR} ≤ exp(λ²K_n‖w − w′‖₂²/8), and Hölder's inequality with exponents p, q joins the two.

Categories. Σ_j μ_j = 1, and for every price η ≥ 0 Σ_j g(μ_j) ≤ η + k·max_μ(g(μ) − ημ): the best η of some is taken. μ
is cut into cells; a cell is worth what its best μ is worth, and costs its left end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.hull_tail import HullTail
from hdp_audit.theory.symmetric import log_mean_exp
from hdp_audit.theory.upper import concentration_factor

Floats = NDArray[np.float64]
_CELLS = np.concatenate([[0.0], np.geomspace(1e-3, 0.08, 24)[:-1], np.linspace(0.08, 0.5, 43), [1.0]])
_EXACT = np.array([0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.28, 0.36, 0.44, 0.5, 0.6])  # shares m/n computed
_GROUPS = 256
_HOELDER = 1.005
_POINTS = 300
_SPARE = 1e-6  # added to every logarithm, for rounding


@dataclass(frozen=True)
class Tangents:
    """Lines above log T, in units of the data: log T(x) ≤ heights − rates·x for every x."""

    rates: Floats
    heights: Floats


def laplace_tangents(scale: float) -> Tangents:
    """Of T(x) = ½e^{−x/b} on the right, 1 − ½e^{x/b} on the left."""
    y = np.linspace(-4.0, 0.0, 14)
    beyond = 1 - np.exp(y) / 2
    rates = np.exp(y) / 2 / beyond
    return Tangents(rates / scale, np.log(beyond) + rates * y)


def hull_tangents(tail: HullTail, scale: float) -> Tangents:
    """Of hull noise with scale b = 2t."""
    y = np.concatenate([np.linspace(-2.0, 0.0, 4), np.linspace(0.4, 9.0, 16), [12.0, 20.0, 40.0]])
    beyond = tail.beyond(y)
    rates = tail.density(y) / beyond
    # The density is a table, right to about 1e-8.
    return Tangents(rates / scale, np.log(beyond) + rates * y + 1e-6)


def tilted_bound(tangents: Tangents, scale: Floats, spread: Floats, n: int, k: int, beta: float | None) -> Floats:
    """The same with E e^{λA} ≤ exp(λ²V/8), V = K_n‖w − 1/n‖₂², for all categories: quick enough for a search.

    All 2k tails together are below β from α = (log(2k/β) + h)/λ + λV/8 on; tangents are those of scale 1. Without β the
    mean square, ∫2α·min(1, ·)dα = α₀² + 2α₀/λ + 2/λ² with the α₀ of β = 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = scale[..., None] / tangents.rates
        moved = concentration_factor(n) * spread[..., None] / (8 * reach)
        start = reach * (np.log(2 * k / (1.0 if beta is None else beta)) + tangents.heights) + moved
        found = start if beta is not None else start**2 + 2 * reach * start + 2 * reach**2
    return np.where(scale > 0, np.nan_to_num(found, nan=np.inf).min(axis=-1), np.inf)


@dataclass(frozen=True, eq=False)
class WeakTail:
    """Weights (any order), the tangents of the noise, and the number of categories."""

    weights: Floats
    tangents: Tangents
    categories: int

    @cached_property
    def _grouped(self) -> tuple[Floats, Floats, float]:
        """Group means of the weights, sizes, and ‖w − w′‖₂²."""
        ascending = np.sort(self.weights)
        values, counts = np.unique(ascending, return_counts=True)
        if values.size <= _GROUPS:
            return values, counts.astype(np.float64), 0.0
        # Even in value, so that no group is wide.
        place = np.minimum((ascending - ascending[0]) / (ascending[-1] - ascending[0]) * _GROUPS, _GROUPS - 1)
        starts = np.flatnonzero(np.diff(place.astype(np.int64), prepend=-1) > 0)
        sizes = np.diff(starts, append=ascending.size).astype(np.float64)
        means = np.add.reduceat(ascending, starts) / sizes
        left = ascending - np.repeat(means, sizes.astype(np.int64))
        return means, sizes, float(left @ left)

    @cached_property
    def _exponents(self) -> tuple[Floats, Floats]:
        """log E e^{±λA} for each cell (rows) and rate, both signs: at most."""
        members = np.unique(np.round(_EXACT * self.weights.size).astype(np.int64))
        return self._bounds(members, 1.0), self._bounds(members, -1.0)

    def _bounds(self, members: NDArray[np.int64], sign: float) -> Floats:
        values, counts, left = self._grouped
        n, p = self.weights.size, _HOELDER if left > 0 else 1.0
        q = p / (p - 1) if left > 0 else 0.0
        centre = float(self.weights.mean())
        rest = q * self.tangents.rates**2 * concentration_factor(n) * left / 8
        known = np.array(
            [
                [(log_mean_exp(values, sign * p * rate, int(m), counts) - sign * p * rate * m * centre) / p
                 for rate in self.tangents.rates]
                for m in members
            ]
        )  # fmt: skip
        return _concave_cells(members / n, np.maximum(known, 0.0)) + rest

    def _logs(self, alpha: Floats) -> Floats:
        """log of P(|A_j + v_j| > α), at most, for each cell (rows)."""
        lines = self.tangents.heights - self.tangents.rates * alpha[:, None]
        sides = [np.minimum((part[:, None, :] + lines).min(axis=2), 0.0) for part in self._exponents]
        return np.logaddexp(*sides) + _SPARE

    def outside(self, alpha: Floats) -> Floats:
        """P(some category errs by more than α), at most, for the worst frequencies."""
        worth = np.exp(self._logs(alpha))
        cost = _CELLS[:-1, None]
        least = worth[0]
        best = np.full(alpha.shape, np.inf)
        for price in (worth[1:] - least) / cost[1:]:
            most = (worth - np.maximum(price, 0.0) * cost).max(axis=0)
            best = np.minimum(best, np.maximum(price, 0.0) + self.categories * most)
        return best

    def pac(self, beta: float) -> float:
        """Some α with P(‖A + v‖∞ > α) ≤ β, good to 1e-6."""
        low, high = 0.0, self._farthest(beta)
        for _ in range(24):
            middle = (low + high) / 2
            low, high = (low, middle) if self.outside(np.array([middle]))[0] <= beta else (middle, high)
        return high

    def mse(self) -> float:
        """∫2α·P(‖A + v‖∞ > α)dα from above: a step function, and the last tangent beyond."""
        last = self._farthest(1e-9)
        alpha = last * np.linspace(0.0, 1.0, _POINTS + 1)
        heights = np.minimum(self.outside(alpha), 1.0)
        body = float((np.diff(alpha**2) * heights[:-1]).sum())
        rate = self._last_rate(last)
        return body + float(heights[-1]) * (2 * last / rate + 2 / rate**2)

    def _last_rate(self, alpha: float) -> float:
        """The least slope of the lines that decide at α: all of them bound the tail beyond."""
        lines = self.tangents.heights - self.tangents.rates * alpha
        return float(min(self.tangents.rates[(part + lines).argmin(axis=1)].min() for part in self._exponents))

    def _farthest(self, level: float) -> float:
        high = 1.0 / float(self.tangents.rates[-1])
        while self.outside(np.array([high]))[0] > level:
            high *= 2
        return high


def _concave_cells(shares: Floats, known: Floats) -> Floats:
    """For each cell of μ the most that functions concave in μ, with these values at these shares, can be in it."""
    if shares.size < 3:
        return np.broadcast_to(known.max(axis=0), (_CELLS.size - 1, known.shape[1]))
    slopes = np.diff(known, axis=0) / np.diff(shares)[:, None]
    worth = np.empty((_CELLS.size - 1, known.shape[1]))
    for cell, (left, right) in enumerate(pairwise(_CELLS)):
        i = int(np.clip(np.searchsorted(shares, (left + right) / 2) - 1, 0, shares.size - 2))
        bounds = []
        if i > 0:
            before = slopes[i - 1]
            bounds.append(known[i] + np.maximum(before * (left - shares[i]), before * (right - shares[i])))
        if i + 2 < shares.size:
            after = slopes[i + 1]
            bounds.append(known[i + 1] + np.maximum(after * (left - shares[i + 1]), after * (right - shares[i + 1])))
        worth[cell] = np.min(bounds, axis=0)
    return worth


def simplex_weights(ascending: Floats, level: float) -> Floats:
    """w ∝ min(ε, ρ)."""
    kept = np.minimum(ascending, level)
    return np.asarray(kept / kept.sum())
