"""Programs as people have them: one process for each release, logs on standard output, crashes; recipes of the docs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.audits.failure_rates import rate_words
from hdp_audit.config import read_spec
from hdp_audit.config.case import case_of
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.promise import PureDP
from hdp_audit.targets.command import Command
from hdp_audit.targets.failures import ENDED, FINE, ProgramEnded, ProgramError, ProgramLate
from hdp_audit.targets.once import Once
from hdp_audit.targets.program import OpenedProgram
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from tests.cli.specs import document, invoke
from tests.subjects import subject_of

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
EPSILON = np.array([0.5, 1.0, np.inf])
DATA = np.array([0.0, 0.25, 1.0])
CRASHING = """
import json, os, random, sys
for line in sys.stdin:
    request = json.loads(line)
    draw = random.Random(request["seed"])
    outputs = []
    for _ in range(request["size"]):
        if draw.random() < {rate}:
            os._exit(3)
        outputs.append(draw.random())
    print(json.dumps({{"id": request["id"], "outputs": outputs}}), flush=True)
"""


def once(folder: Path, script: str, *arguments: str, timeout: float = 5.0, ignored: str | None = None) -> Once:
    (folder / "release").write_text("#!/bin/sh\n" + script)
    (folder / "release").chmod(0o755)
    return Once(Command(("./release", *arguments), folder, timeout, protocol="once", ignored=ignored))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def crashing(folder: Path, rate: str) -> Subject:
    (folder / "release.py").write_text(CRASHING.format(rate=rate))
    opened = OpenedProgram(Command((sys.executable, "-S", "release.py"), folder), PureDP(EPSILON))
    return subject_of(opened(), EPSILON)


def test_one_process_gets_json_and_prints_a_number(tmp_path: Path) -> None:
    assert once(tmp_path, "cat > seen; echo 0.25")(DATA, EPSILON, rng()) == 0.25
    seen = (tmp_path / "seen").read_text()
    assert re.fullmatch(r'\{"data": \[0.0, 0.25, 1.0\], "epsilon": \[0.5, 1.0, "inf"\], "seed": \d+\}\n', seen)


@pytest.mark.parametrize(
    ("printed", "output"),
    [
        ("0.5", 0.5),
        ("1 2.5", [1.0, 2.5]),
        (r"1\n2.5\n", [1.0, 2.5]),
        ("[1, 2.5]", [1, 2.5]),
        ('{"output": [1, 2]}', [1, 2]),
        ('{"a": 1}', {"a": 1}),
        ('"yes"', "yes"),
        ("[1] -0.13", -0.13),
        (r" [1] 0.5 1e-3\n[10] 2\n", [0.5, 0.001, 2.0]),  # as R prints numbers
        ("[1]", [1]),
    ],
)
def test_what_is_printed_is_numbers_or_json(tmp_path: Path, printed: str, output: object) -> None:
    assert once(tmp_path, f"printf {shlex.quote(printed)}")(DATA, EPSILON, rng()) == output


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        ("echo why >&2; exit 3", ProgramEnded, "ended with exit code 3; its stderr ends: why"),
        ("echo 0.5; exit 1", ProgramEnded, "ended with exit code 1"),
        ("true", ProgramError, "wrote no output"),
        ("echo about half", ProgramError, "no number and no JSON: about half"),
        ('echo \'{"error": "too rich"}\'', ProgramError, "says: too rich"),
        ("sleep 30", ProgramLate, "did not end within 0.3 s"),
    ],
)
def test_what_such_a_program_may_not_do_is_said(tmp_path: Path, script: str, kind: type, words: str) -> None:
    with pytest.raises(kind, match=words):
        once(tmp_path, script, timeout=0.3 if "sleep" in script else 5.0)(DATA, EPSILON, rng())


def test_after_three_that_do_not_end_none_is_started(tmp_path: Path) -> None:
    mechanism = once(tmp_path, "echo x >> starts; sleep 30", timeout=0.1)
    for _ in range(5):
        with pytest.raises(ProgramLate):
            mechanism(DATA, EPSILON, rng())
    assert mechanism.given_up
    assert (tmp_path / "starts").read_text() == "x\nx\nx\n"


def test_placeholders_are_files_of_the_call_and_its_seed(tmp_path: Path) -> None:
    mechanism = once(tmp_path, 'cat "$1" "$2"; echo "${3#--seed=}"', "{data}", "{epsilon}", "--seed={seed}")
    *numbers, seed = mechanism(DATA, EPSILON, rng())
    assert numbers == [0.0, 0.25, 1.0, 0.5, 1.0, np.inf]
    assert seed == int(rng().integers(2**53))
    rows = once(tmp_path, 'tr , " " < "$1"', "{data}")
    assert rows(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones(2), rng()) == [1.0, 2.0, 3.0, 4.0]


def test_what_it_leaves_behind_ends_with_the_call(tmp_path: Path) -> None:
    pid = int(once(tmp_path, "sleep 600 > /dev/null 2>&1 & echo $!")(DATA, EPSILON, rng()))
    until = time.monotonic() + 10
    while time.monotonic() < until and runs(pid):
        time.sleep(0.01)
    assert not runs(pid)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_logs_are_no_answers(tmp_path: Path) -> None:
    assert once(tmp_path, "echo INFO begins; echo 0.5; echo INFO ends", ignored="^INFO")(DATA, EPSILON, rng()) == 0.5
    body = 'echo INFO a; read -r line; echo INFO b; echo \'{"id": 1, "outputs": [0.5]}\'; read -r line'
    (tmp_path / "lines").write_text("#!/bin/sh\n" + body)
    (tmp_path / "lines").chmod(0o755)
    command = Command(("./lines",), tmp_path, ignored="^INFO")
    assert OpenedProgram(command, PureDP(EPSILON))()(DATA, EPSILON, rng()) == 0.5


def test_logs_that_nobody_named_are_told_with_the_way_to_name_them(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"begins \| 0\.5; name lines that are logs .* ignore_stdout = '\^INFO'"):
        once(tmp_path, "echo INFO begins; echo; echo 0.5")(DATA, EPSILON, rng())


def test_a_crash_in_few_calls_costs_these_calls_and_keeps_its_rate(tmp_path: Path) -> None:
    """5 standard deviations of 2,000 calls at 1 in 50: false alarm below 1e-6."""
    subject = crashing(tmp_path, "1 / 50")
    data = subject.dataset(DATA)
    rows = np.concatenate([subject.draw(data, 100, named(1, "crash", number)) for number in range(20)])
    ended = int(np.count_nonzero(rows[:, -1] == ENDED))
    assert set(rows[:, -1]) == {FINE, ENDED}
    assert abs(ended - 40) < 5 * np.sqrt(40)
    assert not subject.given_up
    assert subject.outcomes[ENDED] == ended


def test_check_calls_a_program_that_seldom_ends_ready(tmp_path: Path) -> None:
    """Of 400 calls 4 end it in the mean; more than 20 with probability below 1e-8."""
    body = CRASHING.format(rate="1 / 100").replace("draw.random())", 'sum(request["data"]) + draw.expovariate(1))')
    (tmp_path / "release.py").write_text(body)
    spec = '[mechanism]\ncommand = ["python3", "-S", "release.py"]\ntask = "mean"\n[demands]\nvalues = [1]\n[privacy]\n'
    (tmp_path / "hdp-audit.toml").write_text(f'{spec}detect = 9\nfloating_point = "off"\n')
    found = invoke("check", tmp_path / "hdp-audit.toml").output
    assert re.search(r"^note: the program ended with exit code 3; met in \d+ of \d+ calls", found, re.MULTILINE)
    assert "cannot be audited" not in found


class Seldom:
    """Raises in one call of a hundred; a batch fails where one of its calls does."""

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return self.batch(data, epsilon, rng, 1)[0]

    def batch(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, size: int) -> list[float]:
        drawn = rng.random(size)
        if (drawn < 0.01).any():
            raise ValueError("by chance")
        return drawn.tolist()


def test_the_calls_of_a_failed_batch_have_the_law_of_calls_of_which_one_failed() -> None:
    """First batches of 100 calls alone: 1% of all calls fail; 6 deviations of 400 batches, false alarm below 1e-8."""
    failed = 0
    for number in range(400):
        subject = subject_of(Seldom(), EPSILON)
        failed += int(np.count_nonzero(subject.draw(subject.dataset(DATA), 100, named(number, "first"))[:, -1]))
    assert abs(failed - 400) < 6 * np.sqrt(400)


def test_a_program_that_ends_on_some_data_alone_goes_on_being_asked(tmp_path: Path) -> None:
    script = CRASHING.format(rate='(request["data"][0] > 0.5)')
    (tmp_path / "release.py").write_text(script)
    opened = OpenedProgram(Command((sys.executable, "-S", "release.py"), tmp_path), PureDP(EPSILON))
    subject = subject_of(opened(), EPSILON)
    rows = subject.draw(Dataset(np.ones(3), subject.promise), 10, named(1, "test"))
    assert set(rows[:, -1]) == {ENDED}
    assert set(subject.draw(Dataset(np.zeros(3), subject.promise), 10, named(1, "test"))[:, -1]) == {FINE}


def test_the_rate_of_failures_has_an_interval() -> None:
    words = rate_words(200, 100_000)
    low, high = (float(number) for number in re.findall(r"([\d.]+)%", words))
    assert words.startswith("this happened in 200 of 100,000 calls")
    assert 0.1 < low < 0.2 < high < 0.3


def recipe(title: str, folder: Path, scale: str) -> Path:
    """The files of a recipe, with noise of this many times the right scale; what has to be built is."""
    text = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    part = next(part for part in text.split("\n## ") if part.startswith(f"{title}\n"))
    for kind, body in FENCE.findall(part):
        if kind == "":
            subprocess.run(shlex.split(body), cwd=folder, check=True)  # noqa: S603 - of the docs
        elif kind == "toml":
            (folder / "hdp-audit.toml").write_text(body)
        else:
            assert body.count("1.0 * ") == 1
            (folder / body.splitlines()[0].split()[-1]).write_text(body.replace("1.0 * ", f"{scale} * "))
    return folder / "hdp-audit.toml"


def without_jsonlite() -> bool:
    command = [shutil.which("Rscript") or "", "-e", "library(jsonlite)"]
    return subprocess.run(command, check=False, capture_output=True).returncode != 0  # noqa: S603


@pytest.mark.parametrize(
    ("title", "tool", "budget"),
    [
        ("C", "cc", 250),
        ("Node", "node", 3000),
        ("SQL", sys.executable, 1500),
        pytest.param("R", "Rscript", 250, marks=pytest.mark.full),
        pytest.param("R, in one process", "Rscript", 3000, marks=pytest.mark.full),
        pytest.param("Julia", "julia", 250, marks=pytest.mark.full),
        pytest.param("Java", "javac", 3000, marks=pytest.mark.full),
    ],
)
def test_a_recipe_of_the_docs_is_audited_as_it_stands(tmp_path: Path, title: str, tool: str, budget: int) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    if title == "R, in one process" and without_jsonlite():
        pytest.skip("jsonlite is not installed")
    codes = {}
    for scale in ("1.0", "0.2"):
        folder = tmp_path / scale
        folder.mkdir()
        spec = recipe(title, folder, scale)
        given = ("--budget", budget, "--jobs", 1, "--quiet", "--allow-inconclusive", "--out", folder / "out")
        codes[scale] = invoke("run", spec, *given).exit_code
        assert document(folder / "out")["totals"]["calls"] >= 50
    assert codes == {"1.0": 0, "0.2": 1}


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")
def test_the_recipe_of_r_answers_by_its_seed(tmp_path: Path) -> None:
    """Its verdicts take minutes, and are a case of the test above."""
    case = case_of(read_spec(recipe("R", tmp_path, "1.0")))
    data, epsilon = np.full(10, 0.5), case.promise.strengths
    outputs = [case.opened()(data, epsilon, rng(seed)) for seed in (1, 1, 2)]
    assert outputs[0] == outputs[1] != outputs[2]
    assert all(abs(output - 0.5) < 10.0 for output in outputs)  # noise of scale 0.2: wrong with probability e⁻⁴⁷


SPEC = """
[mechanism]
command = ["sh", "{argument}"]
task = "mean"
{more}

