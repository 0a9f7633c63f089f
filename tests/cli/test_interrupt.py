"""Ctrl-C in the middle: exit 130, what was done is saved, `--resume` goes on to the same report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import hdp_audit
from tests.cli.specs import TARGET, invoke, written

SLOW = """
import pathlib
import time
import numpy as np
def private_mean(data, epsilon, rng):  # waits when it is asked about the users who demand 1
    while data[7:].sum() == 2 and data[:7].sum() == 0 and not pathlib.Path(__file__).with_name("go").exists():
        time.sleep(0.01)
    spent = np.minimum(epsilon, 0.5)
    return float((spent @ data + rng.laplace()) / spent.sum())
"""


def slow_spec(folder: Path) -> Path:
    text = TARGET.format(name="private_mean").replace("0.5, 0.5, 0.5]", "1, 1, 1]").replace("4000", "2000")
    spec = written(folder, text)
    (folder / "release.py").write_text(SLOW)
    return spec


def _listening() -> None:
    """A shell that starts tests in the background tells everything it starts to ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT")
def test_an_interrupted_run_exits_130_and_resumes_to_the_same_report(tmp_path: Path) -> None:
    spec, out = slow_spec(tmp_path), tmp_path / "out"
    command = [sys.executable, "-m", "hdp_audit", "run", str(spec), "--out", str(out), "--jobs", "1"]
    paths = {"PYTHONPATH": str(Path(hdp_audit.__file__).parents[1])}
    process = subprocess.Popen(  # noqa: S603 - our own program
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **paths},
        preexec_fn=_listening,
    )
    journal = out / "journal.jsonl"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (journal.exists() and journal.read_text().count("\n") >= 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    try:
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, output + errors
    assert "Traceback" not in errors
    assert "--resume" in output
    partial = json.loads((out / "report.json").read_text())
    assert any(entry["id"].endswith("/interrupted") for entry in partial["findings"])
    (tmp_path / "go").touch()
    resumed = invoke("run", spec, "--out", out, "--jobs", 1, "--resume")
    assert "privacy/tier/0.5:" not in resumed.output  # it was done before
    invoke("run", spec, "--out", tmp_path / "whole", "--jobs", 1, "--quiet")
    first, second = (json.loads((folder / "report.json").read_text()) for folder in (out, tmp_path / "whole"))
    assert first["findings"] == second["findings"]
    assert first["totals"]["calls"] == second["totals"]["calls"]


def test_another_seed_or_another_mechanism_is_not_resumed(tmp_path: Path) -> None:
    spec, out = written(tmp_path, TARGET.format(name="private_mean")), tmp_path / "out"
    invoke("run", spec, "--out", out, "--jobs", 1, "--quiet")
    done = invoke("run", spec, "--out", out, "--resume", "--seed", 2)
    assert done.exit_code == 2
    assert "seed: 1 then, 2 now" in done.output
    (tmp_path / "release.py").write_text(SLOW)
    done = invoke("run", spec, "--out", out, "--resume")
    assert done.exit_code == 2
    assert "mechanism_sha256" in done.output


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    done = invoke("run", written(tmp_path, TARGET.format(name="private_mean")), "--out", tmp_path / "out", "--resume")
    assert done.exit_code == 2
    assert "no journal to resume" in done.output
