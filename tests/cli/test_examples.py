"""The worked examples run, and say what their texts say."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hdp_audit.cli import main
from tests.cli.specs import REFERENCE, invoke, written

EXAMPLES = Path(__file__).parents[2] / "examples"


def audited(spec: Path, out: Path, budget: int) -> tuple[int, str]:
    done = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet", "--budget", budget, "--allow-inconclusive")
    verdict: str = json.loads((out / "report.json").read_text())["verdict"]
    return done.exit_code, verdict


def test_the_python_function_keeps_its_promises(tmp_path: Path) -> None:
    code, verdict = audited(EXAMPLES / "python-function" / "hdp-audit.toml", tmp_path, 10_000)
    assert (code, verdict in ("pass", "inconclusive")) == (0, True)
    rows = gzip.decompress((tmp_path / "users.csv.gz").read_bytes()).decode().splitlines()
    assert len(rows) == 101
    assert any("careful-1" in row for row in rows)  # the ids of the demands are carried through


@pytest.mark.skipif(shutil.which("perl") is None, reason="no perl")
def test_the_perl_program_keeps_its_promises(tmp_path: Path) -> None:
    code, verdict = audited(EXAMPLES / "perl-program" / "hdp-audit.toml", tmp_path, 10_000)
    assert (code, verdict in ("pass", "inconclusive")) == (0, True)


@pytest.mark.parametrize(("package", "folder"), [("opendp", "opendp-mean"), ("diffprivlib", "diffprivlib-mean")])
def test_examples_of_other_libraries_run_where_these_are_installed(tmp_path: Path, package: str, folder: str) -> None:
    pytest.importorskip(package)
    code, _ = audited(EXAMPLES / folder / "hdp-audit.toml", tmp_path, 4000)
    assert code == 0


def test_the_bug_is_found_among_the_careful_users_and_its_mending_passes(tmp_path: Path) -> None:
    code, verdict = audited(EXAMPLES / "buggy-mean" / "hdp-audit.toml", tmp_path / "buggy", 20_000)
    assert (code, verdict) == (1, "fail")
    findings = json.loads((tmp_path / "buggy" / "report.json").read_text())["findings"]
    assert 0.05 in {entry["claimed"] for entry in findings if entry["verdict"] == "fail"}
    code, _ = audited(EXAMPLES / "buggy-mean" / "hdp-audit-fixed.toml", tmp_path / "fixed", 20_000)
    assert code == 0


def test_the_workflow_calls_commands_and_options_that_exist() -> None:
    text = (EXAMPLES / "ci" / "hdp-audit.yml").read_text()
    calls = re.findall(r"- run: hdp-audit (\S+)(.*)", text)
    assert [command for command, _ in calls] == ["check", "run"]
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
            [str(EXAMPLES / "ci" / "gate.sh"), str(spec), "baseline.json"],
            cwd=tmp_path,
            env={**os.environ, **paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert "no regression" in done.stdout
