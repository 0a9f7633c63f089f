"""Programs that answer the wrong number of outputs, reports of nothing, launchers, and Ctrl-C in the first seconds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hdp_audit
from hdp_audit.cli.exits import exit_code
from hdp_audit.model import OptimalityClaim, PrivacyClaim
from hdp_audit.model.promise import PureDP
from hdp_audit.reporting.meaning import headline
from hdp_audit.runs.journal import NAME, Journal, removed_if_empty
from hdp_audit.targets.command import Command
from hdp_audit.targets.failures import FINE, WRONG_SHAPE
from hdp_audit.targets.program import OpenedProgram, Program
from hdp_audit.targets.streams import named
from tests.cli.specs import QUICK, REFERENCE, TARGET, invoke, written
from tests.subjects import subject_of, table

EPSILON = np.array([0.1, 0.1, 1.0])
LOOP = """
import json, random, sys
{before}
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    draw = random.Random(request["seed"])
    many = len(request["datasets"]) if "datasets" in request else request["size"]
    outputs = [float(draw.randrange(100)) for _ in range(many)]
    {body}
    print(json.dumps({{"id": request["id"], "outputs": outputs}}), flush=True)
    if number == 2000:  # whoever goes on asking is stopped here
        sys.exit(1)
"""


def program(folder: Path, body: str, before: str = "") -> Program:
    file = folder / "release"
    file.write_text(f"#!{sys.executable} -S\n" + LOOP.format(body=body, before=before))
    file.chmod(0o755)
    return OpenedProgram(Command(("./release",), folder, 5.0), PureDP(EPSILON))()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("outputs = []", "outputs has 0 entries for size = 4"),
        ("outputs = outputs[:-1]", "outputs has 3 entries for size = 4"),
        ("outputs = outputs[:1] if number > 1 else outputs", "outputs has 1 entry for size = 4"),
        ("outputs = outputs + [0.5] if number > 1 else outputs", "outputs has 5 entries for size = 4"),
    ],
)
def test_a_wrong_number_of_outputs_is_a_failed_answer_and_not_asked_for_again(
    tmp_path: Path, body: str, said: str
) -> None:
    subject = subject_of(program(tmp_path, body), EPSILON, None)
    drawn = subject.draw(subject.dataset(np.zeros(3)), 4, named(1, "few"))
    assert drawn[:, -1].tolist() == [WRONG_SHAPE] * 4
    assert [(kind, failure.message) for kind, failure in subject.failures.items()] == [(WRONG_SHAPE, said)]


def test_a_wrong_number_of_outputs_for_datasets_is_a_failed_answer(tmp_path: Path) -> None:
    hello = 'print(json.dumps({"hello": 1, "datasets": True}), flush=True)'
    body = 'outputs = outputs[:-1] if "datasets" in request else outputs'
    subject = subject_of(program(tmp_path, body, hello), EPSILON, None)
    drawn = subject.draw_each(table(subject, np.zeros((5, 3))), named(1, "few"))
    assert drawn[:, -1].tolist() == [WRONG_SHAPE] * 5
    assert subject.failures[WRONG_SHAPE].message == "outputs has 4 entries for 5 datasets"


def test_a_number_of_outputs_that_tells_a_datum_refutes_the_promise(tmp_path: Path) -> None:
    body = 'outputs = outputs[:-1] if many > 1 and request["data"][0] > 0.5 else outputs'
    report = hdp_audit.audit(program(tmp_path, body), epsilon=EPSILON, task="mean", budget=2000)
    refuted = [finding.id for finding in report.findings if finding.verdict == "fail"]
    assert "release/privacy/tier/0.1" in refuted
    assert any(finding.id.endswith("behaviour/call/wrong-shape") for finding in report.findings)


def test_a_custom_batch_whose_length_tells_a_datum_refutes_the_promise() -> None:
    def release(data: list[float], epsilon: np.ndarray, rng: np.random.Generator) -> int:
        return int(rng.integers(100))

    def batch(data: list[float], epsilon: np.ndarray, rng: np.random.Generator, size: int) -> list[int]:
        return rng.integers(100, size=size - (size > 1 and data[0] > 0.5)).tolist()

    release.batch = batch  # type: ignore[attr-defined]
    found = hdp_audit.audit(
        release, epsilon=EPSILON, task="custom", budget=4000, pairs=lambda: [([0.0] * 3, [1.0, 0.0, 0.0], [0])]
    )
    assert "release/privacy/pair/0" in [finding.id for finding in found.findings if finding.verdict == "fail"]


def test_the_right_number_of_outputs_is_fine(tmp_path: Path) -> None:
    subject = subject_of(program(tmp_path, "pass"), EPSILON, None)
    assert subject.draw(subject.dataset(np.zeros(3)), 7, named(1, "right"))[:, -1].tolist() == [FINE] * 7
    assert not subject.failures


def sum_with_noise(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    return float(sum_with_noises(data, epsilon, rng, 1)[0])


def sum_with_noises(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
    return np.round(data.sum() * 16) + rng.geometric(1 / 16, size) - rng.geometric(1 / 16, size)


sum_with_noise.batch = sum_with_noises  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("demands", "claims"),
    [
        ([np.inf] * 3, {}),
        ([np.inf] * 3, {"optimality": OptimalityClaim()}),
        ([1e6] * 3, {"privacy": PrivacyClaim(floating_point="off")}),
    ],
)
def test_a_report_in_which_no_claim_was_audited_is_an_error(demands: list[float], claims: dict[str, Any]) -> None:
    report = hdp_audit.audit(sum_with_noise, epsilon=demands, task="mean", budget=1000, **claims)
    assert report.verdict == "error"
    assert exit_code(report) == 2
    assert headline(report) == "Nothing was audited."
    assert [f.id for f in report.findings if f.verdict == "error"] == ["sum_with_noise/behaviour/nothing-audited"]


def test_one_promise_among_public_users_is_audited() -> None:
    report = hdp_audit.audit(sum_with_noise, epsilon=[1.0, np.inf], task="mean", budget=4000)
    assert not [finding.id for finding in report.findings if finding.verdict == "error"]


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_spec_that_promises_nothing_ends_with_exit_code_2(tmp_path: Path, command: str) -> None:
    spec = written(tmp_path, TARGET.format(name="private_mean").replace("0.5", '"inf"').replace("4000", "1000"))
    done = invoke(command, spec, *(["--out", tmp_path / "out", *QUICK] if command == "run" else []))
    assert done.exit_code == 2, done.output
    assert "nothing was promised" in done.output


def started(arguments: list[object]) -> subprocess.Popen[str]:
    """A process group of its own, which listens to Ctrl-C even where the tests do not."""
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(hdp_audit.__file__).parents[1])},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_a_launcher_without_a_guard_is_not_run_again_by_workers(tmp_path: Path) -> None:
    spec = written(tmp_path, TARGET.format(name="private_mean"))
    launcher = tmp_path / "launcher.py"
    launcher.write_text("import sys\nfrom hdp_audit.cli import main\nsys.exit(main())\n")
    with started([launcher, "check", spec]) as process:
        output, _ = process.communicate(timeout=60)
    assert "ended its process" not in output
    assert process.returncode == 0, output


def test_ctrl_c_while_workers_start_leaves_one_line_and_no_journal(tmp_path: Path) -> None:
    spec, out = written(tmp_path, TARGET.format(name="private_mean")), tmp_path / "out"
    slow = (tmp_path / "release.py").read_text() + "\nimport time\ntime.sleep(2)\n"  # no check ends before
    (tmp_path / "release.py").write_text(slow)
    with started(["-m", "hdp_audit", "run", spec, "--out", out, "--quiet"]) as process:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (out / "journal.jsonl").exists():
            time.sleep(0.01)
        for _ in range(2):
            time.sleep(0.2)
            os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert output == "hdp-audit: interrupted before the first check was done; nothing was saved\n"
    assert process.returncode == 130
    assert not (out / "journal.jsonl").exists()


def test_a_journal_without_a_check_is_removed_and_another_file_is_not(tmp_path: Path) -> None:
    begun, other = tmp_path / NAME, tmp_path / "other.jsonl"
    Journal(begun, {"seed": 1}).start()
    other.write_text('{"some": "thing"}\n')
    assert removed_if_empty(begun)
    assert not begun.exists()
    assert not removed_if_empty(other)
    assert other.exists()


@pytest.mark.many(2)
@pytest.mark.parametrize("left", [b"", b'{"su', b'{"sum": "0123'])
def test_a_journal_that_was_cut_off_in_its_header_starts_anew(tmp_path: Path, left: bytes) -> None:
    spec = written(tmp_path, REFERENCE.replace("4000", "1000"))
    (tmp_path / "journal.jsonl").write_bytes(left)
    done = invoke("run", spec, "--out", tmp_path, "--resume", *QUICK)
    assert "starts anew" in done.output
    assert (tmp_path / "report.json").exists()


@pytest.mark.parametrize("left", [b'{"some": "thing"', b'{"sum": "0123\n'])
def test_another_file_in_the_place_of_a_journal_is_not_overwritten(tmp_path: Path, left: bytes) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(left)
    done = invoke("run", written(tmp_path, REFERENCE), "--out", tmp_path, "--resume", *QUICK)
    assert done.exit_code == 2
    assert journal.read_bytes() == left
