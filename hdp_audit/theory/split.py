"""Weak setting, users split in two (ours): A with the smallest demands keeps its promises, B is handed to the
mechanism in the clear.

Hypotheses: the dataset has T or T + m ones, at random places; T = ⌊(n−m)/2⌋. Path: P_T → Q → P_{T+m}, where Q draws B
as under T and A with the ones that are missing to T + m, or as many as fit. P_T → Q turns m random zeros of A into
ones; if A has fewer than m zeros, all of them are turned: fewer users are moved, and their demand S only falls. Q and
P_{T+m} are one and the same function of the number N of ones in B (N random ones in B, min(T + m − N, |A|) in A; under
T + m they always fit), applied to its laws under T and under T + m, both hypergeometric: data processing. Total
variation and the root of the triangular discrimination are metrics: they add up.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.chain import falls_short
from hdp_audit.theory.symmetric import log_choose

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Sums over the first j demands in ascending order; users with infinite demands always belong to B."""

    n: int
    sizes: NDArray[np.int64]
    first: Floats
    second: Floats

    @classmethod
    def of(cls, ascending: Floats, grid: int = 160) -> "Prefixes":
        """Candidate sizes of A: a geometric grid from both ends, whole ties only by chance (any size is
        valid).
        """
        finite = int(np.searchsorted(ascending, np.inf))
        head = np.geomspace(1, finite, grid) if finite else np.zeros(0)
        tail = finite + 1 - np.geomspace(1, finite, grid // 4) if finite else np.zeros(0)
        jumps = np.flatnonzero(np.diff(ascending[:finite]) > 0)[:grid] + 1
        whole = np.concatenate([head, tail, jumps, [finite] if finite else []])
        sizes = np.unique(whole.astype(np.int64))
        sums, squares = np.cumsum(ascending[:finite]), np.cumsum(ascending[:finite] ** 2)
        return cls(ascending.size, sizes, sums[sizes - 1], squares[sizes - 1])

    def moments(self, m: Floats | float) -> tuple[Floats, Floats]:
        """E S and E S², S the demands of m users drawn from A without replacement."""
        mean = self.first / self.sizes
        variance = np.maximum(self.second / self.sizes - mean**2, 0.0)
        left = np.maximum(self.sizes - m, 0) / np.maximum(self.sizes - 1, 1)
        return m * mean, (m * mean) ** 2 + m * variance * left


def private_variation(mean: Floats) -> Floats:
    """TV(P_T, Q) ≤ E tanh(S/2) ≤ tanh(E S/2): group privacy in each member of the mixture, then Jensen."""
    return np.tanh(mean / 2)


def private_triangle(mean: Floats, square: Floats) -> Floats:
    """Triangular discrimination of P_T, Q (jointly convex): E tanh²(S/2) ≤ min(E S²/4, tanh(E S/2))."""
    return np.minimum(square / 4, np.tanh(mean / 2))


def public_laws(n: int, size_b: int, m: int) -> tuple[Floats, Floats]:
    """The hypergeometric laws of the ones in B under T and T + m, on a window that misses < 1e-12."""
    low = (n - m) // 2
    centre, spread = low * size_b / n, math.sqrt(size_b * max(n - size_b, 1) / (4 * n)) + m + 1
    start = max(0, math.floor(centre - 9 * spread))
    stop = min(size_b, math.ceil(centre + 9 * spread))
    x = np.arange(start, stop + 1, dtype=np.float64)
    return _hypergeometric(x, n, low, size_b), _hypergeometric(x, n, low + m, size_b)


def _hypergeometric(x: Floats, n: int, ones: int, size: int) -> Floats:
    with np.errstate(invalid="ignore"):
        logs = _log_choose(ones, x) + _log_choose(n - ones, size - x) - log_choose(n, size)
    return np.where((x <= ones) & (size - x <= n - ones), np.exp(logs), 0.0)


def _log_choose(n: int, m: Floats) -> Floats:
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(m + 1) - special.gammaln(np.maximum(n - m, 0) + 1))


def public_variation(n: int, size_b: int, m: int) -> float:
    """TV between the two laws of B, with 1e-7 added for rounding and the window's tails."""
    if size_b == 0:
        return 0.0
    p, q = public_laws(n, size_b, m)
    return float(np.abs(p - q).sum() / 2) + 1e-7


def public_triangle(n: int, size_b: int, m: int) -> float:
    """½Σ(p−q)²/(p+q), with 1e-7 added."""
    if size_b == 0:
        return 0.0
    p, q = public_laws(n, size_b, m)
    total = p + q
    ratio = np.divide((p - q) ** 2, total, out=np.zeros_like(total), where=total > 0)
    return float(ratio.sum() / 2) + 1e-7


