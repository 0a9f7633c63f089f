"""The chain under a Beta prior: its steps hold for every mechanism, its priors are laws, its bounds no guarantees."""

from __future__ import annotations

import math
import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from hdp_audit.theory.beta_chain import BetaPlan, beta_mse, beta_pac, beta_plans
from hdp_audit.theory.chain import Chain
from hdp_audit.theory.lower_mse import k_datasets_weak
from hdp_audit.theory.symmetric import compress
from hdp_audit.theory.typical_steps import LEAK, Steps

TWO_POINT = np.repeat([0.05, 2.0], 500)


def subset_laws(epsilon: np.ndarray, rng: np.random.Generator) -> dict[frozenset[int], float]:
    """A density for each set of users with datum 1 that keeps every demand: products of each user's own answer."""
    users = range(epsilon.size)
    share = rng.uniform(-1, 1, epsilon.size)
    sets = [frozenset(part) for r in range(epsilon.size + 1) for part in combinations(users, r)]
    return {part: math.exp(sum(share[i] * epsilon[i] for i in part)) for part in sets}


def test_neighbouring_counts_are_within_the_exact_step() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        epsilon = np.sort(rng.uniform(0, 2, 5))
        law = subset_laws(epsilon, rng)
        means = [np.mean([value for part, value in law.items() if len(part) == j]) for j in range(6)]
        for j in range(5):
            step, leak = Steps(np.exp(epsilon)).step(min(5 - j, j + 1))
            assert leak == 0
            assert abs(math.log(means[j + 1] / means[j])) <= step * (1 + 1e-12)


def test_a_typical_step_leaks_less_than_it_says() -> None:
    """r of the users drawn without replacement exceed e^s by less than η: of 2000 draws none does (chance < 1e-6)."""
    growth = np.exp(np.linspace(0, 0.5, 400))
    steps, r = Steps(growth), 150
    step, leak = steps.step(r)
    assert leak == LEAK
    assert math.log(growth.mean()) < step < math.log(growth[-r:].mean())
    rng = np.random.default_rng(5)
    means = np.array([rng.permutation(growth)[:r].mean() for _ in range(2000)])
    assert means.max() < math.exp(step)


def test_swing_bounds_what_leaking_steps_can_take() -> None:
    """g within e^s of its neighbours but for η: the form falls below the recursion's value by at most η·swing."""
    rng = np.random.default_rng(6)
    chain = Chain(np.arange(6.0), np.full(5, 0.3))
    for _ in range(300):
        form = rng.normal(size=(1, 6))
        leak = 0.1
        g = np.empty(6)
        g[0] = rng.uniform(0.5, 2)
        for j in range(5):
            low, high = (g[j] - leak) * math.exp(-0.3), g[j] * math.exp(0.3) + leak
            g[j + 1] = rng.uniform(max(low, 0.0), high)
        assert form[0] @ g >= chain.least(form)[0] * g[0] - leak * chain.swing(form) - 1e-12


def test_blocks_hold_no_more_than_the_whole_law() -> None:
    plan = beta_plans(TWO_POINT)[0]
    blocks = list(plan.blocks())
    assert 0.98 < sum(block.mass for block in blocks) <= 1
    assert all(0.8 < block.prior.sum() <= 1 for block in blocks)
    assert sum(block.mass * block.prior.sum() for block in blocks) > 0.95


@pytest.mark.parametrize(("size", "clear", "twice_a"), [(40, 25, 6.0), (9, 60, 3.5), (700, 1, 20.0)])
def test_masses_and_least_priors_are_those_of_the_law(size: int, clear: int, twice_a: float) -> None:
    """Heads of all are beta-binomial, and those of A given all of them hypergeometric."""
    plan, n = BetaPlan(size, clear, twice_a, Steps(np.ones(size))), size + clear
    heads = plan.heads[-3:]
    centres = np.round(plan.means()[-3:]).astype(np.int64)
    counts = centres[:, None] + np.arange(-plan.reach, plan.reach + 1)
    all_heads = counts + heads[:, None]
    law = stats.betabinom(n, twice_a / 2, twice_a / 2).pmf(all_heads) * stats.hypergeom(n, size, all_heads).pmf(counts)
    law = np.nan_to_num(law)  # of counts beyond all users
    masses, least = plan._masses_and_least(heads, centres)
    assert masses == pytest.approx(law.sum(axis=1), rel=1e-7)
    assert least == pytest.approx((law / law.sum(axis=1, keepdims=True)).min(axis=0), rel=1e-7, abs=1e-300)


def test_priors_of_millions_of_users_take_memory_for_counts_alone() -> None:
    """Thousands of b times tens of thousands of counts took seven gigabytes."""
    plan = BetaPlan(1_000_000, 1_000_000, 1_500.0, Steps(np.ones(1)))
    heads, centres = plan.heads[-300:], np.round(plan.means()[-300:]).astype(np.int64)
    tracemalloc.start()
    plan._masses_and_least(heads, centres)
    largest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert heads.size * (2 * plan.reach + 1) * 8 > 8 * largest  # one number for each pair


def test_the_chain_comes_near_the_guarantee_where_coins_did_not() -> None:
    """two-point: a shrunk mean guarantees 1.817e-4 and 0.02824; coins gave 1.03e-4 and 0.02."""
    assert 1.6e-4 < beta_mse(TWO_POINT) < 1.817e-4
    assert 0.025 <= beta_pac(TWO_POINT, 0.05, 0.02) < 0.02824


def test_nobody_can_be_wrong_about_what_is_public() -> None:
    assert beta_mse(np.full(5, np.inf)) == 0
    assert beta_pac(np.full(5, np.inf), 0.05) == 0


def test_half_silent_and_half_public_meet_the_paper_s_special_case() -> None:
    """1/(8n) ≤ truth ≤ 1/(4(n−1))."""
    demands = np.repeat([0.0, np.inf], 50)
    assert 1 / 800 <= beta_mse(demands) <= 1 / (4 * 99)


@pytest.mark.parametrize("rivals", [1, 2, 9])
def test_k_datasets_equal_the_sum_over_all_sets_of_users(rivals: int) -> None:
    demands = np.array([0.0, 0.2, 0.7, 1.5, 3.0])
    exact = 0.0
    for m in range(1, 6):
        sums = [sum(part) for part in combinations(demands, m)]
        mean = np.mean([1 / math.cosh(max(s - math.log(rivals), 0.0) / 2) ** 2 for s in sums])
        exact = max(exact, (m / 10) ** 2 * mean)
    found = k_datasets_weak(*compress(demands), rivals)
    assert 0.5 * exact <= found <= exact * (1 + 1e-9)
