"""Wealths are fair, intervals and counts agree, and powers are what they are said to be: exact answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from hdp_audit.evidence import bounded_mean, proportion
from hdp_audit.evidence.bounded_mean import BoundedMean, Mixture, best_stake
from hdp_audit.evidence.packed import PackedRight, PackedRisk
from hdp_audit.evidence.quantile import Quantile


@pytest.mark.parametrize("p", [0.02, 0.3, 0.9])
def test_wealth_against_a_true_proportion_never_grows_in_expectation(p: float) -> None:
    counts = np.arange(41)
    for truth, side in ((p, 1), (0.7 * p, 1), (p, -1), (min(1.1 * p, 0.99), -1)):
        log_wealth = proportion.log_wealth_above if side > 0 else proportion.log_wealth_below
        mean = (stats.binom.pmf(counts, 40, truth) * np.exp(log_wealth(counts, 40, p))).sum()
        assert mean <= 1 + 1e-12
        if truth == p:
            assert mean == pytest.approx(1.0)


@pytest.mark.parametrize("aim", [None, 0.31])
@pytest.mark.parametrize("top", [1.0, 0.2])
def test_wealth_against_a_true_mean_never_grows_in_expectation(top: float, aim: float | None) -> None:
    """All outcomes of four draws from {0, ½, 1}·top with mean 0.35·top, plain bets and aimed ones."""
    values, chances = top * np.array([0.0, 0.5, 1.0]), np.array([0.45, 0.4, 0.15])
    above = below = 0.0
    for places in product(range(3), repeat=4):
        draws, chance = values[list(places)], float(np.prod(chances[list(places)]))
        above += chance * np.exp(bounded_mean.log_wealth_above(draws, 0.35 * top, Mixture.aimed(aim)))
        below += chance * np.exp(bounded_mean.log_wealth_below(draws, 0.35 * top, top))
    assert above == pytest.approx(1.0)
    assert below == pytest.approx(1.0)


@pytest.mark.parametrize("draws", [50, 3000])
def test_allowed_counts_are_the_edge_of_refutation(draws: int) -> None:
    most = proportion.most_allowed(draws, 0.1, 1e-3)
    least = proportion.least_allowed(draws, 0.1, 1e-3)
    limit = -np.log(1e-3)
    assert proportion.log_wealth_above(most, draws, 0.1) < limit <= proportion.log_wealth_above(most + 1, draws, 0.1)
    assert proportion.log_wealth_below(least, draws, 0.1) < limit
    assert least == 0 or proportion.log_wealth_below(least - 1, draws, 0.1) >= limit


def test_rates_lie_around_the_sample_and_meet_at_the_ends() -> None:
    assert proportion.rate_lower(0, 100, 0.01) == 0.0
    assert proportion.rate_upper(100, 100, 0.01) == 1.0
    assert proportion.rate_lower(30, 100, 0.01) < 0.3 < proportion.rate_upper(30, 100, 0.01)
    assert proportion.rate_lower(3000, 10_000, 0.01) > 0.28


def test_impossible_proportions_are_refuted_by_one_counterexample() -> None:
    assert proportion.log_wealth_above(1, 10, 0.0) == np.inf
    assert proportion.log_wealth_above(0, 10, 0.0) == 0.0
    assert proportion.log_wealth_below(9, 10, 1.0) == np.inf
    assert proportion.log_wealth_below(10, 10, 1.0) == 0.0


def test_power_is_the_binomial_tail_and_draws_needed_reach_it() -> None:
    least = proportion.most_allowed(2000, 0.05, 1e-3) + 1
    assert proportion.power(2000, 0.05, 0.08, 1e-3) == pytest.approx(stats.binom.sf(least - 1, 2000, 0.08))
    needed = int(proportion.draws_needed(0.05, 0.08, 1e-3))
    assert proportion.power(needed, 0.05, 0.08, 1e-3) >= 0.8
    assert proportion.power(needed // 2, 0.05, 0.08, 1e-3) < 0.8
    assert proportion.draws_needed(0.05, 0.05, 1e-3) == np.inf


def test_a_bound_is_refuted_exactly_when_the_interval_lies_above_it() -> None:
    errors = np.abs(np.random.default_rng(5).laplace(0, 0.01, 5000))
    found = Quantile(errors, 0.05, 1e-3)
    assert found.lower < found.measured < found.upper
    for bound in np.concatenate([found.lower * np.array([0.99, 1 - 1e-7, 1 + 1e-7, 1.01]), np.sort(errors)[-400:-100]]):
        # Doubles past the bound by less than a billionth do not count; no two errors here are that near.
        assert found.refutes(bound) == (found.lower > bound * (1 + 1e-9) + 1e-12)


def test_an_error_that_is_always_the_bound_is_not_refuted() -> None:
    constant = np.full(5000, 0.1 + 2e-17)
    assert not Quantile(constant, 0.05, 1e-3).refutes(0.1)
    assert not BoundedMean(constant**2, 1e-3).refutes(0.01)
    assert Quantile(constant, 0.05, 1e-3).refutes(0.0999)
    assert Quantile(constant, 0.05, 1e-3).power_reached(1.001)


def test_few_draws_bound_nothing() -> None:
    few = Quantile(np.array([0.2, 0.3]), 0.05, 1e-3)
    assert (few.lower, few.upper) == (0.0, 1.0)
    assert Quantile(np.zeros(0), 0.05, 1e-3).measured == 0.0


def test_the_mean_lies_between_its_bounds_and_refutation_agrees_with_them() -> None:
    values = np.random.default_rng(2).beta(1, 30, 4000)
    found = BoundedMean(values, 1e-3)
    assert found.lower < found.measured < found.upper
    assert found.refutes(found.lower * (1 - 1e-6))
    assert not found.refutes(found.lower * (1 + 1e-6))
    assert found.refutes_from_below(found.upper * (1 + 1e-6))
    assert not found.refutes_from_below(found.upper * (1 - 1e-6))


def test_the_upper_end_does_not_trust_silence() -> None:
    """A thousand zeros do not exclude a mean of log(1/s)/1000: a rare 1 may be still to come."""
    upper = BoundedMean(np.zeros(1000), 1e-3).upper
    assert np.log(1e3) / 1000 < upper < 0.02


def test_a_smaller_range_brings_the_upper_end_nearer() -> None:
    """The limit for any method is the mean that silence cannot exclude: top·(1 − s^(1/n)); within a quarter of it."""
    values = np.zeros(2000)
    for top in (1.0, 0.25):
        limit = top * -np.expm1(np.log(1e-6) / 2000)
        assert limit < BoundedMean(values, 1e-6, top).upper < 1.25 * limit
    with pytest.raises(ValueError, match=r"0\.3 above 0\.25"):
        BoundedMean(np.array([0.3]), 1e-6, 0.25)


def test_the_best_stake_is_near_the_top_of_the_growth() -> None:
    values = np.random.default_rng(4).laplace(0, 1, 4000) ** 2
    found = best_stake(values, 1.2, 1e-6)
    assert found is not None
    steps = 1.2 * values / values.mean() - 1
    growth = [np.log1p(c * steps).mean() for c in np.geomspace(1e-3, 0.97, 2000)]
    assert np.log1p(found * steps).mean() >= max(growth) * 0.95  # a little below the top, which spreads less
    assert best_stake(np.zeros(5), 1.2, 1e-6) is None
    assert best_stake(np.zeros(0), 1.2, 1e-6) is None


def test_aimed_bets_need_fewer_draws_and_show_what_they_say() -> None:
    """Squared Laplace errors at 1.25 × the bound, 200 runs of as many draws as needed, significance 2e-6.

    Power 0.8 is claimed: below 0.6 (120 of 200) has probability under 1e-9.
    """
    rng = np.random.default_rng(6)
    aim = best_stake(rng.laplace(0, 1, 1000) ** 2, 1.25, 2e-6)
    pilot = np.minimum(0.01 * rng.laplace(0, 1, 20_000) ** 2, 1)
    needed = BoundedMean(pilot, 2e-6, 1.0, aim).draws_needed(1.25)
    assert needed < 0.92 * BoundedMean(pilot, 2e-6).draws_needed(1.25)
    runs = np.minimum(0.01 * rng.laplace(0, 1, (200, int(needed))) ** 2, 1)
    assert sum(BoundedMean(run, 2e-6, 1.0, aim).refutes(0.02 / 1.25) for run in runs) >= 120


def test_accuracy_on_packings_counts_what_it_says() -> None:
    errors = np.array([0.0, 0.049, 0.05, 0.2])
    right = PackedRight(errors, 0.1, 0.6, 1e-3)
    assert right.right == 2
    assert not right.refutes
    risk = PackedRisk(errors, 0.1, 0.2, 1e-3)
    assert risk.measured == pytest.approx(np.mean([0.0, 0.49**2, 0.25, 1.0]))


@pytest.mark.parametrize("kind", [PackedRight, PackedRisk])
def test_the_truth_is_refuted_once_it_was_told_often_enough(kind: type) -> None:
    limit = 0.7 if kind is PackedRight else 0.2
    needed = int(kind(np.zeros(0), 0.1, limit, 1e-4).truth_needs)
    assert kind(np.zeros(needed), 0.1, limit, 1e-4).refutes
    assert not kind(np.zeros(needed // 3), 0.1, limit, 1e-4).refutes
