"""Programs by the line protocol."""

from __future__ import annotations

import gc
import json
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.model.promise import PureDP
from hdp_audit.targets import pipe
from hdp_audit.targets.answers import plain
from hdp_audit.targets.command import Command
from hdp_audit.targets.failures import FINE, RAISED, ProgramError, ProgramLate
from hdp_audit.targets.pipe import without_controls
from hdp_audit.targets.program import OpenedProgram, Program
from hdp_audit.targets.streams import named
from tests.subjects import subject_of

LOOP = """
import json, os, random, sys, time
{before}
for line in sys.stdin:
    request = json.loads(line)
    random.seed(request["seed"])
    size = request.get("size")
    {body}
    print(json.dumps(answer), flush=True)
"""
EPSILON = np.array([0.5, 1.0, np.inf])
DATA = np.array([0.0, 0.25, 1.0])
HONEST = 'answer = {"id": request["id"], "outputs": [random.random() for _ in range(size)]}'


def program(folder: Path, body: str, before: str = "", timeout: float = 5.0, memory: int = 2048) -> Program:
    file = folder / "release"
    file.write_text(f"#!{sys.executable} -S\n" + LOOP.format(body=body, before=before))
    file.chmod(0o755)
    return OpenedProgram(Command(("./release",), folder, timeout, memory), PureDP(EPSILON))()


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_outputs_come_in_the_number_asked_for_and_repeat_for_a_seed(tmp_path: Path) -> None:
    first = program(tmp_path, HONEST).batch(DATA, EPSILON, rng(), 25_000)
    second = program(tmp_path, HONEST).batch(DATA, EPSILON, rng(), 25_000)
    assert len(first) == 25_000
    assert first == second
    assert len(set(first)) == 25_000


def test_what_a_program_is_asked_does_not_depend_on_what_it_was_asked_before(tmp_path: Path) -> None:
    """Who helps with a chunk has a program of its own, which must give what another would."""
    body = 'random.seed(request["seed"] + size); ' + HONEST
    used = program(tmp_path, body)
    used.batch(DATA, EPSILON, rng(2), 7)
    assert used.batch(DATA, EPSILON, rng(), 5) == program(tmp_path, body).batch(DATA, EPSILON, rng(), 5)


def test_a_request_is_one_json_line_with_infinity_as_a_string(tmp_path: Path) -> None:
    body = 'open("seen", "a").write(line); answer = {"id": request["id"], "outputs": [0.5] * (size or 1)}'
    program(tmp_path, body).batch(DATA, EPSILON, rng(), 5)
    requests = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]
    assert [list(request) for request in requests] == [["id", "data", "epsilon", "size", "seed"]] * 3
    assert requests[0]["epsilon"] == [0.5, 1.0, "inf"]
    assert [request["size"] for request in requests] == [1, 1, 5]  # two that nobody uses show the pace
    assert len({request["seed"] for request in requests}) == 3


def test_outputs_of_frequencies_are_lists_of_k_numbers(tmp_path: Path) -> None:
    body = 'answer = {"id": request["id"], "outputs": [[0.5, 0.25, 0.25]] * size}'
    subject = subject_of(program(tmp_path, body), EPSILON, 3)
    assert (
        subject.draw(subject.dataset(np.array([0, 1, 2])), 4, named(1, "test")).tolist()
        == [[0.5, 0.25, 0.25, FINE]] * 4
    )
    assert not subject.failures


def test_datasets_are_sent_only_to_a_program_that_says_hello(tmp_path: Path) -> None:
    body = 'answer = {"id": request["id"], "outputs": [sum(d) for d in request.get("datasets", [])] or [0.0] * size}'
    hello = 'print(json.dumps({"hello": 1, "datasets": True}), flush=True)'
    assert not hasattr(program(tmp_path, body), "many")
    willing = program(tmp_path, body, hello)
    assert willing.many(np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]), EPSILON, rng()) == [1.0, 3.0]


def test_requests_with_datasets_are_json_lines_too(tmp_path: Path) -> None:
    body = 'open("seen", "a").write(line); answer = {"id": request["id"], "outputs": [0.5] * (size or 2)}'
    willing = program(tmp_path, body, 'print(json.dumps({"hello": 1, "datasets": True}), flush=True)')
    willing.many(np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]), EPSILON, rng())
    last = json.loads((tmp_path / "seen").read_text().splitlines()[-1])
    assert list(last) == ["id", "datasets", "epsilon", "seed"]
    assert last["datasets"] == [[0, 0, 1], [1, 1, 1]]


def test_arguments_reach_the_program_as_they_are_and_no_shell_reads_them(tmp_path: Path) -> None:
    body = 'open("seen", "w").write(json.dumps(sys.argv[1:])); ' + HONEST
    program(tmp_path, body)
    arguments = ("--flag", "$HOME; touch broken", "a b", "*")
    opened = OpenedProgram(Command(("./release", *arguments), tmp_path), PureDP(EPSILON))
    opened().batch(DATA, EPSILON, rng(), 1)
    assert json.loads((tmp_path / "seen").read_text()) == list(arguments)
    assert not (tmp_path / "broken").exists()


def test_the_environment_is_clean_and_the_session_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THIS_TEST", "1")
    body = (
        'answer = {"id": request["id"], "outputs": [float(len([k for k in os.environ if "SECRET" in k])), '
        "float(os.getpgrp()), float(os.getpid())][:size]}"
    )
    mechanism = program(tmp_path, body)
    mechanism.batch(DATA, EPSILON, rng(), 2)
    secrets, group, own = mechanism.batch(DATA, EPSILON, rng(), 3)
    assert secrets == 0
    assert group == own != os.getpgrp()