def _shift(prefixes: Prefixes, m: Floats | float) -> Floats:
    """How many standard deviations apart the two laws of B are, for the search only."""
    b = prefixes.n - prefixes.sizes
    deviation = np.sqrt(b * np.maximum(prefixes.sizes, 1) / (4 * prefixes.n))
    return np.where(b > 0, m * b / prefixes.n / np.maximum(deviation, 1e-12), 0.0)


def private_hit(mean: Floats, square: Floats, beta: float) -> Floats:
    """Q(ball around the other mean) when P_T gives it at most β: the least of β + tanh(E S/2) and, over δ ≥
    0, of φ(E S + δ) + E(S − E S − δ)₊, with φ(s) = min(e^s·β, 1 − e^{−s}(1−β)).

    Proof. If a member of the mixture gives the ball p before its users are moved and S is their demand, it
    gives at most φ(S, p) = min(e^S·p, 1 − e^{−S}(1−p)) after; φ grows in S with slope at most 1, so φ(S, p) ≤
    φ(s, p) + (S − s)₊, and φ(s, ·) is concave, so the average over members is at most φ(s, β) + E(S − s)₊. By
    Cauchy–Schwarz 2E(S − E S − δ)₊ ≤ √(Var S + δ²) − δ.
    """
    variance = np.maximum(square - mean**2, 0.0)[..., None]
    delta = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5])
    s = mean[..., None] + delta
    with np.errstate(over="ignore"):
        hit = np.minimum(np.exp(s) * beta, 1 - np.exp(-s) * (1 - beta))
    excess = (np.sqrt(variance + delta**2) - delta) / 2
    return np.asarray(np.minimum(beta + private_variation(mean), np.min(hit + excess, axis=-1)))


def split_pac(ascending: Floats, beta: float) -> float:
    """R ≥ m/2n for the largest m found with private_hit + TV_B < 1 − β.

    Proof. With α < m/2n the α-balls around the two means are disjoint and each hypothesis hits its own with
    probability ≥ 1−β. So P_T hits the other's with probability ≤ β, Q with at most `private_hit`, and P_{T+m}
    with at most TV_B more, which must reach 1−β.
    """
    n = ascending.size
    prefixes = Prefixes.of(ascending)
    if prefixes.sizes.size == 0 or beta >= 0.5:
        return 0.0
    steps = np.unique(np.geomspace(1, n, 200).astype(int))
    for m in steps[::-1]:
        guess = private_hit(*prefixes.moments(float(m)), beta)
        guess = guess + special.erf(_shift(prefixes, float(m)) / math.sqrt(8))
        guess[prefixes.sizes < m] = np.inf
        j = int(np.argmin(guess))
        if guess[j] < 1.02 * (1 - beta) and falls_short(_hit_at(prefixes, j, int(m), beta), beta):
            return _refine_pac(prefixes, j, int(m), beta)
    return 0.0


def _hit_at(prefixes: Prefixes, j: int, m: int, beta: float) -> float:
    size = int(prefixes.sizes[j])
    if m > size:
        return math.inf
    own = float(private_hit(*prefixes.moments(float(m)), beta)[j])
    return own + public_variation(prefixes.n, prefixes.n - size, m)


def _refine_pac(prefixes: Prefixes, j: int, m: int, beta: float) -> float:
    while falls_short(_hit_at(prefixes, j, m + 1, beta), beta):
        m += 1
    return min(0.5, m / (2 * prefixes.n))


def split_mse(ascending: Floats) -> float:
    """max over m and A of (m/2n)²(1 − (√D_A + √D_B)²), D the triangular discriminations of the two steps.

    Proof. Bayes risk of two equally likely means at distance Δ is (Δ²/4)(1 − D), D = ½∫(p−q)²/(p+q), and √D
    is a metric.
    """
    n = ascending.size
    prefixes = Prefixes.of(ascending)
    best = 0.0
    if prefixes.sizes.size == 0:
        return best
    found = []
    for m in np.unique(np.geomspace(1, n, 120).astype(int)):
        roots = np.sqrt(private_triangle(*prefixes.moments(float(m)))) + _shift(prefixes, float(m)) / 2
        roots[prefixes.sizes < m] = np.inf
        j = int(np.argmin(roots))
        found.append((m**2 * (1 - min(roots[j], 1.0) ** 2), int(m), j))
    for _, m, j in sorted(found, reverse=True)[:8]:
        size = int(prefixes.sizes[j])
        own = float(private_triangle(*prefixes.moments(float(m)))[j])
        roots_at = math.sqrt(own) + math.sqrt(public_triangle(n, n - size, m))
        best = max(best, (m / (2 * n)) ** 2 * (1 - min(roots_at, 1.0) ** 2))
    return best
