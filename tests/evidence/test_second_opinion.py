"""statsmodels' second opinion on the intervals and powers of `evidence`, and on what betting costs beside them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit
from statsmodels.stats.power import normal_sample_size_one_tail
from statsmodels.stats.proportion import binom_test, binom_test_reject_interval, proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from hdp_audit.audits.power import _power
from hdp_audit.evidence import binomial, bounded_mean, proportion
from hdp_audit.evidence.bounded_mean import BoundedMean
from hdp_audit.evidence.packed import PackedRight
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.evidence.wealth import Wealth, needed_right
from hdp_audit.model.promise import PureLimit

COUNTS = [(0, 10), (7, 10), (10, 10), (512, 1000), (880, 1000), (99_000, 100_000)]
LEVELS = [0.05, 1e-3, 1e-6]


def clopper_pearson(count: int, trials: int, significance: float) -> tuple[float, float]:
    """`significance` on each side."""
    low, high = proportion_confint(count, trials, alpha=2 * significance, method="beta")
    return float(low), float(high)


@pytest.mark.parametrize(("count", "trials"), COUNTS)
@pytest.mark.parametrize("significance", LEVELS)
def test_fixed_sample_intervals_are_clopper_and_pearsons(count: int, trials: int, significance: float) -> None:
    low, high = clopper_pearson(count, trials, significance)
    assert float(binomial.proportion_lower(count, trials, significance)) == pytest.approx(low, rel=1e-9, abs=1e-15)
    with np.errstate(divide="ignore"):
        expected = [max(float(logit(end)), 0.0) for end in (low, high)]
    assert float(binomial.loss_lower(count, trials, significance)) == pytest.approx(expected[0], rel=1e-9, abs=1e-12)
    assert float(binomial.loss_upper(count, trials, significance)) == pytest.approx(expected[1], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("guesses", [1, 50, 100_000])
def test_the_largest_provable_loss_is_that_of_right_guesses_alone(guesses: int) -> None:
    low, _ = clopper_pearson(guesses, guesses, 1e-3)
    assert binomial.largest_provable(guesses, 1e-3) == pytest.approx(max(float(logit(low)), 0.0), rel=1e-9)


@pytest.mark.many(2)
@pytest.mark.parametrize(("count", "trials"), COUNTS)
@pytest.mark.parametrize("significance", LEVELS)
def test_anytime_intervals_contain_the_fixed_ones(count: int, trials: int, significance: float) -> None:
    """One look at the end allows more than a look after every draw, whatever is counted: rates, losses, means."""
    low, high = clopper_pearson(count, trials, significance)
    assert proportion.rate_lower(count, trials, significance) <= low
    assert proportion.rate_upper(count, trials, significance) >= high
    with np.errstate(divide="ignore"):
        assert Wealth(PureLimit(0.5), trials, significance).after(count, trials).loss_lower <= max(
            float(logit(low)), 0.0
        )
    drawn = BoundedMean(np.repeat([1.0, 0.0], [count, trials - count]), significance)
    assert drawn.lower <= low
    assert drawn.upper >= high


@pytest.mark.parametrize("draws", [200, 5_000])
@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
def test_counts_that_refute_at_any_time_refute_a_binomial_test(draws: int, p: float) -> None:
    least, _ = binom_test_reject_interval(p, draws, alpha=1e-3, alternative="smaller")
    _, most = binom_test_reject_interval(p, draws, alpha=1e-3, alternative="larger")
    assert proportion.most_allowed(draws, p, 1e-3) + 1 >= most
    assert proportion.least_allowed(draws, p, 1e-3) - 1 <= least


@pytest.mark.parametrize(("draws", "p", "truth"), [(2_000, 0.05, 0.08), (300, 0.5, 0.6), (400, 0.9, 0.96)])
def test_powers_are_binomial_tails(draws: int, p: float, truth: float) -> None:
    least = proportion.most_allowed(draws, p, 1e-2) + 1
    assert least <= draws
    tail = binom_test(least, draws, prop=truth, alternative="larger")
    assert proportion.power(draws, p, truth, 1e-2) == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize(("claimed", "made", "right"), [(0.1, 4_000, 0.57), (1.0, 1_000, 0.8), (3.0, 200, 0.999)])
def test_the_power_of_a_game_is_a_binomial_tail(claimed: float, made: int, right: float) -> None:
    needed = needed_right(claimed, made, made, 1e-3)
    tail = binom_test(needed, made, prop=right, alternative="larger")
    assert 0.01 < tail < 1
    assert _power(claimed, made, right, made, 1e-3) == pytest.approx(tail, rel=1e-9)


def test_the_quantile_s_interval_contains_the_fixed_one() -> None:
    """Order statistics at the counts of a binomial test; the quantile of Exp(1) at β = 0.1 is log 10."""
    errors = np.random.default_rng(3).exponential(size=4_000) / 10.0
    found = Quantile(errors, 0.1, 1e-3)
    _, most = binom_test_reject_interval(0.1, errors.size, alpha=1e-3, alternative="larger")
    least, _ = binom_test_reject_interval(0.1, errors.size, alpha=1e-3, alternative="smaller")
    falling = np.sort(errors)[::-1]
    assert found.lower <= falling[int(most) - 1] <= found.measured <= falling[int(least)] <= found.upper


def test_the_mean_s_interval_contains_students_which_trusts_the_normal_law() -> None:
    values = np.random.default_rng(4).beta(2.0, 5.0, size=3_000)
    found = BoundedMean(values, 1e-3)
    low, high = DescrStatsW(values).tconfint_mean(alpha=2e-3)
    assert found.lower < low < found.measured < high < found.upper
    assert found.upper - found.lower < 2.0 * (high - low)


def test_draws_for_a_power_of_eight_tenths_are_those_of_a_normal_mean() -> None:
    """With nothing to reach the wealth needs a positive end with probability 0.8: a one-sided test at level ½."""
    logs = np.random.default_rng(5).normal(0.02, 0.3, size=5_000)
    expected = normal_sample_size_one_tail(logs.mean(), 0.8, 0.5, std_null=1.0, std_alternative=logs.std())
    assert bounded_mean._draws_for(logs, 0.0) == np.ceil(expected)


@pytest.mark.parametrize(("right", "draws"), [(180, 200), (950, 1_000)])
def test_what_is_proved_of_right_answers_lies_below_clopper_and_pearson(right: int, draws: int) -> None:
    errors = np.repeat([0.1, 0.9], [right, draws - right])
    found = PackedRight(errors, 1.0, 0.7, 1e-3)
    assert found.right == right
    assert 0.0 < found.proved <= clopper_pearson(right, draws, 1e-3)[0]
