"""Weights of two values, permuted data: the bound holds on all data of few users, and against simulation on many."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

from hdp_audit.theory.hull import hull_mse
from hdp_audit.theory.two_weights import TwoWeights, split_weights, two_weights_square
from mechanisms import build
from mechanisms.standard import standard_demands


@pytest.mark.parametrize(("low", "high", "k"), [(1, 2, 3), (2, 2, 3), (3, 2, 4)])
def test_no_data_of_few_users_err_by_more(low: int, high: int, k: int) -> None:
    """With hardly any noise the error is that of the permutation, known exactly."""
    n, weights = low + high, np.array([0.1 / low] * low + [0.9 / high] * high)
    worst = 0.0
    for data in combinations_with_replacement(range(k), n):
        shares = np.array([data.count(j) / n for j in range(k)])
        squares = [
            max((weights[[x == j for x in order]].sum() - shares[j]) ** 2 for j in range(k))
            for order in permutations(data)
        ]
        worst = max(worst, float(np.mean(squares)))
    bound = TwoWeights((low, high), (weights[0], weights[-1]), 1e-6, k).square()
    assert worst <= bound <= 2 * worst


def test_equal_weights_leave_the_noise_and_the_union_bound() -> None:
    """Nothing is moved: min over C of C + k·E(v² − C)₊ is the integral of the union bound, computed another way."""
    assert TwoWeights((50, 50), (0.01, 0.01), 0.02, 10).square() == pytest.approx(
        float(hull_mse(0, 0.01, 10)), rel=1e-4
    )


@pytest.mark.parametrize("categories_used", [2, 4, 10])
def test_simulated_errors_of_the_mechanism_stay_below(categories_used: int) -> None:
    """20,000 releases. A mean of squares, cut at 0.04, is above its expectation by more than the empirical Bernstein
    margin with probability 10⁻⁶ at most (Maurer and Pontil).
    """
    epsilon = standard_demands("two-point")
    mechanism = build("hpf-we-hull", epsilon=epsilon, categories=10)
    weights, level = np.asarray(mechanism.weights), float(mechanism.level or 0.0)
    assert level == 2.0
    sizes, pair, left = split_weights(np.sort(weights))
    bound = TwoWeights(sizes, pair, 2 / float(np.minimum(epsilon, level).sum()), 10).square()
    assert left < 1e-15
    rng = np.random.default_rng(22)
    data = np.arange(1000) % categories_used
    truth = np.bincount(data, minlength=10) / 1000
    counts = rng.multivariate_hypergeometric(np.bincount(data, minlength=10), sizes[1], size=20_000)
    answers = counts * pair[1] + (np.round(truth * 1000) - counts) * pair[0]
    noise = mechanism._float_noise((20_000, 10), rng)
    squares = np.abs(answers + noise - truth).max(axis=1) ** 2
    cut, log = np.minimum(squares, 0.04), math.log(2e6)
    margin = math.sqrt(2 * cut.var(ddof=1) * log / cut.size) + 7 * 0.04 * log / (3 * (cut.size - 1))
    assert cut.mean() - margin < bound < 2 * squares.mean()


def test_weights_near_two_values_pay_for_the_distance() -> None:
    weights = np.sort(np.concatenate([np.full(20, 0.01), np.linspace(0.0399, 0.0401, 20)]))
    weights /= weights.sum()
    sizes, pair, left = split_weights(weights)
    plain = TwoWeights(sizes, pair, 0.01, 5).square()
    assert sizes == (20, 20)
    assert left == pytest.approx(float(((weights - np.repeat(pair, sizes)) ** 2).sum()), rel=1e-6)
    assert plain < two_weights_square(weights, 0.01, 5, 1.0) < 1.1 * plain
    assert two_weights_square(weights, 0.01, 5, plain / 2) == plain / 2
    assert two_weights_square(np.linspace(0, 1, 40) / 20, 0.01, 5, 0.01) == 0.01
