"""The worked examples run, and say what their texts say."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.specs import invoke

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
