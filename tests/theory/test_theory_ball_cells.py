"""`bounds --dimensions`: means of vectors; in one dimension they are means of numbers from −1 to 1."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from hdp_audit.cli import main
from hdp_audit.targets.reference import vector_means
from hdp_audit.theory.ball_cells import BallMechanism, ball_cells
from hdp_audit.theory.cells import Cell
from hdp_audit.theory.gaussian_cells import gaussian_cells, impossible

RHO = np.repeat([0.01, 0.5], [30, 20])


def found(dimensions: int) -> list[Cell]:
    built = vector_means({"rho": RHO}, dimensions, 0.05)
    known = [BallMechanism(each.name, each.level or 0.0, each.weights, each.noise_scale) for each in built]
    return ball_cells(known, partial(impossible, RHO), dimensions)


def test_in_one_dimension_lengths_are_twice_the_errors_of_a_mean() -> None:
    numbers = [cell for cell in gaussian_cells(RHO) if cell.task == "mean" and cell.setting == "correlated"]
    vectors = [cell for cell in found(1) if cell.setting == "correlated"]
    for number, vector in zip(numbers, vectors, strict=True):
        assert (number.metric, vector.task) == (vector.metric, "vector-mean")
        times = 2 if number.metric == "pac" else 4
        assert vector.upper.value == pytest.approx(times * number.upper.value, rel=2e-3)
        assert vector.lower.value == pytest.approx(times * number.lower.value, rel=1e-12)


def test_more_dimensions_cost_more_and_nothing_is_guaranteed_below_the_lower_bound() -> None:
    few, many = found(2), found(50)
    for small, large in zip(few, many, strict=True):
        assert 0 < small.lower.value <= small.upper.value < large.upper.value <= 1.0


def bounds(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bounds", *arguments])


def test_the_command_prints_four_cells(tmp_path: Path) -> None:
    file = tmp_path / "demands.csv"
    file.write_text("rho\n" + "0.1\n" * 10, encoding="utf-8")
    document = json.loads(bounds("--rho", str(file), "--dimensions", "3", "--json").output)
    assert document["dimensions"] == 3
    assert "categories" not in document
    assert [cell["task"] for cell in document["cells"]] == ["vector-mean"] * 4
    assert "a mean of vectors in 3 dimensions" in bounds("--rho", str(file), "--dimensions", "3").output
    assert "give a whole number from 1" in bounds("--rho", str(file), "--dimensions", "0").output
    assert "vectors get Gaussian noise" in bounds("--standard", "tiers", "--dimensions", "3").output