[demands]
values = [1]

[privacy]
"""


@pytest.mark.parametrize(
    ("argument", "more", "words"),
    [
        ("{data}", "", "stands for a file or a number of one call"),
        ("x", 'ignore_stdout = "("', "give a regular expression"),
        ("x", 'ignore_stdout = ".*"', "found in every line"),
        ("x", 'protocol = "twice"', "allowed: lines, once"),
        ("x", 'protocol = "once"\nrestarts = 2', "started for each call"),
        ("{eps}", 'protocol = "once"', "{eps} stands for nothing; did you mean {epsilon}?"),
        ("x", "restarts = -1", "give a whole number from 0"),
    ],
)
def test_settings_of_programs_are_checked(tmp_path: Path, argument: str, more: str, words: str) -> None:
    (tmp_path / "hdp-audit.toml").write_text(SPEC.format(argument=argument, more=more))
    done = invoke("check", tmp_path / "hdp-audit.toml")
    assert done.exit_code == 2
    assert words in done.output


def test_a_function_has_no_settings_of_programs(tmp_path: Path) -> None:
    text = SPEC.replace('command = ["sh", "{argument}"]', 'target = "a.py:b"').format(more='protocol = "once"')
    (tmp_path / "hdp-audit.toml").write_text(text)
    assert "only a program (command) has it" in invoke("check", tmp_path / "hdp-audit.toml").output
