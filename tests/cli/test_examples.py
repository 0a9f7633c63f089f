"""The worked examples run, and say what their texts say."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hdp_audit.cli import main
from hdp_audit.config import read_spec
from tests.cli.specs import QUICK, REFERENCE, document, invoke, written

EXAMPLES = Path(__file__).parents[2] / "examples"


def audited(spec: Path, out: Path, budget: int, *more: object) -> tuple[int, str]:
    """Exit code and verdict, with as many calls as make the verdict certain."""
    done = invoke("run", spec, "--out", out, *QUICK, "--budget", budget, *more)
    return done.exit_code, document(out)["verdict"]


def test_the_python_function_keeps_its_promises(tmp_path: Path) -> None:
    assert audited(EXAMPLES / "python-function" / "hdp-audit.toml", tmp_path, 10_000) == (0, "pass")
    rows = gzip.decompress((tmp_path / "users.csv.gz").read_bytes()).decode().splitlines()
    assert len(rows) == 101
    assert any("careful-1" in row for row in rows)  # the ids of the demands are carried through


@pytest.mark.skipif(shutil.which("perl") is None, reason="no perl")
def test_the_perl_program_keeps_its_promises(tmp_path: Path) -> None:
    assert audited(EXAMPLES / "perl-program" / "hdp-audit.toml", tmp_path, 10_000) == (0, "pass")


@pytest.mark.parametrize(("package", "folder"), [("opendp", "opendp-mean"), ("diffprivlib", "diffprivlib-mean")])
def test_examples_of_other_libraries_pass_where_these_are_installed(tmp_path: Path, package: str, folder: str) -> None:
    """They draw from generators of their own; at this confidence a false alarm has probability at most 10⁻⁶."""
    pytest.importorskip(package)
    spec = EXAMPLES / folder / "hdp-audit.toml"
    assert audited(spec, tmp_path, 6000, "--confidence", 0.999999) == (0, "pass")


@pytest.mark.parametrize("package", ["opendp", "diffprivlib", "dp_accounting"])
def test_audits_of_other_peoples_packages_run_where_these_are_installed(tmp_path: Path, package: str) -> None:
    """Few calls, which need not be enough; at this confidence a false alarm has probability at most 10⁻⁶."""
    pytest.importorskip(package)
    spec = EXAMPLES / "third-party" / package.replace("_", "-") / "hdp-audit.toml"
    assert audited(spec, tmp_path, 2000, "--confidence", 0.999999) in ((0, "pass"), (3, "inconclusive"))


@pytest.mark.parametrize("spec", sorted((EXAMPLES / "third-party").glob("*/*.toml")), ids=lambda each: each.stem)
def test_specs_of_other_peoples_packages_can_be_read(spec: Path) -> None:
    assert read_spec(spec).privacy is not None


def test_the_bug_is_found_among_the_careful_users_and_its_mending_passes(tmp_path: Path) -> None:
    assert audited(EXAMPLES / "buggy-mean" / "hdp-audit.toml", tmp_path / "buggy", 20_000) == (1, "fail")
    findings = document(tmp_path / "buggy")["findings"]
    assert {entry["claimed"] for entry in findings if entry["verdict"] == "fail"} == {0.05}
    assert audited(EXAMPLES / "buggy-mean" / "hdp-audit-fixed.toml", tmp_path / "fixed", 20_000) == (0, "pass")


@pytest.mark.parametrize(("spec", "expected"), [("hdp-audit", (0, "pass")), ("hdp-audit-forgetful", (1, "fail"))])
def test_a_training_is_audited_in_150_runs(tmp_path: Path, spec: str, expected: tuple[int, str]) -> None:
    """At fixed seeds; benchmarks/few_calls.md has 20 of each."""
    assert audited(EXAMPLES / "private-training" / f"{spec}.toml", tmp_path, 150) == expected
    assert sum(entry["calls"] for entry in document(tmp_path)["findings"]) <= 200


def test_the_workflow_calls_commands_and_options_that_exist() -> None:
    text = (EXAMPLES / "ci" / "hdp-audit.yml").read_text()
    calls = re.findall(r"(?:- run:|^ +) hdp-audit (\S+)(.*)", text, re.MULTILINE)
    assert [command for command, _ in calls] == ["check", "run", "run"]
    for command, rest in calls:
        known = {option for parameter in main.commands[command].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known


@pytest.mark.skipif(shutil.which("sh") is None, reason="no shell")
def test_the_gate_writes_a_baseline_first_and_holds_to_it_later(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "hdp-audit"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hdp_audit "$@"\n')
    program.chmod(0o755)
    spec = written(tmp_path, REFERENCE)
    paths = {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(EXAMPLES.parent)}
    for _ in range(2):
        done = subprocess.run(  # noqa: S603 - our own script
            [str(EXAMPLES / "ci" / "gate.sh"), str(spec), "baseline.json", "--jobs", "1"],
            cwd=tmp_path,
            env={**os.environ, **paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert "no regression" in done.stdout
