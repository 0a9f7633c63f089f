"""The eight cells for ρ: what is guaranteed is what the named mechanism has, and lies above what nobody can beat."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hdp_audit.audits.claimed import estimator
from hdp_audit.cli import main
from hdp_audit.errors import InvalidInput
from hdp_audit.theory.gaussian_cells import gaussian_cells, group_losses, impossible
from hdp_audit.theory.guarantee import before_clipping
from hdp_audit.theory.names import Metric, Problem, Setting, Task
from mechanisms import build, error_law, standard_demands

K = 4


@pytest.mark.parametrize("demands", ["two-point", "tiers", "equal-1"])
def test_the_named_mechanism_has_the_guarantee_of_its_cell_and_beats_no_lower_bound(demands: str) -> None:
    rho = standard_demands(demands) ** 2 / 2
    for cell in gaussian_cells(rho, categories=K):
        mechanism = build(cell.mechanism, rho=rho, categories=K if cell.task == "frequency" else None)
        own = before_clipping(estimator(error_law(mechanism)), cell.problem)
        assert own == pytest.approx(cell.upper.value, rel=1e-5)
        assert cell.lower.value <= cell.upper.value
        assert cell.paper_order is None


@pytest.mark.parametrize("seed", range(12))
def test_lower_bounds_stay_below_upper_bounds_whatever_the_demands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rho = np.exp(rng.uniform(-9, 4, rng.integers(1, 40)))
    rho[rng.random(rho.size) < 0.2] = 0.0
    rho[rng.random(rho.size) < 0.1] = np.inf
    for cell in gaussian_cells(rho, categories=3, beta=float(rng.uniform(0.01, 0.4))):
        assert 0 <= cell.lower.value <= cell.upper.value <= cell.problem.trivial


def test_the_mean_loss_of_a_group_is_that_over_all_groups() -> None:
    rho = np.array([0.0, 0.1, 0.7, 2.0, 3.0])
    found = group_losses(rho, permuted=True)
    for m in range(6):
        every = [sum(np.sqrt(rho[list(group)])) ** 2 for group in combinations(range(5), m)]
        assert found[m] == pytest.approx(np.mean(every), rel=1e-12)
    assert group_losses(rho, permuted=False)[2] == pytest.approx(0.1, rel=1e-12)


def test_one_user_who_tells_nothing_can_be_off_by_half() -> None:
    """n = 1, ρ → 0: nobody can promise less than ... 0 users tell the packing apart, so (m* − 1)/2n = ½."""
    problem = Problem(Task.MEAN, Setting.CORRELATED, Metric.PAC, K, 0.05)
    assert impossible(np.array([1e-9]), problem) == 0.5
    assert impossible(np.array([100.0]), problem) == 0.0
    square = Problem(Task.MEAN, Setting.CORRELATED, Metric.MSE, K, 0.05)
    assert impossible(np.array([0.0]), square) == pytest.approx(1 / 8, rel=1e-12)


def test_bounds_for_rho_are_printed_and_refused_where_they_make_no_sense(tmp_path: Path) -> None:
    file = tmp_path / "demands.csv"
    file.write_text("rho\n" + "0.02\n" * 30 + "inf\n0\n")
    done = CliRunner().invoke(main, ["bounds", "--rho", str(file), "--categories", "3", "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.output)
    assert document["promise"] == "zcdp"
    assert [cell["paper_order"] for cell in document["cells"]] == [None] * 8
    shown = CliRunner().invoke(main, ["bounds", "--rho", str(file), "--categories", "3"])
    assert sum(line.startswith("For ") for line in shown.output.splitlines()) == 8
    both = CliRunner().invoke(main, ["bounds", "--rho", str(file), "--standard", "tiers"])
    assert both.exit_code == 2
    assert "--rho FILE or as --standard NAME" in both.output
    with pytest.raises(InvalidInput, match="numbers from 0 to inf"):
        gaussian_cells([-1.0])
