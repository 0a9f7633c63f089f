"""`hdp-audit bounds` as a user meets it."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner, Result

from hdp_audit.cli import main
from hdp_audit.model import PrivacyDemands
from hdp_audit.reporting.numbers import short
from hdp_audit.theory.cells import cells


@cache  # several tests read one answer
def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bounds", *arguments])


OPTIONS = ("--categories", "3", "--beta", "0.2")


@pytest.fixture(scope="module")
def demands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bounds") / "demands.csv"
    path.write_text("id,epsilon\n" + "\n".join(f"u{i},{0.05 if i % 2 else 2.0}" for i in range(60)) + "\nx,inf\ny,0\n")
    return path


def test_eight_cells_and_a_sentence_for_each(demands: Path) -> None:
    done = run("--epsilon", str(demands), *OPTIONS)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("62 users")
    assert sum(line.startswith("For ") for line in done.output.splitlines()) == 9


def test_json_says_the_same_in_numbers(demands: Path) -> None:
    document = json.loads(run("--epsilon", str(demands), *OPTIONS, "--json").output)
    assert document["demands"] == {"users": 62, "min": 0.0, "max": "inf", "public": 1, "zero": 1}
    assert len(document["cells"]) == 8
    for cell in document["cells"]:
        assert 0 < cell["lower"]["value"] <= cell["upper"]["value"] <= 0.5
        assert math.isclose(cell["ratio"], cell["upper"]["value"] / cell["lower"]["value"])
        assert cell["paper_order"] > 0
        assert cell["level"] is None or cell["level"] == "inf" or cell["level"] > 0
        assert cell["mechanism"] in cell["sentence"]
    asked = {(cell["task"], cell["setting"], cell["metric"]) for cell in document["cells"]}
    assert len(asked) == 8


def test_every_cell_is_that_of_the_theory_for_these_demands_categories_and_beta(demands: Path) -> None:
    """Upper, lower, ratio, the paper's order, the best level and the sentence, as JSON and as a table."""
    options = ("--epsilon", str(demands), *OPTIONS)
    wanted = cells(PrivacyDemands.from_csv(demands), categories=3, beta=0.2)
    document = json.loads(run(*options, "--json").output)
    lines = run(*options).output.splitlines()
    assert lines[1].split("\t")[3:8] == ["guaranteed", "lower bound", "ratio", "paper's order", "level"]
    for cell, found, line in zip(wanted, document["cells"], lines[2:10], strict=True):
        figures = [cell.upper.value, cell.lower.value, cell.ratio, cell.paper_order, cell.level]
        told = [found["upper"]["value"], found["lower"]["value"], found["ratio"], found["paper_order"], found["level"]]
        assert told == ["inf" if figure == math.inf else figure for figure in figures]
        assert line.split("\t")[3:8] == [short(figure) for figure in figures]
        assert found["sentence"] == cell.sentence
        assert cell.sentence in lines


def test_the_ninth_row_is_about_the_population(demands: Path) -> None:
    found = json.loads(run("--epsilon", str(demands), *OPTIONS, "--json").output)["population"]
    assert (found["task"], found["setting"], found["metric"]) == ("mean", "population", "mse")
    assert 0 < found["lower"]["value"] <= found["upper"]["value"] <= 0.25
    assert found["sentence"].startswith("For the mean of the population that users are drawn from, hpm-we-")
    row = run("--epsilon", str(demands), *OPTIONS).output.splitlines()[10].split("\t")
    assert row[:4] == ["mean", "population", "mse", short(found["upper"]["value"])]


@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_errors_of_frequencies_in_other_norms(demands: Path, norm: str) -> None:
    options = ("--epsilon", str(demands), *OPTIONS)
    document = json.loads(run(*options, "--norm", norm, "--json").output)
    plain = json.loads(run(*options, "--json").output)
    assert document["norm"] == norm
    assert "norm" not in plain
    for cell, largest in zip(document["cells"][:4], plain["cells"][:4], strict=True):
        assert largest["lower"]["value"] * (1 - 1e-9) <= cell["lower"]["value"] <= cell["upper"]["value"]
        assert f"ℓ{norm[1]} error" in cell["sentence"]
    assert document["cells"][4:] == plain["cells"][4:]
    assert f"errors of frequencies in ℓ{norm[1]}" in run(*options, "--norm", norm).output


def test_other_norms_are_for_pure_demands(tmp_path: Path) -> None:
    path = tmp_path / "rho.csv"
    path.write_text("rho\n0.5\n0.1\n")
    done = run("--rho", str(path), "--norm", "l2")
    assert done.exit_code == 2
    assert "--norm l2 is for demands of pure privacy" in done.output


def test_a_npy_file_and_a_named_vector_give_the_same_answer(tmp_path: Path) -> None:
    path = tmp_path / "demands.npy"
    np.save(path, np.ones(1000))
    assert run("--epsilon", str(path), "--json").output == run("--standard", "equal-1", "--json").output


def test_the_plot_is_one_svg_without_script(demands: Path, tmp_path: Path) -> None:
    path = tmp_path / "levels.svg"
    assert run("--epsilon", str(demands), "--plot", str(path)).exit_code == 0
    root = ET.parse(path).getroot()  # noqa: S314 - our own output
    assert root.tag.endswith("svg")
    assert "script" not in path.read_text().lower()
    assert sum(element.tag.endswith("polyline") for element in root.iter()) >= 16


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("epsilon\n0.5\n-0.3\n", "row 3: epsilon = -0.3"),
        ("epsilon\n0.5\nabc\n", "row 3: epsilon = abc"),
        ("eps\n0.5\n", "no column 'epsilon'"),
        ("epsilon\n", "has a header, but no row"),
    ],
)
def test_a_bad_file_exits_two_and_names_the_place(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "demands.csv"
    path.write_text(content)
    done = run("--epsilon", str(path))
    assert done.exit_code == 2
    assert told in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--epsilon", "missing.csv"),
        ("--standard", "teirs"),
        ("--standard", "tiers", "--beta", "2"),
        ("--standard", "tiers", "--categories", "1"),
        ("--standard", "equal-1", "--plot", "no/such/folder/plot.svg"),
    ],
)
def test_a_mistake_exits_two_with_a_sentence(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.output.startswith("hdp-audit: ")


def test_a_parquet_file_is_read_like_a_csv(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "demands.parquet"
    parquet.write_table(pa.table({"id": ["a", "b", "c"], "eps": [0.5, float("inf"), 0.0]}), path)
    document = json.loads(run("--epsilon", str(path), "--column", "eps", "--json").output)
    assert document["demands"] == {"users": 3, "min": 0.0, "max": "inf", "public": 1, "zero": 1}


def test_a_bad_parquet_row_is_named(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "demands.parquet"
    parquet.write_table(pa.table({"epsilon": [0.5, -1.0, None]}), path)
    done = run("--epsilon", str(path))
    assert done.exit_code == 2
    assert "row 2: epsilon = -1.0" in done.output
    assert "row 3: epsilon = nothing" in done.output
