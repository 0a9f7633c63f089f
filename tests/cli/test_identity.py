"""Whose report it is: in the spec, in every format, and never a reason for other numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from hdp_audit import Identity, audit
from hdp_audit.cli import main
from hdp_audit.config import read_spec
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.errors import InvalidInput
from hdp_audit.model.statements import QUESTIONS

SPEC = """
[mechanism]
target = "release.py:release"
task = "mean"

[demands]
file = "demands.csv"

[privacy]
detect = 50
trace = "off"
floating_point = "off"

[run]
budget = 3000
"""
REPORT = """
[report]
title = "Wages <b>2026</b>"
owner = "Office | of *statistics*"
unit_of_privacy = "one person"

[report.statements]
composition = "the only release"
"""
RELEASE = "def release(data, epsilon, rng):\n    return round(float(data.mean() + rng.laplace(0, 1 / 60)), 2)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "release.py").write_text("import numpy\n\n\n" + RELEASE)
    rows = "".join(f"user-{i},{2 if i < 30 else 3},{'careful' if i < 30 else 'relaxed'}\n" for i in range(60))
    (tmp_path / "demands.csv").write_text("id,epsilon,tier\n" + rows)
    (tmp_path / "hdp-audit.toml").write_text(SPEC + REPORT)
    return tmp_path


@pytest.mark.xdist_group("identity")
def test_every_format_says_whose_report_it_is_and_where_it_comes_from(folder: Path) -> None:
    out = folder / "out"
    CliRunner().invoke(main, ["run", str(folder / "hdp-audit.toml"), "--out", str(out), "--jobs", "1"])
    found = json.loads((out / "report.json").read_text())
    assert found["identity"]["owner"] == "Office | of *statistics*"
    assert found["identity"]["statements"] == {"composition": "the only release"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", found["environment"]["date"])
    assert found["environment"]["command"].startswith("hdp-audit run hdp-audit.toml --seed 1 --confidence 0.999")
    tiers = found["subjects"][0]["tiers"]
    assert [(tier["names"], tier["users"], tier["smallest"]) for tier in tiers] == [
        (["careful"], 30, 2.0),
        (["relaxed"], 30, 3.0),
    ]
    assert found["subjects"][0]["ids"]["0"] == "user-0"
    assert found["subjects"][0]["line"] == 4
    for name in ("report.json", "report.html", "report.md", "report.junit.xml", "report.sarif"):
        text = (out / name).read_text()
        assert "Office" in text, name
        assert "one person" in text, name
        assert found["environment"]["date"] in text, name
        assert found["environment"]["files"]["release.py"] in text, name
        assert "<b>2026" not in text or name.endswith(("json", "sarif")), name
    assert "not under version control" in (out / "report.md").read_text()


def test_names_change_no_number(folder: Path) -> None:
    with_names = read_spec(folder / "hdp-audit.toml")
    (folder / "hdp-audit.toml").write_text(SPEC)
    assert read_spec(folder / "hdp-audit.toml").digest == with_names.digest


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("[report]\nowners = 'x'", "unknown key 'owners'"),
        ("[report]\ntitle = 7", "give a text in quotes"),
        ("[report.statements]\nweather = 'fine'", "unknown key 'weather'"),
        ("[report]\nstatements = 'x'", r"write \[report.statements\]"),
        (f"[report]\nnotes = '{'x' * 5000}'", "give at most 4,000"),
    ],
)
def test_a_wrong_entry_is_told_with_its_line(folder: Path, given: str, told: str) -> None:
    (folder / "hdp-audit.toml").write_text(f"{SPEC}\n{given}\n")
    with pytest.raises(InvalidSpec, match=rf"line \d+.*{told}"):
        read_spec(folder / "hdp-audit.toml")


def constant(data, epsilon, rng):
    return 0.5


def test_an_audit_from_python_has_an_identity_too() -> None:
    own = Identity(title="Mean", statements={"tuning": "no"})
    report = audit(constant, epsilon=[1.0] * 5, task="mean", budget=100, inert="allow", identity=own)
    assert report.to_json()["identity"] == {"title": "Mean", "statements": {"tuning": "no"}}
    assert list(report.environment["files"]) == ["test_identity.py"]
    assert Identity.from_json(own.to_json()) == own
    with pytest.raises(InvalidInput, match=next(iter(QUESTIONS))):
        Identity(statements={"weather": "fine"})
