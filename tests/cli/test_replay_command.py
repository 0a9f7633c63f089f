"""`hdp-audit replay`: the same numbers, from the spec, or a refusal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.specs import TARGET, invoke, written

pytestmark = pytest.mark.xdist_group("replay")  # one worker has the report
LISTED = "values = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]"


NAME = "no_noise/privacy/tier/0.5"


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a spec, its files and the report of its refutation, made once."""
    folder = tmp_path_factory.mktemp("refuted")
    text = TARGET.format(name="no_noise").replace(LISTED, 'file = "demands.csv"\n\n[data]\nfile = "data.csv"')
    spec = written(folder, text)
    (folder / "demands.csv").write_text("epsilon\n" + "0.5\n" * 10)
    (folder / "data.csv").write_text("x\n" + "0.5\n" * 10)
    invoke("run", spec, "--out", folder / "out", "--jobs", 1, "--quiet")
    return folder


@pytest.fixture
def refuted(audited: Path, tmp_path: Path) -> tuple[Path, Path, str]:
    """A spec, the report of its refutation, and the id of a failure: a copy, to be changed."""
    shutil.copytree(audited, tmp_path, dirs_exist_ok=True)
    return tmp_path / "hdp-audit.toml", tmp_path / "out" / "report.json", NAME


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
    refuted: tuple[Path, Path, str], file: str, old: str, new: str, hashed: str
) -> None:
    """Without the change, the same numbers come again: the first test."""
    spec, report, name = refuted
    changed = spec.with_name(file)
    changed.write_text(changed.read_text().replace(old, new, 1))
    done = invoke("replay", report, "--finding", name, "--spec", spec)
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
