"""Second opinions: what the ledger proves symbolically is tried again with plain numbers (seeded, deterministic)."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest


def _inside(bias: np.ndarray, alpha: float) -> float:
    """P(‖bias + N‖∞ ≤ α) for independent Laplace(1) noise, from the distribution function."""

    def cdf(x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0)))

    return float(np.prod(cdf(alpha - bias) - cdf(-alpha - bias)))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_bias_vector_is_worse_than_a_vertex(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(300):
        vector = rng.standard_normal(k)
        vector -= vector.mean()
        size = np.abs(vector).sum() / 2
        vertex = np.zeros(k)
        vertex[:2] = size, -size
        alpha = float(rng.exponential(2.0))
        assert _inside(vertex, alpha) <= _inside(vector, alpha) + 1e-12


@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_dataset_is_worse_than_the_two_vertices_of_weights_that_miss_some(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(200):
        n, c = int(rng.integers(2, 9)), float(rng.uniform(0, 1))
        weights = rng.dirichlet(np.full(n, 0.5)) * rng.uniform(0.2, 1)
        missing, excess = 1 - weights.sum(), np.maximum(weights - 1 / n, 0).sum()
        bias = c * missing + np.bincount(rng.integers(0, k, n), weights=weights - 1 / n, minlength=k)
        apart, together = np.full((2, k), c * missing)
        apart[:2] = excess + c * missing, excess + (1 - c) * missing
        together[0] = (1 - c) * missing
        scale, alpha = float(rng.uniform(0.02, 0.5)), float(rng.exponential(0.5))
        worst = min(_inside(vertex / scale, alpha / scale) for vertex in (apart, together))
        assert worst <= _inside(bias / scale, alpha / scale) + 1e-12


@pytest.mark.parametrize("rivals", [1, 2, 4])
def test_no_law_within_the_promise_is_right_more_often_than_allowed(rivals: int) -> None:
    """Random laws on six answers for each dataset, ratios at most e^S; every answer is taken for the likeliest."""
    rng = np.random.default_rng(rivals)
    for _ in range(300):
        total = float(rng.uniform(0.1, 3))
        laws = rng.dirichlet(np.ones(6), rivals + 1)
        mixed = laws.mean(axis=0)
        share = 1.0
        while (np.log(laws.max(axis=0) / laws.min(axis=0)) > total).any():
            share *= 0.9
            laws = mixed + share * (laws - mixed)
        assert laws.max(axis=0).sum() / (rivals + 1) <= 1 / (1 + rivals * math.exp(-total)) + 1e-12


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_weak_conditions_hold_for_randomised_response_on_the_packing(n: int) -> None:
    """A mechanism that reports each user by ε_i-randomised response and tests all-zero against m ones."""
    rng = np.random.default_rng(n)
    eps = rng.uniform(0, 3, n)
    flip = 1 / (1 + np.exp(eps))
    m = int(rng.integers(1, n + 1))
    reports = np.array(list(np.ndindex(*(2,) * n)))
    zero = np.prod(np.where(reports == 1, flip, 1 - flip), axis=1)
    ones = np.zeros(len(reports))
    sets = list(combinations(range(n), m))
    for chosen in sets:
        data = np.zeros(n)
        data[list(chosen)] = 1
        ones += np.prod(np.where(reports == data, 1 - flip, flip), axis=1) / len(sets)
    guess = ones > zero
    beta = max(zero[guess].sum(), ones[~guess].sum())
    plus = np.mean([math.exp(sum(eps[list(chosen)])) for chosen in sets])
    minus = np.mean([math.exp(-sum(eps[list(chosen)])) for chosen in sets])
    if beta < 1:
        assert plus >= (1 - beta) / beta - 1e-9
        assert minus <= beta / (1 - beta) + 1e-9


def test_the_two_dataset_bound_is_below_every_laplace_mean() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 12))
        eps = np.sort(np.exp(rng.uniform(-3, 2, n)))
        level = float(np.exp(rng.uniform(-3, 2)))
        w = np.minimum(eps, level)
        w /= w.sum()
        upper = (np.abs(w - 1 / n).sum() / 2) ** 2 + 2 * float(np.max(w / eps)) ** 2
        sums = np.cumsum(eps)
        lower = max((m / (2 * n)) ** 2 / math.cosh(sums[m - 1] / 2) ** 2 for m in range(1, n + 1))
        assert lower <= upper + 1e-12


def test_the_packing_bound_is_below_the_exact_quantile_of_every_laplace_mean() -> None:
    rng = np.random.default_rng(6)
    for _ in range(200):
        n, beta = int(rng.integers(1, 30)), float(rng.uniform(0.01, 0.4))
        eps = np.sort(np.exp(rng.uniform(-3, 2, n)))
        w = np.minimum(eps, float(np.exp(rng.uniform(-3, 2))))
        w /= w.sum()
        a, b = np.abs(w - 1 / n).sum() / 2, float(np.max(w / eps))
        quantile = b * (a / b + math.log1p(math.exp(-2 * a / b)) - math.log(2 * beta))
        short = int(np.sum(np.cumsum(eps) < math.log((1 - beta) / beta)))
        assert min(0.5, short / (2 * n)) <= quantile + 1e-12


def test_the_saturated_weights_beat_every_other_feasible_vector_in_every_convex_sum() -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        n = int(rng.integers(2, 9))
        eps = np.exp(rng.uniform(-2, 2, n))
        level = float(np.quantile(eps, rng.uniform(0, 1)))
        best = np.minimum(eps, level)
        t = 1 / best.sum()
        best *= t
        other = best.copy()
        i, j = rng.choice(n, 2, replace=False)
        step = rng.uniform(0, 1) * min(other[i], t * eps[j] - other[j])
        other[i] -= step
        other[j] += step
        for convex in (np.square, np.exp, lambda x: np.abs(x - 0.2), lambda x: np.maximum(x - 0.3, 0)):
            assert convex(best).sum() <= convex(other).sum() + 1e-12


def test_permuted_bins_have_the_stated_mean_square() -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        n, k = 5, int(rng.integers(2, 5))
        c = rng.standard_normal(n)
        c -= c.mean()
        x = rng.integers(0, k, n)
        worst = np.mean([max(sum(c[i] for i in range(n) if y[i] == j) ** 2 for j in range(k)) for y in permutations(x)])
        assert worst <= (1 - 1 / k) ** 2 * n / (n - 1) * (c @ c) + 1e-12


@pytest.mark.parametrize("size_a", [1, 2, 3, 4])
def test_the_split_bounds_the_variation_of_randomised_response(size_a: int) -> None:
    """T against T + m ones at random places, n = 5: TV ≤ E tanh(S/2) + TV of the number of ones in B (exact sums)."""
    n = 5
    rng = np.random.default_rng(20 + size_a)
    reports = np.array(list(np.ndindex(*(2,) * n)))
    for _ in range(20):
        eps = np.sort(rng.uniform(0, 2, n))
        eps[size_a:] = 50.0  # in the clear, as far as doubles can tell
        flip = 1 / (1 + np.exp(eps))
        m = int(rng.integers(1, size_a + 1))
        low = (n - m) // 2
        laws, counts = [], []
        for ones in (low, low + m):
            sets = list(combinations(range(n), ones))
            law, count = np.zeros(len(reports)), np.zeros(n + 1)
            for chosen in sets:
                data = np.isin(np.arange(n), chosen).astype(int)
                law += np.prod(np.where(reports == data, 1 - flip, flip), axis=1) / len(sets)
                count[data[size_a:].sum()] += 1 / len(sets)
            laws.append(law)
            counts.append(count)
        moved = np.mean([math.tanh(sum(eps[list(c)]) / 2) for c in combinations(range(size_a), m)])
        assert np.abs(laws[0] - laws[1]).sum() / 2 <= moved + np.abs(counts[0] - counts[1]).sum() / 2 + 1e-9


def test_the_tilted_weak_bound_covers_every_order() -> None:
    """P(|A_σ + N| > α) ≤ β at α = b·log(1/β) + V²/8b for the mean, summed over all orders of n = 5 users."""
    rng = np.random.default_rng(11)
    n = 5
    constant = 1 + sum(1 / i for i in range(1, n)) / (n - 1)
    for _ in range(40):
        w = rng.dirichlet(np.ones(n))
        b, beta = float(rng.uniform(0.02, 1.0)), float(rng.uniform(0.01, 0.5))
        x = rng.integers(0, 2, n)
        alpha = b * math.log(1 / beta) + constant * float(((w - 1 / n) ** 2).sum()) / (8 * b)
        shifts = np.array([(w - 1 / n) @ np.array(order) for order in permutations(x)])
        inside = [_inside(np.array([shift / b]), alpha / b) for shift in shifts]
        assert 1 - np.mean(inside) <= beta + 1e-12
