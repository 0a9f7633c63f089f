"""Packings of permuted data: their limits against brute force, and their datasets against their truths."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hdp_audit.model.task import Frequency, Mean
from hdp_audit.search.permuted import Chain, Star, chain_limits, star_limits


def random_densities(rng: np.random.Generator, steps: np.ndarray, size: int) -> np.ndarray:
    """Logarithms whose neighbours are no farther apart than the steps allow."""
    moves = rng.choice([-1.0, 1.0, 0.0], (size, steps.size)) + rng.uniform(-1, 1, (size, steps.size))
    return np.concatenate([np.zeros((size, 1)), np.cumsum(np.clip(moves, -1, 1) * steps, axis=1)], axis=1)


@pytest.mark.parametrize("seed", range(8))
def test_no_answer_of_a_chain_is_better_than_a_tent(seed: int) -> None:
    """Against all extreme and many random densities within the demands: posteriors, and posterior variances."""
    rng = np.random.default_rng(seed)
    rungs = int(rng.integers(2, 7))
    steps, prior = rng.exponential(0.8, rungs - 1), rng.dirichlet(np.ones(rungs))
    height = np.concatenate([[0.0], np.cumsum(steps)])
    right, risk = (float(part[0]) for part in chain_limits(height[None], np.log(prior)[None]))
    extreme = np.array(list(product([-1.0, 1.0], repeat=rungs - 1))) * steps
    extreme = np.concatenate([np.zeros((len(extreme), 1)), np.cumsum(extreme, axis=1)], axis=1)
    posterior = prior * np.exp(np.concatenate([extreme, random_densities(rng, steps, 4000)]))
    posterior /= posterior.sum(axis=1, keepdims=True)
    at = np.linspace(0, 1, rungs)
    variance = posterior @ at**2 - (posterior @ at) ** 2
    assert posterior.max() == pytest.approx(right, rel=1e-9)
    assert variance.min() == pytest.approx(risk, rel=1e-9)


def test_a_chain_of_two_is_a_star_with_one_rival() -> None:
    total = np.array([0.0, 0.3, 2.0, 9.0])
    star = star_limits(total, 1)
    chain = chain_limits(np.column_stack([np.zeros(4), total]), np.zeros((4, 2)))
    for one, other in zip(star, chain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


@pytest.mark.parametrize("task", [Mean(), Frequency(4)])
def test_truths_are_those_of_the_datasets(task: Mean | Frequency) -> None:
    epsilon = np.array([0.1, 0.2, 0.3, 0.4, 1.0, 2.0, np.inf, np.inf])
    for packing in (Star(epsilon, task, 3), Chain(epsilon, task, 4, 2, 2), Chain(epsilon, task, 6, 1, 5)):
        drawn = packing.draw(np.random.default_rng(1), 40)
        assert drawn.rows.dtype == task.domain.everybody(1, 0).dtype
        np.testing.assert_allclose([task.truth(row) for row in drawn.rows], drawn.truths)
        np.testing.assert_allclose(packing.projected(drawn.truths), drawn.truths)
        assert np.ptp(drawn.truths, axis=0).max() <= packing.reach + 1e-12


def test_a_chain_permutes_its_data_whatever_is_told() -> None:
    """Everybody is a one equally often: 4,000 draws, five standard deviations times 12 users, false alarm 1e-5/2."""
    epsilon = np.linspace(0.1, 2.0, 12)
    drawn = Chain(epsilon, Mean(), 7, 2, 3).draw(np.random.default_rng(3), 4000)
    share = drawn.rows.mean(axis=0)
    assert np.abs(share - drawn.truths.mean()).max() < 5.5 * 0.5 / np.sqrt(4000)


def test_limits_hold_for_a_mechanism_that_knows_its_demands_to_the_last_bit() -> None:
    """n = 1, ε: randomised response is exactly as good as a star with one rival allows."""
    epsilon = np.array([0.7])
    star = Star(epsilon, Mean(), 1)
    drawn = star.draw(np.random.default_rng(5), 8)
    np.testing.assert_allclose(drawn.right, 1 / (1 + np.exp(-0.7)))


def test_a_public_user_among_the_moved_allows_the_truth() -> None:
    drawn = Star(np.array([0.1, np.inf]), Mean(), 2).draw(np.random.default_rng(5), 8)
    np.testing.assert_allclose(drawn.right, 1.0)
    np.testing.assert_allclose(drawn.risk, 0.0)
