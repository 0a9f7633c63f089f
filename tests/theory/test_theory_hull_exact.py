"""Hull noise without union bounds: the exact law, and permuted data, against sampling and enumeration."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from hdp_audit.theory import hull, hull_law
from hdp_audit.theory.hull_tail import hull_tail
from hdp_audit.theory.weak_tail import WeakTail, hull_tangents, laplace_tangents, simplex_weights, tilted_bound


def largest_of_dirichlet(k: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """‖v‖∞ in units of t: r·max of Dirichlet parts, r ~ Gamma(k−1), j positives with weight C(k,j)C(k−2,j−1)."""
    weights = np.array([math.comb(k, j) * math.comb(k - 2, j - 1) for j in range(1, k)], dtype=float)
    positives = rng.choice(np.arange(1, k), size, p=weights / weights.sum())
    parts = rng.exponential(size=(size, k))
    above = np.arange(k) < positives[:, None]
    up = np.where(above, parts, 0.0)
    down = np.where(above, 0.0, parts)
    largest = np.maximum(up.max(axis=1) / up.sum(axis=1), down.max(axis=1) / down.sum(axis=1))
    return rng.gamma(k - 1, size=size) * largest


def test_three_categories_have_a_closed_form() -> None:
    """P(‖v‖∞ > a) = (1 + a)e^{−a} in units of t, and E‖v‖∞² = 6."""
    assert hull_law.exact_mse(0.0, 1.0, 3, 0.5) == pytest.approx(6, rel=1e-4)
    found = hull_law.exact_pac(0.0, 1.0, 3, 0.05, 0.5)
    assert (1 + found) * math.exp(-found) == pytest.approx(0.05, rel=1e-4)


@pytest.mark.parametrize(("k", "square"), [(4, 9.9), (10, 28.72), (12, 33.53)])
def test_the_exact_law_is_that_of_dirichlet_parts(k: int, square: float) -> None:
    """40,000 draws; six standard errors have a false-alarm probability of 2e-9."""
    assert hull_law.exact_mse(0.0, 1.0, k, 0.5) == pytest.approx(square, rel=1e-3)
    sizes = largest_of_dirichlet(k, 40_000, np.random.default_rng(k))
    alpha = np.array([3.0, 5.0, 8.0])
    law = hull_law.inside(alpha / 2, 0.0, 0.0, k)
    share = (sizes[:, None] <= alpha).mean(axis=0)
    assert np.abs(share - law).max() < 6 * 0.5 / 200


@pytest.mark.parametrize(("k", "deficit"), [(3, 0.7), (10, 0.0), (10, 5.0)])
def test_the_exact_law_is_below_the_union_bound_and_meets_it_far_out(k: int, deficit: float) -> None:
    for beta, least in ((0.05, 0.9), (1e-6, 0.999)):
        centre, union = float(hull.hull_centre(deficit, 0.5, k, beta)), float(hull.hull_pac(deficit, 0.5, k, beta))
        assert least * union < hull_law.exact_pac(deficit, 0.5, k, beta, centre) <= union * (1 + 1e-6)
    centre = float(hull.hull_centre(deficit, 0.5, k, None))
    assert hull_law.exact_mse(deficit, 0.5, k, centre) < 0.95 * float(hull.hull_mse(deficit, 0.5, k))


def hull_draws(k: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """v in units of t: r·(Dirichlet parts of the positives, less those of the others)."""
    weights = np.array([math.comb(k, j) * math.comb(k - 2, j - 1) for j in range(1, k)], dtype=float)
    positives = rng.choice(np.arange(1, k), size, p=weights / weights.sum())
    parts = rng.exponential(size=(size, k))
    above = rng.permuted(np.arange(k) < positives[:, None], axis=1)
    up, down = np.where(above, parts, 0.0), np.where(above, 0.0, parts)
    unit = up / up.sum(axis=1, keepdims=True) - down / down.sum(axis=1, keepdims=True)
    return rng.gamma(k - 1, size=size)[:, None] * unit


@pytest.mark.parametrize("entries", [(0.17,) * 5 + (0.03,) * 5, (0.1,) * 10, (0.9,) + (0.1 / 9,) * 9])
def test_clipped_answers_keep_the_clipped_law(entries: tuple[float, ...]) -> None:
    """40,000 draws; a share six standard errors above the law has a false-alarm probability of 1e-9."""
    deficit, t, centre = 0.08, 0.017, 0.15
    bias = np.full(10, centre * deficit)
    bias[0] -= deficit
    answers = np.clip(np.array(entries) + bias + t * hull_draws(10, 40_000, np.random.default_rng(7)), 0.0, 1.0)
    errors = np.abs(answers - entries).max(axis=1)
    quantile = hull_law.exact_pac(deficit, t, 10, 0.05, centre, total=1.0)
    assert quantile < 0.995 * hull_law.exact_pac(deficit, t, 10, 0.05, centre)
    assert (errors > quantile).mean() < 0.05 + 6 * math.sqrt(0.05 * 0.95 / 40_000)
    square = hull_law.exact_mse(deficit, t, 10, centre, total=1.0)
    assert square < 0.99 * hull_law.exact_mse(deficit, t, 10, centre)
    assert (errors**2).mean() < square + 6 * (errors**2).std() / 200


def test_the_worst_table_nearly_meets_the_clipped_law() -> None:
    """All entries above α: five of them, each farther from 0 than any error, and the others answered from 0."""
    found = hull_law.inside(np.array([3.0]), 0.0, 0.0, 10, np.array([5]))
    draws = hull_draws(10, 40_000, np.random.default_rng(8)) / 2
    share = ((np.abs(draws[:, :5]) <= 3).all(axis=1) & (draws[:, 5:] <= 3).all(axis=1)).mean()
    assert abs(share - found[0]) < 6 * 0.5 / 200


def test_tangents_lie_above_the_tail_everywhere() -> None:
    y = np.linspace(-4, 50, 400)
    tail = hull_tail(10)
    tangents = hull_tangents(tail, 1.0)
    lines = tangents.heights - tangents.rates * y[:, None]
    assert (lines >= np.log(tail.beyond(y))[:, None] - 1e-9).all()
    laplace = laplace_tangents(1.0)
    exact = np.where(y >= 0, -y - math.log(2), np.log1p(-np.exp(np.minimum(y, 0.0)) / 2))
    assert ((laplace.heights - laplace.rates * y[:, None]) >= exact[:, None] - 1e-9).all()


def test_equal_weights_leave_the_noise_alone() -> None:
    tail = WeakTail(np.full(50, 1 / 50), hull_tangents(hull_tail(10), 2.0), 10)
    assert tail.pac(0.05) == pytest.approx(8.909, rel=0.01)
    assert 35.4 < tail.mse() < 37.5


def test_the_bound_covers_every_order_of_every_small_table() -> None:
    """n = 5, k = 3, Laplace noise: P(some |A_j + N_j| > α), enumerated over the orders, never exceeds the bound."""
    weights = simplex_weights(np.array([0.1, 0.2, 0.5, 1.0, 1.0]), 0.8)
    bound = WeakTail(weights, laplace_tangents(0.1), 3)
    alpha = np.array([0.1, 0.25, 0.5, 0.8])
    outside = bound.outside(alpha)
    for data in ((0, 0, 0, 0, 0), (0, 0, 0, 1, 1), (0, 1, 1, 2, 2), (0, 0, 1, 1, 2), (0, 0, 0, 0, 1)):
        table = np.bincount(data, minlength=3) / 5
        orders = np.array(list(permutations(data)))
        found = np.zeros(alpha.size)
        for j in range(3):
            bias = (orders == j) @ weights - table[j]
            right, left = (alpha[:, None] - bias) / 0.1, (alpha[:, None] + bias) / 0.1
            found += sum(
                np.where(z >= 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2) for z in (right, left)
            ).mean(axis=1)
        assert (found <= outside * (1 + 1e-9)).all(), data


def test_the_search_s_bound_is_never_below_the_sharper_one() -> None:
    demands = np.sort(np.random.default_rng(3).choice(np.linspace(0.05, 1, 20), 300))
    tangents = hull_tangents(hull_tail(10), 1.0)
    weights = simplex_weights(demands, 0.4)
    scale = 2 / np.minimum(demands, 0.4).sum()
    spread = np.array([((weights - weights.mean()) ** 2).sum()])
    sharp = WeakTail(weights, hull_tangents(hull_tail(10), scale), 10)
    quick, square = (float(tilted_bound(tangents, np.array([scale]), spread, 300, 10, b)[0]) for b in (0.05, None))
    assert sharp.pac(0.05) < quick
    assert sharp.mse() < square
