"""With `[data]` nothing that comes from a call gets out: not to a terminal, a journal or a report."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.audits.coarse import rounded
from hdp_audit.model import AccuracyClaim, PrivacyClaim
from hdp_audit.targets.executors import executor
from tests.cli.specs import invoke

CANARY = 0.123456789012345
FORBIDDEN = ("CANARY", "123456789", "\x1b", "\\u001b")
USERS = 6
SPEC = """
[mechanism]
{mechanism}
{task}

[demands]
values = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]

[privacy]
detect = 5

[run]
budget = 1000
"""
OWN = '\n[data]\nfile = "own.csv"\n'
MEAN, FREQUENCY = 'task = "mean"', 'task = "frequency"\ncategories = 3'
LEAKY = """
import logging, os, sys, warnings

def shout(said):
    print(said)
    print(said, file=sys.stderr)
    sys.__stdout__.write(said)
    sys.__stderr__.write(said)
    os.write(1, said.encode())
    os.write(2, said.encode())
    warnings.warn(said)
    logging.warning(said)

shout("\\x1b[31mCANARY while loading")

class Odd:
    def __init__(self, said):
        self.said = said
    def __float__(self):
        raise RuntimeError(self.said)
    def __repr__(self):
        return self.said

class Silent(Exception):
    def __str__(self):
        raise RuntimeError(self.args[0])

class Rude(BaseException):
    pass

def leaky(data, epsilon, rng):
    said = f"\\x1b[31mCANARY {data.tolist()!r}"
    shout(said)
    which = int(rng.integers(12))
    if which in (0, 1, 2):
        raise (ValueError, Silent, Rude)[which](said)
    if which in (3, 4, 5, 6):
        return [said, Odd(said), [0.123456789012345] * 7, type(said, (), {})()][which - 3]
    if which == 7:
        return ANSWER * float("nan")
    return ANSWER
"""
ANSWERS = {MEAN: "float(rng.laplace())", FREQUENCY: "rng.laplace(size=3)"}


def folder_of(path: Path, mechanism: str, task: str, *, own: bool = True) -> Path:
    """A spec with data whose values and ids are the canary."""
    value = str(CANARY) if task == MEAN else "1"
    (path / "own.csv").write_text("id,value\n" + "".join(f"CANARY-{i},{value}\n" for i in range(USERS)))
    spec = path / "hdp-audit.toml"
    spec.write_text(SPEC.format(mechanism=mechanism, task=task) + (OWN if own else ""))
    return spec


def said_by(spec: Path, *arguments: object) -> str:
    """Both streams of the program in a process of its own, as a terminal would get them."""
    command = [sys.executable, "-m", "hdp_audit", *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=spec.parent, env=environment, capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 2, done
    return (done.stdout + done.stderr).decode()


def texts(out: Path) -> dict[str, str]:
    """Every file of a folder as text."""
    found = {}
    for path in out.iterdir():
        content = path.read_bytes()
        found[path.name] = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return found


def assert_clean(**found: str) -> None:
    for name, text in found.items():
        assert not [word for word in FORBIDDEN if word in text], (name, text)


@pytest.mark.parametrize("task", [MEAN, FREQUENCY])
def test_no_way_out_of_a_python_mechanism_leads_to_a_terminal_a_journal_or_a_report(tmp_path: Path, task: str) -> None:
    (tmp_path / "release.py").write_text(LEAKY.replace("ANSWER", ANSWERS[task]))
    spec = folder_of(tmp_path, 'target = "release.py:leaky"', task)
    report = tmp_path / "out" / "report.json"
    again = ("replay", report, "--spec", spec, "--finding", "leaky/behaviour/call/raised")
    ran = said_by(spec, "run", spec, "--jobs", 1, "--out", tmp_path / "out")
    checked = said_by(spec, "check", spec)
    files = texts(tmp_path / "out")
    assert len(files) == 7
    assert_clean(run=ran, check=checked, **files)
    assert ran.count("kept back") >= 3
    assert "kept back" in checked
    for kind in ("raised", "wrong-shape", "not-finite"):
        assert f"behaviour/call/{kind}" in files["report.json"]
    if task == MEAN:
        done = invoke(*again)
        assert "the same numbers" in done.output
        assert_clean(replay=done.output)


PROGRAM = """#!{python} -S
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    said = "\\x1b[31mCANARY " + line.strip()
    answer = {{"id": request["id"], "outputs": [0.5] * request["size"]}}
    sys.stderr.write(said)
    sys.stderr.flush()
    {body}
    print(json.dumps(answer), flush=True)
