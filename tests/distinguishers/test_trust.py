"""A sum of scores is believed as far as it keeps what it claims."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from hdp_audit.distinguishers.columns import learn_parts
from hdp_audit.distinguishers.steps import summed
from hdp_audit.distinguishers.trust import trust
from hdp_audit.distinguishers.witness import learn_witness, with_thresholds
from hdp_audit.model.promise import PureLimit

SHIFT = 0.4


def normal(draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores that are right as often as they claim: log-likelihood ratios of normal noise around ±SHIFT."""
    rng = np.random.default_rng(seed)
    coins = rng.random(draws) < 0.5
    return 2.0 * SHIFT * (np.where(coins, SHIFT, -SHIFT) + rng.standard_normal(draws)), coins


@pytest.mark.parametrize("copies", [1, 2, 10])
def test_a_score_that_is_summed_several_times_is_believed_once(copies: int) -> None:
    """Below 1/1000 off by 5 standard errors of the slope: 1/√(draws · information), information about SHIFT²."""
    scores, coins = normal(16_000, seed=copies)
    found = trust(copies * scores, coins)
    assert found == pytest.approx(1.0 / copies, abs=5.0 / (copies * SHIFT * np.sqrt(16_000)))


@pytest.mark.parametrize("seed", range(5))
def test_independent_scores_are_believed_fully(seed: int) -> None:
    """That 5 nats speak against the truth has probability e^-5 of a slope's χ² at most: 0.0016 for these seeds."""
    one, coins = normal(8_000, seed=100 + seed)
    other = 2.0 * SHIFT * (np.where(coins, SHIFT, -SHIFT) + np.random.default_rng(seed).standard_normal(8_000))
    assert trust(one + other, coins) == 1.0


def test_a_rule_on_outputs_that_go_together_promises_no_more_than_it_keeps() -> None:
    """Ten prefix sums: each tells nearly the same. What the rule expects to gain a draw it gains on fresh draws."""

    def drawn(draws: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        coins = rng.random(draws) < 0.5
        sums = np.cumsum(coins[:, None] + rng.laplace(0.0, 1.0 / 0.7, (draws, 10)), axis=1)
        return np.column_stack([sums, np.zeros(draws)]), coins

    limit, (table, coins), (fresh, tossed) = PureLimit(3.5), drawn(45_000, 1), drawn(45_000, 2)
    parts = learn_parts(table, coins)
    believed = trust(summed(parts, table), coins)

    def claimed_and_right(share: float) -> tuple[float, float]:
        rule = with_thresholds(parts, table, 40_000, 1e-4, limit=limit, believed=share)
        right, made = rule.counts(fresh, tossed)
        return rule.growth, right / max(made, 1)

    unchecked, right = claimed_and_right(1.0)
    assert unchecked > 0.01  # it expects to gain as much as that
    assert right < expit(3.5)  # and every bet on it loses
    assert believed < 0.5
    assert claimed_and_right(believed)[0] < 1e-3
    assert learn_witness(table[-45_000:], coins, 40_000, 1e-4, limit=limit).growth < 0.01
