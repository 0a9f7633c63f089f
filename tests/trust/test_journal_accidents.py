"""An accident is no finding: what a death or an interrupt left undone is told of, and done again."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hdp_audit import engine
from tests.cli.specs import TARGET, document, invoke, written

SMALL = TARGET.replace("detect = 5", "detect = 20").replace("budget = 4000", "budget = 1000")
MENDED = """
import os, pathlib
def mended(data, epsilon, rng):
    if not pathlib.Path(__file__).with_name("mended").exists():
        {accident}
    return float((0.5 * data.sum() + rng.laplace()) / (0.5 * data.size))
"""


def fails_then_resumes(spec: Path, out: Path, said: str) -> None:
    """An accident is told of; once its cause is gone, a resumed run passes."""
    first = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet")
    assert first.exit_code == 2, first.output
    assert said in json.dumps(document(out))
    (spec.parent / "mended").touch()
    resumed = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet", "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert {finding["verdict"] for finding in document(out)["findings"]} == {"pass"}


@pytest.mark.parametrize("accident", ["os._exit(9)", "os.kill(os.getpid(), 9)"])
def test_a_worker_that_died_is_tried_again(tmp_path: Path, accident: str) -> None:
    spec, out = written(tmp_path, SMALL.format(name="mended")), tmp_path / "out"
    (tmp_path / "release.py").write_text(MENDED.format(accident=accident))
    fails_then_resumes(spec, out, "the process died")


PROGRAM = """#!{python} -S
import json, os, sys, random
for line in sys.stdin:
    request = json.loads(line)
    if not os.path.exists("mended"):
        os.kill(os.getpid(), 9)
    random.seed(request["seed"])
    n = len(request["data"])
    noise = [(random.expovariate(1) - random.expovariate(1)) for _ in range(request["size"])]
    outputs = [(0.5 * sum(request["data"]) + z) / (0.5 * n) for z in noise]
    print(json.dumps({{"id": request["id"], "outputs": outputs}}), flush=True)
"""


def test_a_program_that_was_killed_is_tried_again(tmp_path: Path) -> None:
    """And so is every check that was not made because the behaviour check got no answer."""
    (tmp_path / "release").write_text(PROGRAM.format(python=sys.executable))
    (tmp_path / "release").chmod(0o755)
    text = SMALL.replace('target = "release.py:{name}"', 'command = ["./release"]\ntimeout = "5s"')
    spec, out = written(tmp_path, text), tmp_path / "out"
    fails_then_resumes(spec, out, "signal 9")


def test_what_an_interrupt_left_undone_is_told_of_the_right_subject() -> None:
    """A mechanism's name may hold a slash."""
    from hdp_audit.config.spec import Run
    from hdp_audit.runs.finish import finished
    from hdp_audit.runs.job import Job
    from hdp_audit.suite import suite_cases

    case = next(iter(suite_cases()))
    named = replace(case, name="acme/release")
    checks = engine.plan([named], confidence=0.999, budget=4000, seed=1)
    report = engine.assemble(checks, {}, 0.0)
    found = finished(report, Job((named,), Run(), {}), checks, {}).findings
    assert [(finding.id, finding.subject) for finding in found] == [("acme/release/interrupted", "acme/release")]
