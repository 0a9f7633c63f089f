"""`task = "custom"`: any outputs, on pairs of datasets that the user gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from click.testing import Result

from hdp_audit.audits.enough import detectable_losses
from hdp_audit.config import case_of, read_spec
from tests.cli.specs import QUICK, document, invoke

TOGETHER = pytest.mark.xdist_group("custom task")  # one worker has the reports
SPEC = """
[mechanism]
target = "answers.py:{name}"
task = "custom"
pairs = "answers.py:{pairs}"

[demands]
values = [1, 2]

[privacy]
detect = 3

[run]
budget = 8000
"""
CODE = """
import math

def answer(data, epsilon, rng):  # randomised response of everybody, in words
    return tuple("yes" if (rng.random() < 1 / (1 + math.exp(-e))) == bool(x) else "no" for x, e in zip(data, epsilon))

def loud(data, epsilon, rng):
    return answer(data, 3 * epsilon, rng)

def moody(data, epsilon, rng):
    raise ValueError("not today")

def long(data, epsilon, rng):
    return [word for word in answer(data, epsilon, rng) if word == "yes"]

def odd(data, epsilon, rng):
    return (answer for answer in "yes")

def secret(data, epsilon):  # draws from elsewhere
    import numpy as np
    return answer(data, epsilon, np.random.default_rng())

def pairs():
    yield [0, 0], [1, 0], [0]
    yield [0, 0], [0, 1], [1]

def none():
    return []

def broken():
    yield 1 / 0

def strangers():
    yield [0, 0], [1, 0], [7]
"""


def written(folder: Path, name: str, pairs: str = "pairs") -> Path:
    (folder / "answers.py").write_text(CODE)
    (folder / "hdp-audit.toml").write_text(SPEC.format(name=name, pairs=pairs))
    return folder / "hdp-audit.toml"


@dataclass(frozen=True)
class Audited:
    """A folder with a spec and the reports in `out`, and what `check` and `run` said."""

    folder: Path
    checked: Result
    done: Result


Audits = Callable[..., Audited]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Audits:
    """Checks and audits a mechanism, once for all tests."""

    @cache
    def audited(name: str, detect: str) -> Audited:
        folder = tmp_path_factory.mktemp(name)
        spec = written(folder, name)
        spec.write_text(spec.read_text().replace("detect = 3", f"detect = {detect}"))
        return Audited(folder, invoke("check", spec), invoke("run", spec, "--out", folder / "out", *QUICK))

    return audited


@TOGETHER
@pytest.mark.parametrize(("name", "code"), [("answer", 0), ("loud", 1)])
def test_randomised_response_in_words_is_judged(audited: Audits, name: str, code: int) -> None:
    found = audited(name, "3")
    checked, done = found.checked, found.done
    assert checked.exit_code == 0, checked.output
    for words in ("pair 0 may lose 1 (1 user):", "pair 1 may lose 2 (1 user):", "detect = 3 in every pair costs about"):
        assert words in checked.output
    assert done.exit_code == code, done.output
    findings = [finding for finding in document(found.folder / "out")["findings"] if finding["kind"] == "privacy"]
    assert len(findings) == 2
    for finding in findings:
        event = finding["witness"]["event"]  # symbols as they are, no numbers for them
        assert "the output is ('yes', 'no')" in event or "the output is ('no', 'yes')" in event
        assert "raised" not in finding["witness"]["event"]  # nor what never happened


@TOGETHER
@pytest.mark.parametrize(("detect", "code"), [("3", 0), ("1.001", 3)])
def test_check_and_run_agree_on_what_a_budget_can_see_of_pairs(audited: Audits, detect: str, code: int) -> None:
    found = audited("answer", detect)
    assert found.checked.exit_code == code, found.checked.output
    assert found.done.exit_code == code, found.done.output


@TOGETHER
def test_what_check_foresees_of_a_pair_is_what_the_run_reports(audited: Audits) -> None:
    folder = audited("answer", "3").folder
    case = case_of(read_spec(folder / "hdp-audit.toml"))
    found = {f["id"][-1]: f["detectable"] for f in document(folder / "out")["findings"] if "/pair/" in f["id"]}
    # The run speaks of the outputs that it saw, check of the law at its limit. Half of 4,000 calls show an answer of
    # probability 0.73 (0.88) to 1 % (0.7 %), its loss 1 (2) to 5 % (3.5 %): two standard errors are allowed.
    assert [found_loss.loss for found_loss in detectable_losses(case, 0.999, 8000)] == pytest.approx(
        [found["0"], found["1"]], rel=0.1
    )


@TOGETHER
@pytest.mark.parametrize(("name", "replayable"), [("answer", True), ("secret", False)])
def test_a_custom_mechanism_without_an_rng_is_marked_not_replayable(
    audited: Audits, name: str, replayable: bool
) -> None:
    found = audited(name, "3")
    assert document(found.folder / "out")["environment"]["replayable"] is replayable
    assert ("takes no rng" in found.checked.output) is not replayable


def test_outputs_of_varying_length_are_audited(tmp_path: Path) -> None:
    done = invoke("run", written(tmp_path, "long"), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 0, done.output
    assert {f["verdict"] for f in document(tmp_path / "out")["findings"]} == {"pass"}


@pytest.mark.parametrize(
    ("name", "kind", "output"),
    [("moody", "raised an exception", "ValueError: not today"), ("odd", "returned the wrong type", "a generator")],
)
def test_a_custom_mechanism_that_misbehaves_is_a_finding_with_its_output(
    tmp_path: Path, name: str, kind: str, output: str
) -> None:
    done = invoke("run", written(tmp_path, name), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 2, done.output
    errors = [f for f in document(tmp_path / "out")["findings"] if f["kind"] == "behaviour"]
    assert all(kind in error["message"] for error in errors)
    assert all(error["witness"]["input"] in ([0, 0], [1, 0], [0, 1]) for error in errors)
    assert all(output in error["witness"]["output"] for error in errors)
    assert len(errors) == 1


@pytest.mark.parametrize(
    ("name", "pairs", "words"),
    [
        ("answer", "none", "at least one"),
        ("answer", "broken", "ZeroDivisionError"),
        ("answer", "strangers", "users 0 to 1"),
    ],
)
def test_what_cannot_be_audited_exits_two_and_says_why(tmp_path: Path, name: str, pairs: str, words: str) -> None:
    for arguments in (("check",), ("run", "--out", tmp_path / "out", "--jobs", 1)):
        done = invoke(arguments[0], written(tmp_path, name, pairs), *arguments[1:])
        assert done.exit_code == 2
        assert words in done.output
