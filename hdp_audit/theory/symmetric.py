"""Elementary symmetric polynomials in logs: E exp(ηΣZ) for m demands drawn without replacement, exact at n =
10⁶.

e_m(a) = Π(1 + a_i z)·z^{−m}·P(S = m) for any z > 0, S a sum of independent Bernoulli(a_i z/(1 + a_i z)). With
z chosen so that E S = m the probability is of order 1/σ and a Fourier sum of a few dozen terms gives it to
rounding error.
"""

from __future__ import annotations

import math

import numpy as np
import scipy  # its parts are loaded when they are asked for: optimize is slow
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]


def compress(demands: Floats, groups: int = 2048) -> tuple[Floats, NDArray[np.int64]]:
    """(values, counts): equal demands together, then neighbours rounded UP until at most `groups` values are
    left.

    Larger demands make every lower bound weaker, so a bound computed from the result is valid for the
    original.
    """
    values, counts = np.unique(demands, return_counts=True)
    if values.size <= groups:
        return values, counts
    edges = np.linspace(0, values.size, groups + 1).astype(int)
    return values[edges[1:] - 1], np.add.reduceat(counts, edges[:-1])


def log_mean_exp(demands: ArrayLike, eta: float, m: int, counts: ArrayLike | None = None) -> float:
    """log E exp(ηΣ_{i≤m} Z_i) = log(e_m(exp(ηε))/C(n,m)); Z drawn without replacement from the demands.

    ε = ∞ gives +∞ for η > 0 and m ≥ 1; for η < 0 such draws count as 0 (log −∞ when every draw holds one).
    """
    values = np.asarray(demands, dtype=np.float64)
    numbers = np.ones(values.size) if counts is None else np.asarray(counts, dtype=np.float64)
    n = int(numbers.sum())
    if m == 0:
        return 0.0
    infinite = np.isinf(values)
    if eta > 0 and bool(infinite.any()):
        return math.inf
    x, numbers = eta * values[~infinite], numbers[~infinite]
    kept = int(numbers.sum())
    if m > kept:
        return -math.inf
    return log_symmetric(x, numbers, m) - log_choose(n, m)


def log_choose(n: int, m: int) -> float:
    """log C(n, m)."""
    return float(special.gammaln(n + 1) - special.gammaln(m + 1) - special.gammaln(n - m + 1))


def log_symmetric(x: Floats, counts: Floats, m: int) -> float:
    """log e_m of the numbers exp(x), each taken `counts` times; 0 ≤ m ≤ Σ counts."""
    total = int(counts.sum())
    if m == 0:
        return 0.0
    if m == total:
        return float(counts @ x)
    centre = special.logit(m / total)
    low, high = centre - float(x.max()) - 1e-9, centre - float(x.min()) + 1e-9
    shift: float = scipy.optimize.brentq(lambda s: float(counts @ special.expit(x + s)) - m, low, high, xtol=1e-14)
    tilted = float(counts @ np.logaddexp(0.0, x + shift)) - m * shift
    return tilted + math.log(_point_probability(special.expit(x + shift), counts, m))


def _point_probability(p: Floats, counts: Floats, m: int) -> float:
    """P(S = m), S a sum of independent Bernoulli(p) with mean m, by the trapezoid rule on the characteristic
    function.

    M points alias P(S = m ± M), below e⁻⁵⁰ by Bernstein for M ≥ 12σ + 80; |φ(θ)| ≤ exp(−2σ² sin²(θ/2)) tells
    where to stop.
    """
    variance = float(counts @ (p * (1 - p)))
    points = min(int(counts.sum()) + 1, math.ceil(12 * math.sqrt(variance) + 80))
    total = 1.0
    for j in range(1, points // 2 + 1):
        theta = 2 * math.pi * j / points
        sine = math.sin(theta / 2) ** 2
        if 2 * variance * sine > 60:
            break
        # A fair coin's characteristic function is 0 at π.
        with np.errstate(divide="ignore"):
            size = float(counts @ np.log1p(-4 * p * (1 - p) * sine)) / 2
        angle = float(counts @ np.arctan2(p * math.sin(theta), 1 - 2 * p * sine)) - m * theta
        # Conjugate points come in pairs, except θ = π.
        total += (1 if 2 * j == points else 2) * math.exp(size) * math.cos(angle)
    return total / points
