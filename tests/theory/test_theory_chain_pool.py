"""Products of chains from one pool: no laws of the counts do better, and equal demands gain what was promised."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from hdp_audit.theory.chain_pool import lay_pool, mass_below, pooled_risk, promising_pool
from hdp_audit.theory.chain_product import product_risk


def worst_risk(size: int, step: float) -> float:
    """Of the larger squared error of two counts, Σx ≤ |A|, over all laws within e^step of their neighbours; answers on
    a grid of halves. Fewer answers, larger risk.
    """
    nodes = [(a, b) for a, b in product(range(size + 1), repeat=2) if a + b <= size]
    answers = list(product(np.arange(0, size + 0.5, 0.5), repeat=2))
    loss = np.abs(np.array(nodes)[:, None] - np.array(answers)).max(axis=2) ** 2
    moves = {(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)}
    near = [(i, j) for i, x in enumerate(nodes) for j, y in enumerate(nodes) if (y[0] - x[0], y[1] - x[1]) in moves]
    count = len(answers)
    each, last = np.arange(count), len(nodes) * count
    rows = [np.tile(row * count + each, 2) for row in range(len(near))]
    columns = [np.concatenate([i * count + each, j * count + each]) for i, j in near]
    entries = np.tile(np.repeat([1.0, -math.exp(step)], count), len(near))
    ratios = scipy.sparse.csr_matrix(
        (entries, (np.concatenate(rows), np.concatenate(columns))), (len(rows) * count, last + 1)
    )
    risks = scipy.sparse.hstack([scipy.sparse.block_diag(list(loss[:, None])), -np.ones((len(nodes), 1))])
    masses = scipy.sparse.hstack([scipy.sparse.kron(scipy.sparse.identity(len(nodes)), np.ones((1, count))),
                                  np.zeros((len(nodes), 1))])  # fmt: skip
    limits = scipy.sparse.vstack([ratios, risks])
    goal = np.append(np.zeros(last), 1.0)
    found = scipy.optimize.linprog(
        goal, A_ub=limits, b_ub=np.zeros(limits.shape[0]), A_eq=masses, b_eq=np.ones(len(nodes)), method="highs"
    )
    return float(found.fun)


@pytest.mark.parametrize("step", [0.1, 0.6])
def test_no_laws_of_the_counts_have_a_smaller_worst_risk(step: float) -> None:
    truth = worst_risk(4, step) / 16
    assert 0.04 * truth < pooled_risk(np.full(4, step), 3, 1e-6) <= truth * (1 + 1e-7)


def test_the_mass_inside_is_that_of_all_sums() -> None:
    prior = np.array([0.5, 0.3, 0.2])
    sums = {draw: math.prod(prior[list(draw)]) for draw in product(range(3), repeat=4)}
    assert mass_below(prior, 4, 5) == pytest.approx(sum(mass for draw, mass in sums.items() if sum(draw) <= 5))


def test_users_of_a_common_pool_gain_a_quarter_where_demands_are_equal() -> None:
    """equal-0.1: 5.5e-4 with users of their own."""
    demands = np.full(1000, 0.1)
    assert pooled_risk(demands, 10, 5e-4) > 1.25 * product_risk(demands, 10, 5.3e-4) > 6.6e-4


def test_a_known_bound_is_kept() -> None:
    assert pooled_risk(np.full(100, 0.1), 10, 0.2) == 0.2
    assert pooled_risk(np.full(100, 0.1), 10, 0.0) == 0.0


@pytest.mark.parametrize("demand", [0.0, np.inf])
def test_users_who_are_silent_or_public_make_no_pool(demand: float) -> None:
    demands = np.full(9, demand)
    assert promising_pool(demands, 3) == 0
    assert pooled_risk(demands, 4, 0.01) == 0.01


def test_one_user_is_too_few_for_a_chain() -> None:
    assert lay_pool(1, 0.5, 9) is None