def test_an_error_answer_is_an_outcome_and_the_process_stays(tmp_path: Path) -> None:
    body = (
        'answer = {"id": request["id"], "outputs": [float(os.getpid())] * size} '
        'if max(request["data"]) < 1 else {"id": request["id"], "error": "too rich\\x1b[31m"}'
    )
    subject = subject_of(program(tmp_path, body), EPSILON, None)
    fine = subject.draw(subject.dataset(np.zeros(3)), 2, named(1, "test"))
    bad = subject.draw(subject.dataset(np.ones(3)), 2, named(1, "test"))
    again = subject.draw(subject.dataset(np.zeros(3)), 2, named(1, "test"))
    assert set(bad[:, -1]) == {RAISED}
    assert set(fine[:, -1]) == {FINE}
    np.testing.assert_array_equal(fine, again)
    assert subject.failures[RAISED].message.endswith("the program says: too rich")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit(7)", "ended with exit code 7"),
        ("os.kill(os.getpid(), 9)", "ended by signal 9"),
        ("time.sleep(60)", "no answer within 0.5 s"),
        ("os.close(1); time.sleep(60)", "closed its output"),
        ('print("hello there", flush=True); continue', "no JSON object: hello there"),
        ('answer = {"id": 77, "outputs": [0]}', "answered id 77"),
        ('answer = {"id": request["id"]}', 'without a list of "outputs"'),
        ('answer = {"id": request["id"], "outputs": ["x" * 3000000]}', "a line of more than"),
        ('sys.stderr.write("\\x1b[2Jwhy\\x07\\n"); sys.exit(1)', "its stderr ends: why"),
        ("answer = bytearray(600 << 20) and None", "ended with exit code 1"),
    ],
)
def test_what_a_program_may_not_do_is_said(tmp_path: Path, body: str, words: str) -> None:
    mechanism = program(tmp_path, body, timeout=0.5 if "sleep" in body else 5.0, memory=500)
    with pytest.raises(ProgramError) as caught:
        mechanism(DATA, EPSILON, rng())
    assert words in str(caught.value)


def test_a_program_is_restarted_three_times_and_then_given_up(tmp_path: Path) -> None:
    mechanism = program(tmp_path, 'open("starts", "a").write("x"); sys.exit(1)')
    for _ in range(50):
        with pytest.raises(ProgramError):
            mechanism(DATA, EPSILON, rng())
    assert (tmp_path / "starts").read_text() == "xxxx"


def test_a_program_that_hangs_is_given_up_after_three_time_outs(tmp_path: Path) -> None:
    mechanism = program(tmp_path, "time.sleep(60)", timeout=0.3)
    started = time.monotonic()
    for _ in range(50):
        with pytest.raises(ProgramError):
            mechanism(DATA, EPSILON, rng())
    assert time.monotonic() - started < 5


def test_a_program_that_answers_closes_its_output_and_goes_on_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipe, "ENDING", 0.05)
    closes = 'open("starts", "a").write("x"); print(json.dumps(answer), flush=True); os.close(1); time.sleep(60)'
    mechanism = program(tmp_path, f"{HONEST}; {closes}")
    late = 0
    for _ in range(12):
        try:
            mechanism(DATA, EPSILON, rng())
        except ProgramLate:
            late += 1
    assert (tmp_path / "starts").read_text() == "xxx"
    assert late == 9
    assert mechanism.given_up


def test_everything_it_started_ends_with_the_mechanism(tmp_path: Path) -> None:
    before = 'import subprocess\nchild = subprocess.Popen(["sleep", "600"])'
    mechanism = program(tmp_path, 'answer = {"id": request["id"], "outputs": [float(child.pid)] * size}', before)
    child = int(mechanism(DATA, EPSILON, rng()))
    assert Path(f"/proc/{child}").exists() or sys.platform != "linux"
    del mechanism
    gc.collect()
    until = time.monotonic() + 10
    while time.monotonic() < until and _runs(child):
        time.sleep(0.02)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_flood_on_stderr_blocks_nobody(tmp_path: Path) -> None:
    mechanism = program(tmp_path, 'sys.stderr.write("y" * 1000000); ' + HONEST)
    assert len(mechanism.batch(DATA, EPSILON, rng(), 10)) == 10


def test_large_requests_do_not_block_on_a_program_that_writes_first(tmp_path: Path) -> None:
    many = np.zeros(200_000)
    mechanism = program(tmp_path, HONEST, before='print(json.dumps({"hello": 1, "x": "y" * 200000}), flush=True)')
    assert len(mechanism.batch(many, np.ones(200_000), rng(), 3)) == 3


def test_an_opened_program_travels_to_other_processes(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("#!/bin/sh\n")
    (tmp_path / "p").chmod(0o755)
    opened = OpenedProgram(Command(("./p",), tmp_path), PureDP(EPSILON), 3)
    again: Any = pickle.loads(pickle.dumps(opened))  # noqa: S301 - our own bytes
    assert again.command == opened.command


def test_what_cannot_be_run_is_refused(tmp_path: Path) -> None:
    for first in ("./absent", "no-such-program-anywhere", "."):
        with pytest.raises(InvalidInput, match="no program"):
            Command((first,), tmp_path)


def test_control_sequences_are_stripped() -> None:
    assert without_controls("\x1b]0;title\x07a\x1b[31mb\x1b[0m\x00c\nd\x9b") == "ab c\nd"
    assert plain(EPSILON) == [0.5, 1.0, "inf"]
