"""Lower bounds on PAC rates from packings: no mechanism that keeps the demands has a smaller error quantile.

m(α) = ⌊2nα⌋ + 1 users moved to another category put two datasets more than 2α apart, so their α-balls are
disjoint.
"""

import math

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.symmetric import log_mean_exp

Floats = NDArray[np.float64]
MOMENTS = (-1.0, -0.5, -0.2, -0.05, 0.05, 0.2, 0.5, 1.0)


def rate_of(m_star: int | None, n: int) -> float:
    """The smallest rate whose m(α) reaches m*: min(½, (m* − 1)/2n); ½ when no m ≤ n is admissible."""
    return 0.5 if m_star is None else min(0.5, (m_star - 1) / (2 * n))


def packing_correlated(ascending: Floats, rivals: int, beta: float) -> float:
    """Theorem pac-lb (A), constant one (ours): S_m(R) ≥ log(K(1−β)/β), S_m the sum of the m smallest demands.

    Proof. Let α < ½ be achieved, m = m(α). Dataset 1 puts everyone in category 1, dataset j moves the m users
    with the smallest demands to category j (K = k−1 of them; K = 1 for a mean, moving 0 to 1). The α-balls
    are disjoint, each dataset j hits its own with probability ≥ 1−β, and dataset 1 hits all the others
    together with probability ≤ β. Group privacy: 1−β ≤ e^{S_m}·P₁(ball j). Sum over j: K(1−β) ≤ e^{S_m}·β.
    """
    needed = math.log(rivals * (1 - beta) / beta)
    sums = np.cumsum(ascending)
    place = int(np.searchsorted(sums, needed, side="left"))
    return rate_of(None if place == ascending.size else place + 1, ascending.size)


def moment_condition(eta: float, rivals: int, beta: float) -> float:
    """log of 1 + c((x*)^{−η} − 1), c = (1−β−q)/(1−2q), q = β/K, x* = q/(1−q): what log E e^{ηS} must reach (η
    > 0) or must not exceed (η < 0), for −1 ≤ η ≤ 1 (ours; η = ±1 sharpen eqs. lb1, lb2, lb1-m, lb2-m).

    Proof. Dataset 1 is invariant under permutation, so with P₁(ball j) = p_j, Σp_j ≤ β, and S the demands of
    the m random users moved, P(ball j | dataset j) ≤ E min(e^S p_j, 1 − e^{−S}(1−p_j)); this is concave in
    p_j, so some q ≤ β/K may replace it: 1−β ≤ E ψ(S), ψ = min(q/x, 1 − (1−q)x), x = e^{−S}. As a function of
    X = x^{−η} the line through (X, ψ) = (1, q) and the kink x* lies above ψ on all of (0, 1]: its slope is
    the largest of (ψ − q)/(X − 1) over x, since (1−x)/(1−x^h) rises, (1−x)/(x(1−x^h)) falls and
    x^h(1−x)/(1−x^h) rises in x for 0 < h ≤ 1. Taking expectations of the line gives the condition. With K = 1
    it reads E e^{−ηS} ≤ (β/(1−β))^η, tight at η = 1.
    """
    q = beta / rivals
    c = (1 - beta - q) / (1 - 2 * q)
    x = q / (1 - q)
    # 1 − c = (β − q)/(1 − 2q), written so that nothing cancels for the smallest β.
    return math.log((beta - q) / (1 - 2 * q) + c * math.exp(-eta * math.log(x)))


def packing_weak(values: Floats, counts: NDArray[np.int64], rivals: int, beta: float) -> float:
    """Theorem pac-lb (B), all moments (ours): the smallest m that satisfies `moment_condition` for every η of
    MOMENTS.

    E e^{ηS} grows with m for η > 0 and falls for η < 0, so the admissible m are an interval up to n: bisect.
    """
    n = int(counts.sum())
    if 1 - beta <= beta / rivals:
        return 0.0
    conditions = [(eta, moment_condition(eta, rivals, beta)) for eta in MOMENTS]

    def admissible(m: int) -> bool:
        return all(_holds(values, counts, eta, m, limit) for eta, limit in conditions)

    if not admissible(n):
        return 0.5
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if admissible(middle) else (middle, high)
    return rate_of(high, n)


def _holds(values: Floats, counts: NDArray[np.int64], eta: float, m: int, limit: float) -> bool:
    # A hair of slack on the side of "admissible": a rounding error may weaken the bound, never make it false.
    reached = log_mean_exp(values, eta, m, counts)
    return reached >= limit - 1e-7 if eta > 0 else reached <= limit + 1e-7
