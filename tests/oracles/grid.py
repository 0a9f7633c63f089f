"""Every criterion for many weightings at once, by plain numerics: bisection, quadrature, a grid of splits.

Slower to converge and shorter than the 60-digit oracle, and sharing no code with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanisms import Entry, entry

Floats = NDArray[np.float64]
WEAK = "weakly-correlated"
NO_NOISE = 1e-13  # noise scale below which a Laplace error is counted as this


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write `total` as `parts` ordered integers ≥ 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def simplex_grid(n: int, steps: int, *, slack: bool = False) -> Floats:
    """Weights in multiples of 1/steps; with `slack` their sum may be below 1."""
    table = np.array(list(compositions(steps, n + slack)), dtype=np.float64) / steps
    return table[:, :n]


def box_grid(n: int, steps: int) -> Floats:
    """Weights in multiples of 1/(n·steps), none above 1/n."""
    axes = np.meshgrid(*[np.arange(steps + 1) / (n * steps)] * n, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)


def least_noise(w: Floats, epsilon: Floats) -> Floats:
    """‖w/ε‖∞ with 0/0 = 0 and x/∞ = 0; infinite where a forbidden user has weight."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = w / epsilon
    return np.asarray(np.where(w == 0, 0.0, ratio).max(axis=1))


def coordinate(alpha: Floats, a: Floats, b: Floats) -> Floats:
    """P(|a + Lap(b)| ≤ α) from the Laplace distribution function."""

    def below(z: Floats) -> Floats:
        return np.where(z < 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z)))

    return below((alpha - a) / b) - below((-alpha - a) / b)


def all_coordinates(alpha: Floats, a: Floats, b: Floats, k: int, biased: int) -> Floats:
    """P(every |bias + noise| ≤ α)."""
    free = -np.expm1(-alpha / b)
    return np.asarray(coordinate(alpha, a, b) ** biased * free ** (k - biased))


def quantile(a: Floats, b: Floats, beta: float, k: int, biased: int) -> Floats:
    """Bisection on the distribution function."""
    low, high = np.zeros_like(a), a + b * (np.log(2 * k / beta) + 1)
    for _ in range(70):
        middle = (low + high) / 2
        inside = all_coordinates(middle, a, b, k, biased) < 1 - beta
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return (low + high) / 2


def mean_square(a: Floats, b: Floats, k: int, biased: int) -> Floats:
    """∫2α(1−F)dα by Gauss–Legendre on pieces that end at a, where F has a kink, and around it on the scale of b."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    reach = np.minimum(a, 8 * b)
    ends = [0 * a, a - reach, a - reach / 2, a, a + b, a + 4 * b, a + 12 * b, a + 45 * b]
    total = np.zeros_like(a)
    for left, right in pairwise(ends):
        half = (right - left) / 2
        for node, weight in zip(nodes, weights, strict=True):
            alpha = (left + right) / 2 + half * node
            total += weight * half * 2 * alpha * (1 - all_coordinates(alpha, a, b, k, biased))
    return total


def split(V: Floats, b: Floats, beta: float, k: int, splits: int = 4000) -> Floats:
    """The least over a grid of splits of β of V√(log(2k/β₁)/2) + b·q_k(β₂)."""
    best = np.full_like(V, np.inf)
    for theta in np.linspace(-40, 20, splits):
        first = beta / (1 + np.exp(-theta))
        second = beta / (1 + np.exp(theta))
        q = -np.log(-np.expm1(np.log1p(-second) / k))
        best = np.minimum(best, V * np.sqrt(np.log(2 * k / first) / 2) + b * q)
    return best


def table_of(name: str, w: Floats, t: Floats, k: int, beta: float) -> Floats:
    """The criterion `name` for each row of weights; k = 1 for the mean."""
    asked = entry(name)
    n = w.shape[1]
    b = np.maximum((2 if asked.task == "frequency" else 1) * t, NO_NOISE)
    if asked.rule == "centred":
        return _centred(asked, w, b, k, beta)
    a = np.abs(w - 1 / n).sum(axis=1) / 2
    spread = np.sqrt(((w - 1 / n) ** 2).sum(axis=1))
    if asked.rule == "sharp":
        return _sharp(asked, a, spread, b, n, k, beta)
    return _paper(asked, w, a, spread, t, k, beta)


def _paper(asked: Entry[Any], w: Floats, a: Floats, spread: Floats, t: Floats, k: int, beta: float) -> Floats:
    L = (1.0 if k == 1 else np.log(k)) if asked.metric == "mse" else np.log(k / beta)
    first = w.shape[1] * spread**2 if asked.rule == "turbo" else (2 * a) ** 2
    bias = np.minimum(first, L * (w**2).sum(axis=1)) if asked.setting == WEAK else first
    return np.asarray(bias + (L * t) ** 2)


def _sharp(asked: Entry[Any], a: Floats, spread: Floats, b: Floats, n: int, k: int, beta: float) -> Floats:
    biased = min(k, 2)
    if asked.metric == "pac":
        correlated = quantile(a, b, beta, k, biased)
        K = 1 + sum(1 / i for i in range(1, n)) / (n - 1) if n > 1 else 0.0
        if asked.setting != WEAK:
            return correlated
        with np.errstate(divide="ignore", invalid="ignore"):
            tilted = np.where(b > 0, b * np.log(k / beta) + K * spread**2 / (8 * b), np.inf)
        return np.minimum(np.minimum(correlated, tilted), split(np.sqrt(K) * spread, b, beta, k))
    if asked.setting != WEAK:
        return mean_square(a, b, k, biased)
    if k == 1:
        return np.asarray((spread**2 * _variance(n)) + 2 * b**2)
    H, H2 = sum(1 / i for i in range(1, k + 1)), sum(1 / i**2 for i in range(1, k + 1))
    root = (1 - 1 / k) * np.sqrt(n / max(n - 1, 1)) * spread
    return np.minimum(root**2 + 2 * root * b * H + b**2 * (H**2 + H2), mean_square(a, b, k, biased))


def _variance(n: int) -> float:
    """max Σ(x−μ)²/(n−1): the best count of ones among n."""
    return max(m * (n - m) / n for m in range(n + 1)) / (n - 1) if n > 1 else 0.0


def _centred(asked: Entry[Any], w: Floats, b: Floats, k: int, beta: float) -> Floats:
    n, total = w.shape[1], w.sum(axis=1)
    a = (1 - total) / 2
    if asked.setting != WEAK:
        return quantile(a, b, beta, k, k) if asked.metric == "pac" else mean_square(a, b, k, k)
    pure = ((w - total[:, None] / n) ** 2).sum(axis=1) * n / max(n - 1, 1)
    return np.asarray(np.maximum((1 - total) ** 2, pure) / 4 + 2 * b**2)
