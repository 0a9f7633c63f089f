"""[demands] promise: what the numbers are, and every way to get it wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hdp_audit.config.load import read_spec
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.config.spec import Spec

SPEC = """
[mechanism]
target = "m.py:f"
task = "mean"
neighbours = "{neighbours}"
[demands]
{demands}
[privacy]
"""
FILE = "id,epsilon,delta,rho,mu\nann,0.5,1e-6,0.1,0.3\nbob,1,1e-5,0.2,0.6\n"


def spec(folder: Path, demands: str, *, neighbours: str = "replace", file: str = FILE) -> Spec:
    """A spec beside a function and a file of demands."""
    (folder / "m.py").write_text("def f(data, epsilon, rng):\n    return 0.0\n")
    (folder / "d.csv").write_text(file)
    path = folder / "hdp-audit.toml"
    path.write_text(SPEC.format(demands=demands, neighbours=neighbours))
    return read_spec(path)


@pytest.mark.parametrize(
    ("demands", "kind", "columns"),
    [
        ('file = "d.csv"', "pure", {"epsilon": [0.5, 1.0]}),
        ('file = "d.csv"\npromise = "approximate"', "approximate", {"epsilon": [0.5, 1.0], "delta": [1e-6, 1e-5]}),
        ('values = [1, 2]\npromise = "approximate"\ndelta = 1e-4', "approximate", {"delta": [1e-4, 1e-4]}),
        ('file = "d.csv"\npromise = "zcdp"', "zcdp", {"rho": [0.1, 0.2]}),
        ('file = "d.csv"\npromise = "gaussian"', "gaussian", {"mu": [0.3, 0.6]}),
        ('file = "d.csv"\npromise = "gaussian"\ncolumn = "rho"', "gaussian", {"mu": [0.1, 0.2]}),
    ],
)
def test_each_promise_has_its_columns(tmp_path: Path, demands: str, kind: str, columns: dict[str, list[float]]) -> None:
    promise = spec(tmp_path, demands).promise
    assert promise.kind == kind
    for name, values in columns.items():
        np.testing.assert_array_equal(promise.columns[name], values)


@pytest.mark.parametrize(
    ("demands", "told"),
    [
        ('values = [1, 2]\npromise = "approximate"', "no delta; give delta = 1e-6"),
        ('values = [1, 2]\npromise = "zcdp"\ndelta = 1e-6', 'only promise = "approximate" has a delta'),
        ('values = [1, 2]\npromise = "renyi"', '"renyi"'),
        ('values = [1, 2]\npromise = "approximate"\ndelta = 1.5', "a probability from 0 to 1"),
        ('file = "d.csv"\npromise = "zcdp"\ncolumn = "sigma"', "no column 'sigma'"),
    ],
)
def test_a_wrong_promise_is_told_with_its_line(tmp_path: Path, demands: str, told: str) -> None:
    with pytest.raises(InvalidSpec) as refused:
        spec(tmp_path, demands)
    assert told in str(refused.value)


def test_a_delta_above_one_is_told_with_its_row(tmp_path: Path) -> None:
    with pytest.raises(InvalidSpec, match=r"d\.csv row 3: delta = 2"):
        spec(tmp_path, 'file = "d.csv"\npromise = "approximate"', file="epsilon,delta\n1,1e-6\n1,2\n")


def test_neighbours_are_words_of_the_spec(tmp_path: Path) -> None:
    assert spec(tmp_path, "values = [1]", neighbours="remove").mechanism.neighbours == "remove"
    with pytest.raises(InvalidSpec, match="swap"):
        spec(tmp_path, "values = [1]", neighbours="swap")
