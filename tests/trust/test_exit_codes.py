"""Exit code 1 means refuted, or a regression, and nothing else; 0 means that everything was done and passed."""

from __future__ import annotations

import asyncio
import concurrent.futures
import errno
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import hdp_audit
from tests.cli.specs import REFERENCE, TARGET, document, invoke, invoke_program, written

PATHS = {**os.environ, "PYTHONPATH": str(Path(hdp_audit.__file__).parents[1])}
QUICK = ("--jobs", 1, "--quiet")
SMALL = TARGET.replace("budget = 4000", "budget = 1000")


def started(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "hdp_audit", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": PATHS}
    return subprocess.Popen(command, **{**pipes, **options})  # noqa: S603 - our own program


@pytest.mark.parametrize(
    "end",
    [
        asyncio.CancelledError(),
        concurrent.futures.CancelledError(),
        GeneratorExit(),
        BrokenPipeError(errno.EPIPE, "Broken pipe"),
        EOFError(),
        MemoryError(),
        OSError(errno.ENOSPC, "No space left on device"),
        click.exceptions.ClickException("no"),
        click.exceptions.Abort(),
        KeyboardInterrupt(),
        SystemExit("words"),
        type("Odd", (BaseException,), {})("odd"),
    ],
    ids=lambda end: type(end).__name__,
)
def test_no_exception_looks_like_a_refuted_claim(end: BaseException) -> None:
    def ends() -> None:
        raise end

    done = invoke_program(ends)
    interrupted = isinstance(end, (KeyboardInterrupt, click.exceptions.Abort))
    assert done.exit_code == (130 if interrupted else 2)
    assert "Traceback" not in done.output


def closed(*arguments: object) -> tuple[int, str]:
    """As before `head -1`: the exit code and what was said on stderr."""
    process = started(*arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    return process.wait(timeout=120), said


@pytest.fixture
def passed(tmp_path: Path) -> Path:
    """The report of a run that passed."""
    assert invoke("run", written(tmp_path, REFERENCE), "--out", tmp_path / "passed", *QUICK).exit_code == 0
    return tmp_path / "passed" / "report.json"


def test_a_closed_pipe_changes_no_verdict(tmp_path: Path, passed: Path) -> None:
    assert closed("list") == (0, "")
    (tmp_path / "demands.csv").write_text("epsilon\n0.5\n0.5\n")
    assert closed("bounds", "--epsilon", tmp_path / "demands.csv", "--categories", 2) == (0, "")
    assert closed("compare", passed, passed) == (0, "")
    assert closed("prove", "grid-scale") == (0, "")
    spec, out = written(tmp_path, SMALL.format(name="no_noise")), tmp_path / "out"
    assert closed("run", spec, "--out", out, "--jobs", 1) == (1, "")
    assert document(out)["verdict"] == "fail"
    assert closed("check", spec) == (1, "")


def test_nobody_reads_at_all(tmp_path: Path) -> None:
    """Neither stdout nor stderr: closed pipes from the start."""
    spec, out = written(tmp_path, REFERENCE), tmp_path / "out"
    reading, writing = os.pipe()
    os.close(reading)
    process = started("run", spec, "--out", out, "--jobs", 1, stdout=writing, stderr=writing)
    os.close(writing)
    assert process.wait(timeout=120) == 0
    assert document(out)["verdict"] == "pass"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_output_that_reaches_nobody_is_not_called_done() -> None:
    with Path("/dev/full").open("w") as full:
        process = started("list", stdout=full)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert said == "hdp-audit: the output could not be written (No space left on device)\n"


MENDED = """
import os, pathlib
def mended(data, epsilon, rng):
    if pathlib.Path(__file__).with_name("exits").exists():
        os._exit(0)
    return float(data.mean())
"""


def test_a_mechanism_that_exits_is_neither_replayed_nor_checked_to_exit_zero(tmp_path: Path) -> None:
    spec, out = written(tmp_path, SMALL.format(name="mended")), tmp_path / "out"
    (tmp_path / "release.py").write_text(MENDED)
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 1
    name = next(finding["id"] for finding in document(out)["findings"] if finding["verdict"] == "fail")
    (tmp_path / "exits").touch()
    process = started("replay", out / "report.json", "--finding", name, "--spec", spec)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 1, said + errors  # every call ends its process, and no number came back
    assert "the numbers differ" in said
    done = invoke("check", spec)
    assert done.exit_code == 2, done.output
    assert "the process died: the mechanism ended it" in done.output


CUSTOM = """
[mechanism]
target = "release.py:private"
pairs = "pairs.py:pairs"
task = "custom"

[demands]
values = [0.5, 0.5]

[privacy]

[run]
budget = 1000
"""


@pytest.mark.parametrize(
    ("command", "body"),
    [("run", "import os\nos._exit(0)\n"), ("check", "def pairs():\n    raise SystemExit(0)\n    yield\n")],
)
def test_pairs_that_exit_do_not_end_the_job_with_exit_zero(tmp_path: Path, command: str, body: str) -> None:
    spec = written(tmp_path, CUSTOM)
    (tmp_path / "release.py").write_text("def private(data, epsilon, rng):\n    return rng.random()\n")
    (tmp_path / "pairs.py").write_text(body)
    more = ["--out", tmp_path / "out"] if command == "run" else []
    process = started(command, spec, *more)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 2, said + errors
    assert "pairs" in errors


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(("name", "code"), [("no_noise", 1), ("private_mean", 0)])
def test_a_full_disk_costs_the_journal_but_not_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    spec, out = written(tmp_path, TARGET.format(name=name)), tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr("hdp_audit.runs.journal.Journal.add", full)
        done = invoke("run", spec, "--out", out, *QUICK)
    assert done.exit_code == code, done.output
    assert done.output.count("the journal cannot be written (No space left on device)") == 1
    assert "bug" not in done.output
    assert document(out)["findings"]


@pytest.mark.parametrize(("name", "code"), [("no_noise", 1), ("private_mean", 2)])
def test_reports_that_cannot_be_written_do_not_hide_the_verdict(tmp_path: Path, name: str, code: int) -> None:
    """A folder stands where a report has to go."""
    spec, out = written(tmp_path, TARGET.format(name=name)), tmp_path / "out"
    (out / "report.json" / "folder").mkdir(parents=True)
    done = invoke("run", spec, "--out", out, *QUICK)
    assert done.exit_code == code, done.output
    assert "the reports could not be written" in done.output
    assert ("fail: " if code == 1 else "pass: 1 findings") in done.output
    assert "bug" not in done.output


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20480, 20480))  # enough for what workers and their watcher share


