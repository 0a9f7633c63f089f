"""The eight cells for (ε, δ): the named mechanism has the guarantee, and what is impossible is so for the best one."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from hdp_audit.audits.claimed import estimator
from hdp_audit.cli import main
from hdp_audit.errors import InvalidInput
from hdp_audit.model.approximate import ApproximateDP
from hdp_audit.targets.reference import concentrated
from hdp_audit.theory.approximate_cells import (
    approximate_cells,
    group_limits,
    impossible_approximate,
    mixed_limits,
)
from hdp_audit.theory.guarantee import before_clipping
from hdp_audit.theory.names import Metric, Problem, Setting, Task
from mechanisms import build, error_law

K = 4


def test_the_named_mechanism_has_the_guarantee_of_its_cell_and_beats_no_lower_bound() -> None:
    epsilon, delta = np.repeat([0.1, 1.0, 3.0], [50, 30, 20]), np.repeat([1e-3, 1e-6, 1e-4], [50, 30, 20])
    for cell in approximate_cells(epsilon, delta, concentrated(epsilon, delta), K):
        mechanism = build(
            cell.mechanism, epsilon=epsilon, delta=delta, categories=K if cell.task == "frequency" else None
        )
        own = before_clipping(estimator(error_law(mechanism)), cell.problem)
        assert own == pytest.approx(cell.upper.value, rel=1e-5)
        assert 0 < cell.lower.value <= cell.upper.value


@pytest.mark.parametrize("seed", range(6))
def test_lower_bounds_stay_below_upper_bounds_whatever_the_demands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    epsilon = np.exp(rng.uniform(-6, 3, rng.integers(1, 40)))
    epsilon[rng.random(epsilon.size) < 0.2] = 0.0
    epsilon[rng.random(epsilon.size) < 0.1] = np.inf
    delta = np.minimum(10.0 ** rng.uniform(-8, 0.5, epsilon.size), 1.0)
    for cell in approximate_cells(epsilon, delta, concentrated(epsilon, delta), 3, float(rng.uniform(0.01, 0.4))):
        assert 0 <= cell.lower.value <= cell.upper.value <= cell.problem.trivial


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.3), (1.0, 0.01), (2.0, 0.0)])
def test_one_user_is_told_as_well_as_the_best_mechanism_tells(epsilon: float, delta: float) -> None:
    """That reveals with probability δ and answers with odds e^ε else: it errs with probability (1 − δ)/(1 + e^ε)."""
    wrong = (1 - delta) / (1 + np.exp(epsilon))
    one = np.array([epsilon]), np.array([delta])
    for beta, least in ((0.999 * wrong, 0.5), (1.001 * wrong, 0.0)):
        pac = Problem(Task.MEAN, Setting.CORRELATED, Metric.PAC, K, beta)
        assert impossible_approximate(*one, pac) == least
    square = Problem(Task.MEAN, Setting.CORRELATED, Metric.MSE, K, 0.05)
    assert impossible_approximate(*one, square) == pytest.approx(2 * wrong / 4, rel=1e-12)  # 1 − TV = 2·wrong
    surest = np.exp(epsilon) / (1 + np.exp(epsilon))  # that mechanism's own mean square, by Bayes' rule:
    assert 2 * wrong / 4 <= (1 - delta) * surest * (1 - surest) * (1 + 1e-12)


def test_a_group_keeps_no_less_than_is_said_of_it() -> None:
    epsilon, delta = np.array([0.1, 0.5, 0.7, 2.0]), np.array([0.1, 0.01, 0.02, 0.0])
    promise = ApproximateDP(epsilon, delta)
    sums, leaked = group_limits(epsilon, delta)
    most, most_leaked, others = mixed_limits(epsilon, delta, 3)
    for m in range(1, 5):
        first = promise.group(np.arange(m))
        assert sums[m] == pytest.approx(first.strength)
        assert leaked[m] >= first.leaked - 1e-15
        every = list(combinations(range(4), m))
        careful = [promise.group(np.array(group)) for group in every if max(group) < 3]
        assert all(limit.strength <= most[m] + 1e-12 and limit.leaked <= most_leaked[m] + 1e-12 for limit in careful)
        assert others[m] == pytest.approx(1 - len(careful) / len(every))


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one delta from 0 to 1"):
        approximate_cells([1.0, 1.0], [0.1], [0.1, 0.1])


def bounds(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bounds", *arguments])


def test_the_command_takes_one_delta_or_a_column(tmp_path: Path) -> None:
    file = tmp_path / "demands.csv"
    file.write_text("epsilon,leak\n" + "0.5,1e-5\n" * 20, encoding="utf-8")
    column = bounds("--epsilon", str(file), "--delta", "leak", "--json")
    number = bounds("--epsilon", str(file), "--delta", "1e-5", "--json")
    assert column.exit_code == number.exit_code == 0, column.output + number.output
    assert json.loads(column.output) == json.loads(number.output)
    assert json.loads(column.output)["promise"] == "approximate"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--standard", "tiers", "--delta", "2"), "delta is a number from 0 to 1"),
        (("--standard", "tiers", "--delta", "leak"), "give a number from 0 to 1"),
        (("--standard", "tiers", "--delta", "1e-6", "--plot", "x.svg"), "leave it out with --rho and --delta"),
        (("--rho", "demands.csv", "--delta", "1e-6"), "leave one of them out"),
    ],
)
def test_a_delta_that_fits_nothing_is_refused(given: tuple[str, ...], why: str, tmp_path: Path) -> None:
    (tmp_path / "demands.csv").write_text("rho\n0.5\n", encoding="utf-8")
    refused = bounds(*(str(tmp_path / part) if part == "demands.csv" else part for part in given))
    assert refused.exit_code == 2
    assert why in " ".join(refused.output.split())
