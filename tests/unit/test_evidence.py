"""Bounds from counts and bets: exact where they claim to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, binomtest

from hdp_audit.evidence.binomial import largest_provable, loss_lower, proportion_lower, right_at_most
from hdp_audit.evidence.wealth import Wealth, log_wealth, loss_lower_anytime


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (7, 10), (10, 10), (512, 1000), (99_000, 100_000)])
def test_one_interval_is_clopper_and_pearsons(successes: int, trials: int) -> None:
    reference = binomtest(successes, trials, alternative="greater").proportion_ci(0.95, method="exact").low
    assert float(proportion_lower(successes, trials, 0.05)) == pytest.approx(reference, rel=1e-9, abs=1e-15)


def test_a_row_of_right_guesses_proves_no_more_than_its_length_allows() -> None:
    """logit(s^{1/N}) ≈ log(N/log(1/s))."""
    assert largest_provable(100_000, 0.05) == pytest.approx(np.log(100_000 / np.log(20)), abs=1e-4)


def test_guesses_at_or_below_one_half_prove_nothing() -> None:
    assert loss_lower(50, 100, 0.05) == 0
    assert right_at_most(0.0) == 0.5


@pytest.mark.parametrize("loss", [0.0, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("bets", [1, 7, 60])
def test_wealth_is_fair_under_the_claim(loss: float, bets: int) -> None:
    """Its expectation is 1 at P(right) = p exactly, summed over all outcomes, and below 1 for anything smaller."""
    right = np.arange(bets + 1)
    wealth = np.exp([log_wealth(loss, int(v), bets) for v in right])
    assert float(binom.pmf(right, bets, expit(loss)) @ wealth) == pytest.approx(1.0, rel=1e-9)
    assert float(binom.pmf(right, bets, 0.9 * expit(loss)) @ wealth) < 1.0


def test_a_claim_too_large_to_bet_against_is_never_refuted() -> None:
    assert log_wealth(100.0, 10**6, 10**6) == 0.0


def test_the_confidence_sequence_refutes_just_what_the_wealth_refutes() -> None:
    bound = loss_lower_anytime(7_000, 9_000, 1e-3)
    assert Wealth(bound * 0.999, 7_000, 9_000).refutes(1e-3)
    assert not Wealth(bound * 1.001, 7_000, 9_000).refutes(1e-3)


def test_the_anytime_bound_is_below_the_fixed_one_but_not_by_much() -> None:
    fixed = float(loss_lower(73_200, 100_000, 1e-3))
    anytime = loss_lower_anytime(73_200, 100_000, 1e-3)
    truth = float(np.log(0.732 / 0.268))
    assert anytime < fixed < truth
    assert truth - anytime < 1.6 * (truth - fixed)


def test_looking_after_every_bet_raises_no_more_alarms_than_promised() -> None:
    """2,000 runs of 120 bets at P(right) = p, watched throughout, at 0.05: above 165 alarms has probability 10⁻⁹."""
    rng = np.random.default_rng(11)
    table = np.array([[log_wealth(1.0, v, w) if v <= w else -np.inf for v in range(121)] for w in range(121)])
    right = np.cumsum(rng.random((2_000, 120)) < expit(1.0), axis=1)
    path = table[np.arange(1, 121)[None, :], right]
    assert int((path >= np.log(20)).any(axis=1).sum()) <= 165
