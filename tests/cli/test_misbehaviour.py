"""A mechanism that raises, hangs, dies, returns the wrong shape, NaN or infinity: a finding with input and output."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.model import AuditReport, PrivacyClaim
from tests.cli.specs import QUICK, TARGET, document, invoke, odd, written

ZEROS = [0.0] * 10  # everybody at 0 is tried first
FORMULA = PrivacyClaim(detect=5, floating_point="off")


def behaviour(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [finding for finding in report["findings"] if finding["kind"] == "behaviour"]


def assert_nothing_audited(report: dict[str, Any], code: int) -> None:
    """No call gave an output: an error, and no claim may read as if it had been tried."""
    claims = [finding for finding in report["findings"] if finding["kind"] != "behaviour"]
    assert (report["verdict"], code) == ("error", 2)
    assert claims
    assert {finding["verdict"] for finding in claims} == {"inconclusive"}
    assert all("no call of the mechanism gave an output" in finding["message"] for finding in claims)


@pytest.mark.parametrize(
    ("name", "message", "output"),
    [
        ("raises", "raised an exception: ValueError: not today", "ValueError: not today"),
        ("shape", "returned the wrong shape: a list of 2 instead of a number", [0.1, 0.2]),
        ("nothing", "returned the wrong shape: nothing instead of a number", None),
        ("nan", "returned NaN or infinity: output nan", "nan"),
        ("infinite", "returned NaN or infinity: output inf", "inf"),
        ("hangs", "did not answer in time: took longer than 0.2 s", "took longer than 0.2 s"),
        ("dies", "the process died", "none: the process ended"),
    ],
)
def test_misbehaviour_is_an_error_with_the_offending_input_and_output(
    tmp_path: Path, name: str, message: str, output: object
) -> None:
    spec = odd(tmp_path, name)
    spec.write_text(spec.read_text().replace('task = "mean"', 'task = "mean"\ntimeout = "0.2s"'))
    done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 2, done.output
    found = document(tmp_path / "out")
    assert behaviour(found), found["findings"]
    first = behaviour(found)[0]
    assert (found["verdict"], first["verdict"]) == ("error", "error")
    assert message in first["message"]
    assert first["witness"] == {"input": ZEROS, "output": output}
    assert_nothing_audited(found, done.exit_code)
    for file in ("report.html", "report.md"):
        assert message[:20] in (tmp_path / "out" / file).read_text(encoding="utf-8")


def test_the_page_shows_the_offending_input_and_output(tmp_path: Path) -> None:
    invoke("run", odd(tmp_path, "shape"), "--out", tmp_path / "out", *QUICK)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"<h4>Input</h4><p>{ZEROS}</p>" in page
    assert "<h4>Output</h4><p>[0.1, 0.2]</p>" in page
    done = invoke("run", tmp_path / "hdp-audit.toml", "--out", tmp_path / "out", "--jobs", 1)
    assert f"  input: {ZEROS}\n  output: [0.1, 0.2]" in done.output


def test_a_failure_that_depends_on_the_data_is_a_symbol_that_refutes(tmp_path: Path) -> None:
    done = invoke("run", odd(tmp_path, "picks"), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 1, done.output
    found = document(tmp_path / "out")
    (error,) = behaviour(found)
    assert error["witness"] == {"input": ZEROS, "output": "ValueError: nobody is in"}
    events = [f["witness"]["event"] for f in found["findings"] if f["verdict"] == "fail"]
    assert any("the way the call failed" in event for event in events)


@pytest.mark.parametrize("odd_output", [ValueError("0.73519264"), 0.73519264 * np.ones(3), float("nan")])
def test_with_the_users_own_data_in_play_neither_input_nor_output_is_shown(odd_output: Any) -> None:
    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        if 0.73519264 not in data:
            return float(epsilon @ data + rng.laplace())
        if isinstance(odd_output, Exception):
            raise odd_output
        return odd_output

    data = [0.73519264] * 3
    report = audit(release, epsilon=[1.0] * 3, task="mean", budget=3_000, data=data, privacy=FORMULA)
    (error,) = behaviour(report.to_json())
    assert error["witness"] == {}
    assert "kept back" in error["message"]
    told = {key: value for key, value in report.to_json().items() if key != "totals"}  # seconds have any digits
    assert "7351" not in str(told)


def calls_and_report(mechanism: Any, **options: Any) -> AuditReport:
    return audit(mechanism, epsilon=[0.5] * 10, task="mean", budget=8000, privacy=FORMULA, **options)


def test_the_python_interface_takes_a_time_limit() -> None:
    def sleeps(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        time.sleep(30)
        return 0.5

    started = time.monotonic()
    report = calls_and_report(sleeps, timeout=0.1)
    assert time.monotonic() - started < 10
    assert_nothing_audited(report.to_json(), 2)


def test_calls_that_fail_do_not_count_for_the_power_of_a_pass() -> None:
    def lazy(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        if share and rng.random() < share:
            raise RuntimeError("later")
        return float((epsilon @ data + rng.laplace()) / epsilon.sum())

    seen = []
    for chance in (0.0, 0.5):
        share = chance
        report = calls_and_report(lazy)
        seen.append(next(f.detectable for f in report.findings if f.id.endswith("tier/0.5")))
    assert seen[0] is not None
    assert seen[1] is not None
    assert seen[0] < seen[1] < 2 * seen[0]


SILENT = "import sys, time\nfor line in sys.stdin:\n    time.sleep(600)\n"
GONE = "import sys\nsys.stdin.readline()\nsys.stderr.write('out of paper')\nsys.exit(7)\n"
REFUSES = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    print(json.dumps({'id': json.loads(line)['id'], 'error': 'closed on Mondays'}), flush=True)\n"
)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (SILENT, "the program gave no answer within 0.3 s"),
        (GONE, "the program ended with exit code 7; its stderr ends: out of paper"),
        (REFUSES, "the program says: closed on Mondays"),
    ],
)
def test_a_program_that_never_answers_costs_seconds_and_is_not_audited(tmp_path: Path, code: str, message: str) -> None:
    (tmp_path / "release").write_text(f"#!{sys.executable} -S\n{code}")
    (tmp_path / "release").chmod(0o755)
    claims = "[accuracy]\nbound = 0.2\n\n[optimality]\n\n[run]"
    command = 'command = ["./release"]\ntimeout = "0.3s"'
    spec = written(tmp_path, TARGET.replace('target = "release.py:{name}"', command).replace("[run]", claims))
    started = time.monotonic()
    done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
    assert time.monotonic() - started < 10
    found = document(tmp_path / "out")
    assert_nothing_audited(found, done.exit_code)
    assert {finding["kind"] for finding in found["findings"]} == {"behaviour", "privacy", "accuracy", "optimality"}
    (error,) = behaviour(found)
    assert error["message"].startswith(message)  # what the program did, no name of a Python class
    assert error["witness"]["input"] == ZEROS
    assert message in error["witness"]["output"]
    checked = invoke("check", spec)
    assert checked.exit_code == 2
    assert message in checked.output
