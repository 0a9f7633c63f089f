"""`hdp-audit replay`: the same numbers, from the spec, or a refusal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.specs import TARGET, invoke, written

LISTED = "values = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]"


@pytest.fixture
def refuted(tmp_path: Path) -> tuple[Path, Path, str]:
    """A spec, the report of its refutation, and the id of a failure."""
    spec, out = written(tmp_path, TARGET.format(name="no_noise")), tmp_path / "out"
    invoke("run", spec, "--out", out, "--jobs", 1, "--quiet")
    found = json.loads((out / "report.json").read_text())
    return spec, out / "report.json", next(f["id"] for f in found["findings"] if f["verdict"] == "fail")


def test_a_finding_comes_again_with_the_same_numbers(refuted: tuple[Path, Path, str]) -> None:
    spec, report, name = refuted
    done = invoke("replay", report, "--finding", name, "--spec", spec)
    assert done.exit_code == 0, done.output
    assert "the same numbers" in done.output


def test_changed_numbers_in_the_report_are_shown_and_exit_one(refuted: tuple[Path, Path, str]) -> None:
    spec, report, name = refuted
    content = json.loads(report.read_text())
    for finding in content["findings"]:
        finding["calls"] = 1
    report.write_text(json.dumps(content))
    done = invoke("replay", report, "--finding", name, "--spec", spec)
    assert done.exit_code == 1
    assert "calls: 1 then" in done.output


@pytest.mark.parametrize(
    ("file", "old", "new", "hashed"),
    [
        ("hdp-audit.toml", "detect = 5", "detect = 6", "spec_sha256"),
        ("demands.csv", "0.5", "0.25", "demands_sha256"),
        ("data.csv", "0.5", "0.25", "data_sha256"),
        ("release.py", "data.mean()", "data.max()", "mechanism_sha256"),
    ],
)
def test_another_spec_other_demands_data_or_mechanism_are_refused(
    tmp_path: Path, file: str, old: str, new: str, hashed: str
) -> None:
    text = TARGET.format(name="no_noise").replace(LISTED, 'file = "demands.csv"\n\n[data]\nfile = "data.csv"')
    spec, report = written(tmp_path, text), tmp_path / "out" / "report.json"
    (tmp_path / "demands.csv").write_text("epsilon\n" + "0.5\n" * 10)
    (tmp_path / "data.csv").write_text("x\n" + "0.5\n" * 10)
    invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    replay = ("replay", report, "--finding", "no_noise/privacy/tier/0.5", "--spec", spec)
    assert invoke(*replay).exit_code == 0
    (tmp_path / file).write_text((tmp_path / file).read_text().replace(old, new, 1))
    done = invoke(*replay)
    assert done.exit_code == 2, done.output
    assert f"{hashed}: the report says" in done.output


def test_a_report_is_never_a_source_of_commands(refuted: tuple[Path, Path, str]) -> None:
    _, report, name = refuted
    done = invoke("replay", report, "--finding", name)
    assert done.exit_code == 2
    assert "--spec" in done.output


def test_an_unknown_finding_is_refused_with_near_names(refuted: tuple[Path, Path, str]) -> None:
    spec, report, name = refuted
    done = invoke("replay", report, "--finding", name[:-1], "--spec", spec)
    assert done.exit_code == 2
    assert name in done.output


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema_version": 1, "findings": [1]}', "\x00", "[" * 5000])
def test_what_is_no_report_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(content)
    for arguments in (("replay", path, "--finding", "x", "--spec", "x"), ("compare", path, path)):
        done = invoke(*arguments)
        assert done.exit_code == 2
        assert "report.json" in done.output
