"""Bounds from counts and bets: exact where they claim to be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, binomtest

from hdp_audit.evidence.binomial import largest_provable, loss_lower, proportion_lower, right_at_most
from hdp_audit.evidence.wealth import SUB_STAKES, Wealth, goal_of_one, joint_lower, log_wealth, needed_right
from hdp_audit.model.promise import PureLimit


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
@pytest.mark.parametrize("horizon", [10, 10_000])
def test_wealth_is_fair_under_the_claim(loss: float, bets: int, horizon: int) -> None:
    """Its expectation is 1 at P(right) = p exactly, summed over all outcomes, and below 1 for anything smaller."""
    right = np.arange(bets + 1)
    wealth = np.exp([log_wealth(loss, int(v), bets, horizon, 1e-3) for v in right])
    assert float(binom.pmf(right, bets, expit(loss)) @ wealth) == pytest.approx(1.0, rel=1e-9)
    assert float(binom.pmf(right, bets, 0.9 * expit(loss)) @ wealth) < 1.0


def test_a_claim_too_large_to_bet_against_is_never_refuted() -> None:
    assert log_wealth(100.0, 10**6, 10**6, 10**6, 1e-3) == 0.0


@pytest.mark.parametrize(("right", "made"), [(7_000, 9_000), (300, 300), (5_300, 10_000), (9_990, 10_000)])
def test_the_confidence_sequence_refutes_just_what_the_wealth_refutes(right: int, made: int) -> None:
    """Every loss below the bound and none above: wealth falls with the loss it is played against."""
    wealth = Wealth(PureLimit(0.0), 10_000, 1e-3).after(right, made)
    bound = wealth.loss_lower
    assert all(wealth.log_against(loss) >= np.log(1e3) for loss in np.linspace(0, 0.999 * bound, 50))
    assert all(wealth.log_against(loss) < np.log(1e3) for loss in np.linspace(1.001 * bound + 1e-9, 29, 50))


def test_the_anytime_bound_is_below_the_fixed_one_but_not_by_much() -> None:
    fixed = float(loss_lower(73_200, 100_000, 1e-3))
    anytime = Wealth(PureLimit(1.0), 100_000, 1e-3).after(73_200, 100_000).loss_lower
    truth = float(np.log(0.732 / 0.268))
    assert anytime < fixed < truth
    assert truth - anytime < 1.5 * (truth - fixed)


def test_bets_from_before_a_leak_was_understood_do_not_bury_it() -> None:
    """700 useless bets and then 60 right ones of a promising rule; one sub-stake alone would have lost everything."""
    early = Wealth(PureLimit(1.0), 2_000, 1e-3).after(450, 700, assured=0.5)
    assert early.after(60, 60).refutes
    assert log_wealth(1.0, 510, 760, 2_000, 1e-3) < 0


def test_rare_sure_guesses_are_not_buried_by_many_that_win_a_little() -> None:
    """Thousands of guesses that should get just beyond a claim of 0.1, then 60 on rare outputs that are all right."""
    early = Wealth(PureLimit(0.1), 100_000, 1e-3).after(3_705, 7_088, assured=0.11)
    assert not early.after(60, 60, assured=0.5).refutes
    assert early.after(60, 60, assured=1.7).refutes


def test_sub_stakes_share_one_stake() -> None:
    """So their sum is a wealth: it starts at 1 and no fair bet raises its expectation."""
    assert sum(SUB_STAKES.values()) == pytest.approx(1.0, abs=1e-15)
    assert Wealth(PureLimit(1.0), 100, 1e-3).log == pytest.approx(0.0, abs=1e-12)
    p = float(expit(1.0))
    for assured in (0.0, 1.5, 3.0):
        before = Wealth(PureLimit(1.0), 100, 1e-3).after(7, 9, assured=assured)
        right, wrong = before.after(1, 1, assured=assured), before.after(0, 1, assured=assured)
        assert p * np.exp(right.log) + (1 - p) * np.exp(wrong.log) == pytest.approx(np.exp(before.log), rel=1e-9)


@pytest.mark.parametrize("claim", [0.0, 0.1, 1.0, 5.0, 7.0, 12.0])
@pytest.mark.parametrize("horizon", [100, 6_000, 100_000])
@pytest.mark.parametrize("right", [0, 50, 5_000])
def test_one_wrong_guess_costs_no_more_than_a_factor_of_twenty(claim: float, horizon: int, right: int) -> None:
    before = Wealth(PureLimit(claim), horizon, 5e-4).after(right, right)
    assert before.log - before.after(0, 1).log <= np.log(20) + 1e-9


@pytest.mark.parametrize("claim", [0.0, 0.1, 1.0, 5.0, 7.0])
def test_right_guesses_alone_refute_almost_as_soon_as_any_bet_could(claim: float) -> None:
    """The surest bet needs log(1/s)/log(1 + e^{−ε}) of them, and a stake of one half log 2 more."""
    soonest = np.log(2.0 / 1e-3) / np.log1p(np.exp(-claim))
    guesses = int(np.ceil(soonest / 0.94)) + 1
    assert Wealth(PureLimit(claim), guesses, 1e-3).after(guesses, guesses).refutes


def test_looking_after_every_bet_raises_no_more_alarms_than_promised() -> None:
    """2,000 runs of 120 bets at P(right) = p, watched throughout, at 0.05: above 165 alarms has probability 10⁻⁹."""
    rng = np.random.default_rng(11)
    table = np.array(
        [[log_wealth(1.0, v, w, 120, 0.05) if v <= w else -np.inf for v in range(121)] for w in range(121)]
    )
    right = np.cumsum(rng.random((2_000, 120)) < expit(1.0), axis=1)
    path = table[np.arange(1, 121)[None, :], right]
    assert int((path >= np.log(20)).any(axis=1).sum()) <= 165


def test_a_claim_that_fell_on_the_way_stays_refuted() -> None:
    start = Wealth(PureLimit(1.0), 2_000, 1e-3).after(7, 9, assured=1.5)
    right, made = np.array([30, 90, 150, 150]), np.array([30, 90, 150, 400])
    moments = [start.after(int(r), int(m), assured=1.5) for r, m in zip(right, made, strict=True)]
    assert [wealth.refutes for wealth in moments] == [False, True, True, False]
    assert start.along(right, made, assured=1.5) == moments[1]
    assert start.along(right[[0, 3]], made[[0, 3]], assured=1.5) == moments[3]


def test_fewest_right_guesses_refute_and_one_less_does_not() -> None:
    needed = needed_right(1.0, 5_000, 5_000, 1e-3)
    goal = goal_of_one(1e-3)
    assert log_wealth(1.0, needed, 5_000, 5_000, 1e-3) >= goal > log_wealth(1.0, needed - 1, 5_000, 5_000, 1e-3)


def test_games_that_follow_each_other_prove_more_and_never_less() -> None:
    first, second, unlucky = (Wealth(PureLimit(1.0), 1000, 0.001).after(right, 1000) for right in (780, 790, 500))
    alone = first.loss_lower
    joint = joint_lower((first, second))
    assert alone < joint < np.log(1570 / 430)
    assert sum(wealth.log_against(joint) for wealth in (first, second)) == pytest.approx(first.goal, abs=1e-3)
    assert joint_lower((first, unlucky)) == alone


def test_a_chain_of_games_is_above_the_truth_no_more_often_than_promised() -> None:
    """600 chains of three games at significance 0.05; false alarm of this test below 10⁻⁶."""
    rng = np.random.default_rng(24)
    above = 0
    for right in rng.binomial(150, expit(1.0), size=(600, 3)).tolist():
        games = [Wealth(PureLimit(0.5), 150, 0.05).after(count, 150) for count in right]
        above += joint_lower(games) > 1.0
    assert above <= binom.isf(1e-6, 600, 0.05)
    assert above > 0
