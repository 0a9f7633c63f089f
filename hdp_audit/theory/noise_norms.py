"""How long noise is in ℓ1 and ℓ2 (ours): first and second moment, and a quantile, for noise of scale 1.

Hull noise in k entries is r·u, r ~ Gamma(k−1) = ‖v‖₁, u apart from it: j entries are positive with probability
C(k,j)·C(k−2,j−1)/C(2k−2,k−1) and share r/2 like j exponential numbers share their sum, the others −r/2. Independent
Laplace noise is the same with r ~ Gamma(k) and all k sharing r. Of m exponential numbers e with sum 1

    E(Σe²)^p = p!·[x^p](Σ_i (2i)!/i!·x^i)^m·(m−1)!/(m+2p−1)!,

so every even moment of ‖v‖₂ is known, and P(‖v‖₂ > a) ≤ E‖v‖₂^{2p}/a^{2p}. Exact in ℓ1: r has a Gamma law.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.names import Norm

Floats = NDArray[np.float64]
MOMENTS = 24  # the largest p tried; near log(1/β) + k/2 is best
_EXACT = 200  # categories up to which moments are summed; beyond it ‖v‖₂ ≤ ‖v‖₁/√2 or ‖v‖₁


def radius(k: int, *, hull: bool) -> int:
    """m with ‖v‖₁ ~ Gamma(m)."""
    return k - 1 if hull else k


def first_moment(norm: Norm, k: int, *, hull: bool) -> float:
    """At least E‖v‖: exact in ℓ1."""
    return float(radius(k, hull=hull)) if norm is Norm.L1 else float(np.sqrt(second_moment(norm, k, hull=hull)))


def second_moment(norm: Norm, k: int, *, hull: bool) -> float:
    """E‖v‖², exact: m(m+1) in ℓ1; in ℓ2 2k for independent entries, k(k−1)·E u₁²·k for hull noise."""
    m = radius(k, hull=hull)
    if norm is Norm.L1:
        return float(m * (m + 1))
    if not hull:
        return 2.0 * k
    j = np.arange(1, k)
    return float(m * (m + 1) / 4 * (_signs(k) * (2 / (j + 1) + 2 / (k - j + 1))).sum())


def quantile(norm: Norm, k: int, beta: float, *, hull: bool) -> float:
    """At least the (1−β)-quantile of ‖v‖: exact in ℓ1, by the best even moment in ℓ2."""
    m = radius(k, hull=hull)
    longest = float(special.gammainccinv(m, beta)) * (1 + 1e-12)
    if norm is Norm.L1:
        return longest
    # Σv = 0 leaves no less than half of ‖v‖₁ to either sign.
    plain = longest / np.sqrt(2.0) if hull else longest
    if k > _EXACT:
        return plain
    p = np.arange(1, MOMENTS + 1)
    return min(plain, float(np.exp((_log_even_moments(k, hull) - np.log(beta)) / (2 * p)).min()) * (1 + 1e-9))


def _signs(k: int) -> Floats:
    """P(j entries are positive), j = 1, …, k − 1."""
    j = np.arange(1, k)
    logs = _log_choose(k, j) + _log_choose(k - 2, j - 1) - _log_choose(2 * k - 2, np.array(k - 1))
    return np.asarray(np.exp(logs))


def _log_choose(n: int, j: NDArray[np.int64]) -> Floats:
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(j + 1.0) - special.gammaln(n - j + 1.0))


@cache
def _log_even_moments(k: int, hull: bool) -> Floats:
    """log E‖v‖₂^{2p} for p = 1, …, MOMENTS."""
    p = np.arange(MOMENTS + 1)
    m = radius(k, hull=hull)
    radial = special.gammaln(m + 2.0 * p) - special.gammaln(m)
    shared = [_shared(j) for j in range(1, k + 1)]
    if not hull:
        return np.asarray((radial + np.log(shared[k - 1]))[1:])
    # E(P + N)^p for the two signs' independent sums of squares, each a quarter of what the halves share.
    both = np.array([_product(shared[j - 1], shared[k - j - 1]) for j in range(1, k)])
    return np.asarray((radial + np.log(_signs(k) @ both) - p * np.log(4.0))[1:])


def _shared(m: int) -> Floats:
    """E(Σe²)^p for p = 0, …, MOMENTS, e the shares of m exponential numbers in their sum."""
    p = np.arange(MOMENTS + 1)
    series = np.exp(special.gammaln(2.0 * p + 1) - special.gammaln(p + 1.0))
    power, base, left = np.eye(1, MOMENTS + 1)[0], series, m
    while left:
        if left & 1:
            power = np.convolve(power, base)[: MOMENTS + 1]
        base, left = np.convolve(base, base)[: MOMENTS + 1], left >> 1
    radial = special.gammaln(m + 2.0 * p) - special.gammaln(m)
    return np.asarray(np.exp(np.log(power) + special.gammaln(p + 1.0) - radial))


def _product(first: Floats, second: Floats) -> Floats:
    """E(X + Y)^p from E X^p and E Y^p, X and Y independent."""
    factorials = np.exp(special.gammaln(np.arange(MOMENTS + 1) + 1.0))
    return np.asarray(np.convolve(first / factorials, second / factorials)[: MOMENTS + 1] * factorials)
