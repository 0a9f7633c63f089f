"""Sums of differences: for outputs of which each adds noise of its own to the one before."""

from __future__ import annotations

import numpy as np

from hdp_audit.distinguishers.differences import differences, shared_score
from hdp_audit.distinguishers.distinguisher import Sample
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.steps import summed
from hdp_audit.model.promise import PureLimit


def sample(outputs: np.ndarray, coins: np.ndarray) -> Sample:
    features = Features.fitted(table := np.column_stack([outputs, np.zeros(len(outputs))]))
    return Sample(features(table), coins, features.independent, 40, PureLimit(0.1))


def right(scores: np.ndarray, coins: np.ndarray) -> float:
    return float(np.mean((scores > 0) == coins))


def test_prefix_sums_are_told_by_their_differences_far_better_than_by_any_output() -> None:
    """Eight steps of 0.25 scales: their likelihood ratio is right in 63%, the last sum alone in 58%.

    Of 20,000 fresh draws the share of right guesses is off by 0.018 with probability below 10⁻⁶.
    """
    rng = np.random.default_rng(1)
    coins = rng.random(40_000) < 0.5
    outputs = np.cumsum(rng.laplace(size=(40_000, 8)) + 0.25 * coins[:, None], axis=1)
    learned, judged = sample(outputs[:20_000], coins[:20_000]), sample(outputs[20_000:], coins[20_000:])
    rules = [candidate.score for candidate in differences(learned)]
    assert len(rules) == 2
    best = max(right(summed(rule, judged.outputs), judged.coins) for rule in rules if isinstance(rule, tuple))
    assert best > 0.61
    assert best > right(judged.outputs[:, 7] - np.median(judged.outputs[:, 7]), judged.coins) + 0.02


def test_outputs_that_do_not_go_together_have_no_such_rule() -> None:
    rng = np.random.default_rng(2)
    assert list(differences(sample(rng.laplace(size=(2_000, 8)), rng.random(2_000) < 0.5))) == []


def test_one_score_fits_columns_that_move_in_either_direction() -> None:
    rng = np.random.default_rng(3)
    coins = rng.random(20_000) < 0.5
    directions = np.array([1.0, -1.0, 1.0, -1.0])
    outputs = 5.0 + rng.laplace(size=(20_000, 4)) + 0.5 * coins[:, None] * directions
    found = right(summed(shared_score(outputs, coins, 40), outputs), coins)
    assert found > 0.64