"""
BODIES = {
    "an error": 'answer = {"id": request["id"], "error": said}',
    "a death": "os._exit(3)",
    "a bad line": "print(said, flush=True); continue",
    "an id of its own": 'answer["id"] = said',
    "no outputs": 'answer = {"id": request["id"], said: said}',
    "texts": 'answer["outputs"] = [said] * request["size"]',
    "no numbers": 'answer["outputs"] = [float("nan")] * request["size"]',
}
PERL = """#!/usr/bin/perl
$| = 1;
while (my $line = <STDIN>) {
    chomp $line;
    my ($id) = $line =~ /"id": (\\d+)/;
    print STDERR "CANARY $line\\n";
    $line =~ s/"/'/g;
    print "{\\"id\\": $id, \\"error\\": \\"CANARY $line\\"}\\n";
}
"""


def program(path: Path, text: str) -> str:
    (path / "release").write_text(text)
    (path / "release").chmod(0o755)
    return 'command = ["./release"]'


@pytest.mark.parametrize("body", BODIES)
def test_what_a_program_says_is_kept_back(tmp_path: Path, body: str) -> None:
    spec = folder_of(tmp_path, program(tmp_path, PROGRAM.format(python=sys.executable, body=BODIES[body])), MEAN)
    ran = invoke("run", spec, "--jobs", 1, "--out", tmp_path / "out")
    checked = invoke("check", spec)
    assert (ran.exit_code, checked.exit_code) == (2, 2)
    assert_clean(run=ran.output, check=checked.output, **texts(tmp_path / "out"))
    assert "kept back" in ran.output
    assert "kept back" in checked.output


def test_what_a_perl_program_says_on_categories_is_kept_back(tmp_path: Path) -> None:
    spec = folder_of(tmp_path, program(tmp_path, PERL), FREQUENCY)
    ran = invoke("run", spec, "--jobs", 1, "--out", tmp_path / "out")
    assert_clean(run=ran.output, check=invoke("check", spec).output, **texts(tmp_path / "out"))


@pytest.mark.parametrize("body", ["an error", "a death", "a bad line", "an id of its own"])
def test_without_own_data_a_program_is_quoted(tmp_path: Path, body: str) -> None:
    text = PROGRAM.format(python=sys.executable, body=BODIES[body])
    spec = folder_of(tmp_path, program(tmp_path, text), MEAN, own=False)
    assert "CANARY" in invoke("check", spec).output


def release_with_a_text(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
    class Odd:
        def __float__(self) -> float:
            raise RuntimeError(f"CANARY {data}")

    return Odd()


def test_an_output_that_raises_when_it_is_made_a_number_is_a_wrong_type() -> None:
    report = audit(release_with_a_text, epsilon=[1.0] * 3, task="mean", budget=1000)
    (found,) = (finding for finding in report.findings if finding.kind == "behaviour")
    assert found.id.endswith("behaviour/call/wrong-type")
    assert "CANARY" not in found.message


def release_without_noise(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    """On own data their first value, or half of it; noise elsewhere."""
    own = data[data == CANARY]
    return float(own[0] / (1 + (data == 1).any())) if own.size else float(rng.laplace(scale=50.0))


def test_the_event_of_a_counterexample_on_own_data_does_not_quote_their_values() -> None:
    claim = PrivacyClaim(floating_point="off")
    report = audit(
        release_without_noise, epsilon=[0.5] * 10, task="mean", budget=20_000, privacy=claim, data=[CANARY] * 10
    )
    guilty = [finding for finding in report.findings if finding.witness.get("base") == "the data given"]
    assert {finding.verdict for finding in guilty} == {"fail"}
    assert all("kept back" in finding.witness["event"] for finding in guilty)
    found = str(report.to_json())
    assert not [digits for digits in ("0.1234", "0.0617") if digits in found]


def test_an_error_on_own_data_is_told_in_two_digits() -> None:
    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return 0.0 if CANARY in data else float(data.mean())

    claim = AccuracyClaim(bound=0.05)
    report = audit(release, epsilon=[0.5] * 10, task="mean", budget=5000, accuracy=claim, data=[CANARY] * 10)
    (found,) = (finding for finding in report.findings if finding.kind == "accuracy")
    assert (found.verdict, found.witness["dataset"], found.witness["measured"]) == ("fail", "your data", 0.12)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower.value <= CANARY <= found.upper.value
    assert "0.1234" not in str(report.to_json())


@pytest.mark.parametrize(
    ("value", "to", "told"),
    [(0.12345, 0, 0.12), (0.12345, -1, 0.12), (0.12345, 1, 0.13), (987.0, 1, 990.0), (0.0, 1, 0.0)],
)
def test_two_digits_are_rounded_outwards(value: float, to: int, told: float) -> None:
    assert rounded(value, to) == told
    assert rounded(float("inf"), to) == float("inf")


def shouts(_: int) -> tuple[int, int]:
    os.write(1, b"CANARY")
    os.write(2, b"CANARY")
    return os.fstat(1).st_rdev, os.fstat(2).st_rdev


@pytest.mark.parametrize("name", ["local", "dask"])
def test_both_streams_of_a_worker_lead_nowhere(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    if name == "dask":
        pytest.importorskip("distributed")
    nowhere = os.stat(os.devnull).st_rdev  # noqa: PTH116
    with executor(name, 1, lambda *_: "lost", apart=True) as each:
        assert list(each(shouts, [0])) == [(nowhere, nowhere)]
    assert "CANARY" not in "".join(capfd.readouterr())


# What the files of [data] hold

HEADERLESS = {
    "a number": f"{CANARY}\n0.5\n",
    "an id and a number": f"CANARY-1,{CANARY}\nb,0.5\n",
    "semicolons": "CANARY-1;0,123456789\nb;0,5\n",
    "no UTF-8": "value\n\xff123456789\n",
    "a value that is too large": f"value\n{CANARY}\n123456789\n",
    "a text": "value\nCANARY\n0.5\n",
    "more fields": f"value\n{CANARY},CANARY\n0.5\n",
}


@pytest.mark.parametrize("kind", HEADERLESS)
def test_a_file_of_data_that_cannot_be_read_is_not_quoted(tmp_path: Path, kind: str) -> None:
    spec = folder_of(tmp_path, 'reference = "hpm-cp"', "")
    (tmp_path / "own.csv").write_bytes(HEADERLESS[kind].encode("latin-1"))
    done = invoke("check", spec)
    assert done.exit_code == 2
    assert "own.csv" in done.output
    assert_clean(check=done.output)
