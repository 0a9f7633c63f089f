"""Explicit upper bounds on the error, exact where they can be: what the sharp and centred variants minimise.

Before clipping, the error is ‖A + N‖∞ with N independent Laplace of scale b and A the bias. Over all data A ranges
over a polytope whose vertices carry |bias| a in `biased` coordinates (simplex weights: 2 of k, a(e_i − e_j); centred:
all k; a mean: 1) and 0 in the rest. P(‖A + N‖∞ ≤ α) is log-concave and even in A, E‖A + N‖∞² is convex: both are
worst at a vertex. Clipping never increases the error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechanisms.demands import Floats


def _log_within(y: Floats, x: Floats) -> Floats:
    """log P(|x + N| ≤ y) for N Laplace of scale 1: 1 − e^{−y}cosh x where y ≥ x, e^{−x}sinh y below."""
    gap = np.abs(y - x)
    with np.errstate(divide="ignore"):
        beyond = np.log1p(-0.5 * np.exp(-gap) * (1.0 + np.exp(-2.0 * x)))
        inside = -gap + np.log(-0.5 * np.expm1(-2.0 * np.minimum(y, x)))
    return np.where(y >= x, beyond, inside)


def _log_cdf(y: Floats, x: Floats, biased: int, free: int) -> Floats:
    with np.errstate(divide="ignore"):
        rest = free * np.log(-np.expm1(-y)) if free else 0.0
    return biased * _log_within(y, x) + rest


def largest_of_exponentials(count: int, beta: Floats | float) -> Floats:
    """q_k(β) = log(1/(1 − (1−β)^{1/k})): the exact (1−β)-quantile of the largest of k Exp(1)."""
    return np.asarray(-np.log(-np.expm1(np.log1p(-np.asarray(beta)) / count)))


def typical_maximum(count: int, beta: float | None) -> float:
    """q_k(β), or for the squared error √(H² + H₂), the root mean square of the largest of k Exp(1)."""
    if beta is not None:
        return float(largest_of_exponentials(count, beta))
    inverses = 1.0 / np.arange(1, count + 1)
    return float(np.sqrt(inverses.sum() ** 2 + (inverses**2).sum()))


def worst_quantile(bias: Floats, scale: Floats, beta: float, biased: int, free: int) -> Floats:
    """The (1−β)-quantile of ‖A + N‖∞ at the worst vertex, exact before clipping.

    With one coordinate b·log(cosh(a/b)/β) for β ≤ ½.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(scale > 0, bias / scale, 0.0)
    low = np.zeros_like(x)
    high = x + largest_of_exponentials(biased + free, beta)
    target = np.log1p(-beta)
    for _ in range(64):
        middle = 0.5 * (low + high)
        reached = _log_cdf(middle, x, biased, free) >= target
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return np.where(scale > 0, scale * high, bias)


_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(96)
_REACH = 45.0  # e^{−45}: beyond this both tails are below a double's resolution