def test_a_real_limit_on_files_leaves_the_verdict_on_the_terminal(tmp_path: Path) -> None:
    """The journal's first lines are the last that fit."""
    many = re.sub("values = .*", f"values = {np.arange(1, 17).tolist()}", SMALL.format(name="no_noise"))
    spec, out = written(tmp_path, many), tmp_path / "out"
    # python itself would leave half of a .pyc behind, and not read it again
    unwritten = {**PATHS, "PYTHONDONTWRITEBYTECODE": "1"}
    process = started("run", spec, "--out", out, *QUICK, preexec_fn=small_files, env=unwritten)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 1, said + errors
    assert "fail: " in said
    assert "the journal cannot be written (File too large)" in errors
    assert "the reports could not be written" in errors
    assert "Traceback" not in errors
    assert "bug" not in errors


SLOW = """
import time
def slow(data, epsilon, rng):
    if data.sum() == 1:
        time.sleep(0.05)
    return rng.laplace()
"""


def listening() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def in_the_background() -> None:
    """As shells start what ends with an ampersand."""
    listening()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


PROGRAM = """
[mechanism]
command = ["sh", "-c", "sleep 0.05; date +%s.%N"]
protocol = "once"
task = "mean"

[demands]
values = [1, 1, 1]

[privacy]

[run]
budget = 900
"""


@pytest.mark.parametrize(
    ("spec", "place"),
    [(PROGRAM, in_the_background), pytest.param(TARGET.format(name="slow"), listening, marks=pytest.mark.full)],
    ids=["program", "function"],
)
def test_a_request_to_end_saves_what_was_done_and_exits_130(
    tmp_path: Path, spec: str, place: Callable[[], None]
) -> None:
    path, out = written(tmp_path, spec), tmp_path / "out"
    (tmp_path / "release.py").write_text(SLOW)
    process = started("run", path, "--out", out, "--jobs", 1, preexec_fn=place)
    until(lambda: (out / "journal.jsonl").exists() and (out / "journal.jsonl").read_bytes().count(b"\n") >= 2)
    time.sleep(0.2)  # in the middle of the calls of the check that comes next
    process.send_signal(signal.SIGTERM)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 130, said + errors
    assert "Traceback" not in errors
    assert "--resume" in said
    assert any(finding["id"].endswith("/interrupted") for finding in document(out)["findings"])


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_call_of_the_program_leaves_the_signals_of_its_caller_alone() -> None:
    """As from a test: a request to end is then the caller's."""
    seen = []
    before = signal.getsignal(signal.SIGTERM)
    assert invoke_program(lambda: seen.append(signal.getsignal(signal.SIGTERM))).exit_code == 0
    assert seen == [before]
