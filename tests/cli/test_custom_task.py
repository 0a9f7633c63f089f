"""`task = "custom"`: any outputs, on pairs of datasets that the user gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.specs import invoke

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


@pytest.mark.parametrize(("name", "code"), [("answer", 0), ("loud", 1)])
def test_randomised_response_in_words_is_judged(tmp_path: Path, name: str, code: int) -> None:
    spec = written(tmp_path, name)
    assert invoke("check", spec).exit_code == 0
    done = invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    assert done.exit_code == code, done.output
    findings = json.loads((tmp_path / "out" / "report.json").read_text())["findings"]
    assert len([finding for finding in findings if finding["kind"] == "privacy"]) == 2


@pytest.mark.parametrize(
    ("name", "pairs", "words"),
    [
        ("moody", "pairs", "not today"),
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