def worst_square(bias: Floats, scale: Floats, biased: int, free: int) -> Floats:
    """E‖A + N‖∞² at the worst vertex, exact before clipping: ∫2α·P(‖A + N‖∞ > α)dα (a mean: a² + 2b²)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(scale > 0, bias / scale, 0.0)
    start = np.maximum(x - _REACH, 0.0)
    y, dy = nodes(start, x)
    inside = (2.0 * y * np.exp(_log_cdf(y, x[:, None], biased, free)) * dy).sum(axis=1)
    y, dy = nodes(x, x + _REACH + np.log(biased + free))
    beyond = (2.0 * y * -np.expm1(_log_cdf(y, x[:, None], biased, free)) * dy).sum(axis=1)
    return np.where(scale > 0, scale**2 * (x**2 - inside + beyond), bias**2)


def nodes(start: Floats, stop: Floats) -> tuple[Floats, Floats]:
    """Points and weights of Gauss and Legendre between two ends, a row for each pair of them."""
    half = 0.5 * (stop - start)[:, None]
    return start[:, None] + half * (_NODES + 1.0), half * _NODE_WEIGHTS


def permutation_factor(users: int) -> float:
    """K_n = 1 + H_{n−1}/(n−1) (ours): Σ(w_i − 1/n)x_σ(i) is sub-Gaussian with variance proxy K_n‖w − 1/n‖₂²/4.

    Reveal the coordinate of the largest |w_i − 1/n| first: its conditional mean is (n/(n−1))c_i·x_σ(i) plus a
    constant, Hoeffding's lemma bounds the step, and what is left is again a centred permutation sum of n − 1 terms.
    The recursion K_2 = 2, K_n = q·n/(n−1) + (1−q)K_{n−1} with q ≥ 1/(n−1) solves to K_n.
    """
    if users < 2:
        return 1.0
    return 1.0 + float(np.sum(1.0 / np.arange(1, users))) / (users - 1)


def split_quantile(spread: Floats, scale: Floats, users: int, outputs: int, beta: float) -> Floats:
    """min over β₁ + β₂ = β of ‖w − 1/n‖₂·√(K_n·log(2k/β₁)/2) + b·q_k(β₂).

    Weakly correlated, by Hoeffding and a union bound.
    """
    return least_split(spread, scale, users, outputs, beta, largest_of_exponentials)


def least_split(
    spread: Floats, scale: Floats, users: int, outputs: int, beta: float, largest: Callable[[int, Floats], Floats]
) -> Floats:
    """The same for noise whose largest entry of k has `largest(k, β)` scales as its quantile."""
    deviation = spread * np.sqrt(permutation_factor(users))

    def total(logit: Floats) -> Floats:
        permuted = np.sqrt(0.5 * np.log(2 * outputs * (1.0 + np.exp(-logit)) / beta))
        noise = largest(outputs, beta / (1.0 + np.exp(logit)))
        return deviation[:, None] * permuted + scale[:, None] * noise

    low, high = np.full_like(spread, -40.0), np.full_like(spread, 40.0)
    steps = np.linspace(0.0, 1.0, 33)
    best = np.full_like(spread, np.inf)
    for _ in range(5):
        logits = low[:, None] + (high - low)[:, None] * steps
        values = total(logits)
        at = values.argmin(axis=1)
        best = np.minimum(best, values.min(axis=1))
        low, high = around(logits, at)
    return best


def tilted_quantile(spread: Floats, scale: Floats, users: int, outputs: int, beta: float) -> Floats:
    """b·log(k/β) + K_n‖w − 1/n‖₂²/(8b) (ours): weakly correlated, noise and permutation in one step.

    P(N > x) ≤ ½e^{−x/b} for every x, below 0 too, so P(|A_j + N_j| > α) ≤ ½e^{−α/b}·E(e^{A_j/b} + e^{−A_j/b}), and
    each expectation is at most exp(K_n‖w − 1/n‖₂²/(8b²)); a union bound over k outputs. Of no use without noise.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = scale * np.log(outputs / beta) + permutation_factor(users) * spread**2 / (8.0 * scale)
    return np.where(scale > 0, bound, np.inf)


def around(grid: Floats, at: np.ndarray) -> tuple[Floats, Floats]:
    """The points on both sides of the given one, in each row."""
    rows = np.arange(grid.shape[0])
    last = grid.shape[1] - 1
    return grid[rows, np.maximum(at - 1, 0)], grid[rows, np.minimum(at + 1, last)]


def largest_sample_variance(users: int) -> float:
    """max over x ∈ [0,1]^n of Σ(x − μ)²/(n−1): half of the users at 1, or as near as n allows."""
    if users < 2:
        return 0.0
    return (users + 1) / (4.0 * users) if users % 2 else users / (4.0 * (users - 1))


def permuted_square_mean(spread: Floats, scale: Floats, users: int) -> Floats:
    """‖w − 1/n‖₂²·S²_max + 2b²: the exact worst mean squared error of a weakly correlated mean, before clipping."""
    return spread**2 * largest_sample_variance(users) + 2.0 * scale**2


def permuted_square_frequency(spread: Floats, scale: Floats, users: int, outputs: int) -> Floats:
    """V + 2√V·bH + b²(H² + H₂), V = (1−1/k)²·n/(n−1)·‖w − 1/n‖₂²: A and N are independent, ΣA_j = 0."""
    harmonic = float(np.sum(1.0 / np.arange(1, outputs + 1)))
    root = (1.0 - 1.0 / outputs) * np.sqrt(users / max(users - 1, 1)) * spread
    return root**2 + 2.0 * root * scale * harmonic + (scale * typical_maximum(outputs, None)) ** 2


def permuted_square(spread: Floats, scale: Floats, users: int, outputs: int) -> Floats:
    """Whichever of the two it is."""
    if outputs == 1:
        return permuted_square_mean(spread, scale, users)
    return permuted_square_frequency(spread, scale, users, outputs)


def shrinkage(spread: Floats, t: Floats, users: int, variance: float = 2.0) -> Floats:
    """The factor s that minimises ¼max((1−s)², s²V) + s²·v·t², V = ‖w − 1/n‖₂²·n/(n−1): weak mean around ½ (ours).

    v is the noise's variance at scale 1: 2 for Laplace noise.
    """
    root = spread * np.sqrt(users / max(users - 1, 1))
    return np.minimum(1.0 / (1.0 + 4.0 * variance * t**2), 1.0 / (1.0 + root))


def shrunken_square_mean(spread: Floats, t: Floats, users: int, variance: float = 2.0) -> Floats:
    """¼max((1−s)², s²V) + s²·v·t² at the best s: S² ≤ (n/(n−1))(¼ − (½−μ)²), so the worst μ is ½ or an end."""
    s = shrinkage(spread, t, users, variance)
    moved = spread**2 * users / max(users - 1, 1)
    return 0.25 * np.maximum((1.0 - s) ** 2, s**2 * moved) + variance * s**2 * t**2
