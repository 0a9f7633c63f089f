"""Weak setting, upper, frequencies (ours): the mean square for weights of two values, by their exact law.

A category with m members, c of them among the users with the larger weight, is answered too high by

    A = c·w_B + (m − c)·w_A − m/n,  c hypergeometric,

plus hull noise v. For every level C, max_j e_j² ≤ C + Σ_j (e_j² − C)₊, so that the mean square is at most C + ΣF(m_j),
F(m) = E((A + v)² − C)₊ = E ∫_{√C}^∞ 2α·(T(α − A) + T(α + A))dα, T the noise's tail. Σm_j = n, and for every price η
ΣF(m_j) ≤ ηn + k·max_m(F(m) − ηm). A category and its complement err alike up to sign: F(m) = F(n − m).

Other weights w are near such w': R = Σ_i (w_i − w'_i)x_σ(i) has E‖R‖∞² ≤ (1 − 1/k)²·n/(n−1)·‖w − w'‖₂², and Minkowski's
inequality joins the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are asked for: these are slow
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.hull_tail import hull_tail

Floats = NDArray[np.float64]
_MOST = 4000  # users; the law of every possible count is computed
_REACH = 9.0  # standard deviations of c, at least 9 users: what lies beyond has less than 1e-12 of the mass
_BEYOND = 1e-12  # and answers err by at most 1 before noise
_ROUNDING = 1 + 1e-8
_NEAR = 0.1  # weights farther from two values than this share of the error known gain nothing


@dataclass(frozen=True)
class TwoWeights:
    """How many users have the smaller and the larger weight, these weights (Σw = 1), the noise scale 2t, and k."""

    sizes: tuple[int, int]
    weights: tuple[float, float]
    scale: float
    categories: int

    @property
    def users(self) -> int:
        """n."""
        return sum(self.sizes)

    def excess(self, members: int, level: float) -> float:
        """F(m), at most, for C = `level`."""
        shifts, masses = self._law(members)
        tail, start = hull_tail(self.categories), np.sqrt(level) / self.scale
        ends = np.concatenate([start - shifts, start + shifts])
        beyond = 2 * (start * tail.first(ends) + tail.second(ends)) * (1 + tail.error)
        found = self.scale**2 * float(np.concatenate([masses, masses]) @ beyond)
        return found * _ROUNDING + _BEYOND * (1 + found)

    def _law(self, members: int) -> tuple[Floats, Floats]:
        """A in units of the noise scale, and its masses."""
        low, high = self.sizes
        n, share = self.users, members / self.users
        spread = _REACH * np.sqrt(high * share * (1 - share) * low / max(n - 1, 1)) + _REACH
        first = max(0, members - low, int(high * share - spread))
        c = np.arange(first, min(members, high, int(high * share + spread) + 1) + 1)
        logs = _log_choose(high, c) + _log_choose(low, members - c) - _log_choose(n, np.array([members]))
        shifts = c * self.weights[1] + (members - c) * self.weights[0] - share
        return shifts / self.scale, np.exp(logs)

    def square(self) -> float:
        """E‖A + v‖∞² for the worst frequencies, at most."""
        coarse = np.unique(np.linspace(0, self.users // 2, 60).astype(np.int64))
        quick = scipy.optimize.minimize_scalar(
            lambda root: self._with_level(coarse, root**2),
            bounds=(0.0, 4 * self._size),
            method="bounded",
            options={"xatol": 0.02 * self._size},
        )
        return self._with_level(np.arange(self.users // 2 + 1), float(quick.x) ** 2)

    @property
    def _size(self) -> float:
        """About the error of one category."""
        low, high = self.sizes
        gap = self.weights[1] - self.weights[0]
        return float(gap * np.sqrt(low * high / self.users) / 2 + self.scale)

    def _with_level(self, members: NDArray[np.int64], level: float) -> float:
        worth = np.array([self.excess(int(m), level) for m in members])
        both, all_worth = np.concatenate([members, self.users - members]), np.concatenate([worth, worth])
        k, n = self.categories, self.users

        def bound(price: float) -> float:
            return price * n + k * float((all_worth - price * both).max())

        most = 4 * k * float(worth.max()) / n
        best = scipy.optimize.minimize_scalar(
            bound, bounds=(0.0, most), method="bounded", options={"xatol": 1e-5 * most}
        )
        return level + min(float(best.fun), bound(0.0))


def _log_choose(n: int, m: NDArray[np.int64]) -> Floats:
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(m + 1.0) - special.gammaln(n - m + 1.0))


def split_weights(ascending: Floats) -> tuple[tuple[int, int], tuple[float, float], float]:
    """Sizes and means of the two groups nearest to these weights, and ‖w − w'‖₂²."""
    n = ascending.size
    sizes = np.arange(1, n)
    sums, squares = np.cumsum(ascending), float(ascending @ ascending)
    kept = sums[:-1] ** 2 / sizes + (sums[-1] - sums[:-1]) ** 2 / (n - sizes)
    at = int(np.argmax(kept)) + 1
    means = float(sums[at - 1] / at), float((sums[-1] - sums[at - 1]) / (n - at))
    left = ascending - np.repeat(means, [at, n - at])
    return (at, n - at), means, min(float(left @ left), squares)


def two_weights_square(ascending: Floats, scale: float, k: int, known: float) -> float:
    """The smaller of `known` and the bound by two weights; the weights sum to 1."""
    n = ascending.size
    if not 2 <= n <= _MOST:
        return known
    sizes, means, left = split_weights(ascending)
    rest = float(np.sqrt(left * n / (n - 1))) * (1 - 1 / k)
    if rest > _NEAR * np.sqrt(known):
        return known
    return min(known, float(np.sqrt(TwoWeights(sizes, means, scale, k).square()) + rest) ** 2)
