"""E_stat: what can be told of a population from users with demands."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.theory.names import Metric, Problem, Setting, Task
from hdp_audit.theory.optimality import Regime, weak_regime
from hdp_audit.theory.population import by_prior, impossible, population_mean
from hdp_audit.theory.statistical import statistical_rate
from mechanisms import STANDARD, build, standard_demands


@pytest.mark.parametrize("name", STANDARD)
def test_the_row_is_within_a_quarter_on_the_standard_demands(name: str) -> None:
    found = population_mean(standard_demands(name))
    assert 0 < found.lower.value <= found.upper.value
    assert found.ratio <= 1.25


def test_without_demands_the_classical_rate_is_met() -> None:
    for n in (1, 4, 100):
        found = population_mean(np.full(n, np.inf))
        assert found.lower.value == pytest.approx(1 / (4 * (1 + np.sqrt(n)) ** 2))
        assert found.upper.value == pytest.approx(1 / (4 * n))


def test_nobody_may_be_used() -> None:
    found = population_mean(np.zeros(5))
    assert (found.upper.value, found.mechanism) == (0.25, "constant-half")
    assert found.lower.value == pytest.approx(0.25, rel=1e-3)


def test_the_prior_adds_up_to_its_own_variance() -> None:
    """With nothing known of the sample, what is left is the whole variance of p: 1/(4(2a + 1))."""
    for a, n in ((0.5, 3), (2.0, 10)):
        count = n / 4 * (2 * a / (2 * a + 1)) * (1 + n / (2 * a))
        assert by_prior(2 * a, n, count / n**2) == pytest.approx(1 / (4 * (2 * a + 1)))


def test_releases_on_drawn_data_stay_below_the_guarantee() -> None:
    """4,000 samples of 50 users for each of nine shares; their mean squares are above with probability below 1e-6 each.

    The bound is met at shares of ½ or of 0 and 1, so five standard errors are allowed.
    """
    demands = np.array([0.2] * 30 + [1.0] * 15 + [np.inf] * 5)
    found = population_mean(demands)
    made = build(found.mechanism, epsilon=demands)
    rng = np.random.default_rng(11)
    for share in np.linspace(0, 1, 9):
        data = (rng.random((4000, demands.size)) < share).astype(np.float64)
        squares = (made.release_each(data, rng=rng) - share) ** 2
        assert squares.mean() <= found.upper.value + 5 * squares.std() / np.sqrt(squares.size)


def test_larger_demands_forbid_less() -> None:
    demands = np.linspace(0.01, 1, 30)
    assert max(impossible(2 * demands).values()) <= max(impossible(demands).values()) * (1 + 1e-6)


def test_the_theorem_speaks_of_demands_that_two_means_leave_open() -> None:
    """A thousand users with 0.05: E_stat is above 1/2n by the prior's bound alone."""
    demands = np.full(1000, 0.05)
    problem = Problem(Task.MEAN, Setting.WEAK, Metric.MSE)
    assert statistical_rate(demands) < 1 / 2000
    assert weak_regime(problem, demands, 0.0)[0] is Regime.APPLIES
