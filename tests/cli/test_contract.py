"""Lines of the public contract that no other test holds: names, defaults, limits, what is in a real report."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from hdp_audit import audit
from hdp_audit.attacks.pairs import bases, tiers
from hdp_audit.cli import main
from hdp_audit.model import PrivacyClaim
from hdp_audit.render.report_json import SCHEMA
from mechanisms import build
from tests.cli.specs import REFERENCE, TARGET, invoke, written

ROOT = Path(__file__).parents[2]
QUICK = ("--jobs", 1, "--quiet")
MEAN = """
[mechanism]
target = "release.py:{name}"
task = "mean"

[demands]
file = "demands.csv"

[data]
file = "salaries.csv"

[privacy]
detect = 5

[run]
budget = 4000
"""
SECRET = "0.73519264"  # noqa: S105 - a salary that must not come out


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reports of a sound mechanism on a file of demands with ids, infinity and 0, and on the user's own data."""
    folder = tmp_path_factory.mktemp("real")
    demands = [0.1] * 8 + [0.5] * 8 + ["inf", 0]
    lines = "".join(f"user-{place},{demand}\n" for place, demand in enumerate(demands))
    (folder / "demands.csv").write_text(f"id,epsilon\n{lines}")
    (folder / "salaries.csv").write_text("salary\n" + f"{SECRET}\n" * len(demands))
    done = invoke("run", written(folder, MEAN.format(name="private_mean")), "--out", folder / "out", *QUICK)
    assert done.exit_code in (0, 1, 3), done.output
    return folder / "out"


def document(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "report.json").read_text(encoding="utf-8"), parse_constant=pytest.fail))


# report.json and users.csv.gz


def test_a_real_report_has_the_contracts_fields_and_keeps_the_shipped_schema(real: Path) -> None:
    found = document(real)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(found)
    top = {"schema_version", "verdict", "confidence", "seed", "subjects", "findings", "totals", "environment"}
    assert top <= set(found)
    assert (found["schema_version"], found["confidence"], found["seed"]) == (1, 0.999, 1)
    assert {"calls", "seconds"} <= set(found["totals"])
    fields = "id subject kind verdict evidence users claimed lower upper detectable calls witness message waiver"
    assert all(set(fields.split()) <= set(finding) for finding in found["findings"])


def test_subjects_sum_up_their_demands_with_infinity_as_a_word(real: Path) -> None:
    (subject,) = document(real)["subjects"]
    assert (subject["name"], subject["task"], subject["source"]) == ("release.py:private_mean", "mean", "python")
    assert subject["demands"] == {"users": 18, "min": 0, "max": "inf", "public": 1, "zero": 1}


def test_there_is_a_finding_for_every_distinct_demand_and_a_tested_pass_says_what_it_would_have_seen(
    real: Path,
) -> None:
    found = document(real)["findings"]
    assert {f["claimed"] for f in found if "/privacy/tier/" in f["id"]} == {0, 0.1, 0.5}
    tested = [f for f in found if (f["kind"], f["verdict"], f["evidence"]) == ("privacy", "pass", "tested")]
    assert tested
    assert all(f["detectable"] is not None for f in tested)
    assert {f["verdict"] for f in found} <= {"pass", "fail", "error", "inconclusive"}


def test_every_user_has_a_line_with_position_row_and_id(real: Path) -> None:
    with gzip.open(real / "users.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    told = [(line["user"], line["row"], line["id"]) for line in lines]
    assert told == [(str(place), str(place + 2), f"user-{place}") for place in range(18)]
    assert [line["demand"] for line in lines[15:]] == ["0.5", "inf", "0.0"]


def test_the_users_own_data_are_in_no_file_of_a_report(real: Path) -> None:
    for file in real.iterdir():
        content = file.read_bytes()
        text = gzip.decompress(content) if file.suffix == ".gz" else content
        assert SECRET[:6].encode() not in text, file.name


# Limits


@pytest.mark.parametrize("users", [33, 1000])
def test_many_distinct_demands_make_at_most_32_tiers_of_everybody_who_is_not_public(users: int) -> None:
    epsilon = np.append(np.linspace(0, 3, users), np.inf)
    found = tiers(epsilon)
    assert len(found) <= 32
    assert np.sort(np.concatenate(found)).tolist() == list(range(users))
    assert len(tiers(np.repeat(np.linspace(0, 3, 32), 5))) == 32


def test_at_most_200_users_are_named_and_listed() -> None:
    def no_noise(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(data.mean())

    claim = PrivacyClaim(floating_point="off")
    report = audit(no_noise, epsilon=[0.5] * 300, task="mean", budget=20_000, privacy=claim)
    named = [finding for finding in report.findings if "/privacy/user/" in finding.id]
    assert 1 <= len(named) <= 200
    assert max(len(finding.users) for finding in report.findings) <= 200
    assert all(finding.users == (int(finding.id.rsplit("/", 1)[1]),) for finding in named)


def test_default_base_datasets_are_the_contracts() -> None:
    zero, half, one, random = (base.data for base in bases(10, None))
    assert (zero.sum(), half.sum(), one.sum()) == (0, 5, 10)
    assert np.unique(random).size == 10
    found = [base.data for base in bases(40, 4)]
    assert any((data == 0).all() for data in found)
    assert any((data == 3).all() for data in found)
    assert any(np.bincount(data, minlength=4).min() > 0 for data in found)


# A mechanism under audit

ODD = """
import numpy as np

def raises(data, epsilon, rng):
    raise ValueError("not today")

def shape(data, epsilon, rng):
    return [0.1, 0.2]

def nan(data, epsilon, rng):
    return float("nan")

def infinite(data, epsilon, rng):
    return float("inf")

def picky(data, epsilon, rng):
    assert data.ndim == 1 and data.dtype == np.float64 and 0 <= data.min() <= data.max() <= 1
    assert epsilon.shape == data.shape and isinstance(rng, np.random.Generator)
    return rng.laplace()

def counts(data, epsilon, rng):
    assert data.ndim == 1 and data.dtype.kind == "i" and 0 <= data.min() <= data.max() <= 2
    assert epsilon.shape == data.shape and isinstance(rng, np.random.Generator)
    return rng.laplace(size=3)
"""


def odd(folder: Path, name: str) -> Path:
    text = TARGET.format(name=name)
    if name == "counts":
        text = text.replace('task = "mean"', 'task = "frequency"\ncategories = 3')
    spec = written(folder, text)
    (folder / "release.py").write_text(ODD)
    return spec


@pytest.mark.parametrize(
    ("name", "words"), [("raises", "not today"), ("shape", "(1, 2)"), ("nan", "[nan]"), ("infinite", "[inf]")]
)
def test_misbehaviour_is_a_finding_that_shows_its_input_and_what_came_out(
    tmp_path: Path, name: str, words: str
) -> None:
    done = invoke("run", odd(tmp_path, name), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 2, done.output
    found = document(tmp_path / "out")
    errors = [f for f in found["findings"] if f["kind"] == "behaviour"]
    assert found["verdict"] == "error"
    assert {f["verdict"] for f in errors} == {"error"}
    assert errors
    assert all("input" in f["witness"] and words in f["message"] for f in errors)
    assert any(f["kind"] == "privacy" for f in found["findings"])  # the game goes on with such outcomes as symbols


@pytest.mark.parametrize("name", ["picky", "counts"])
def test_a_mechanism_is_called_with_data_demands_and_rng_of_the_contracts_kinds(tmp_path: Path, name: str) -> None:
    done = invoke("run", odd(tmp_path, name), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code in (0, 3), done.output
    assert not [f for f in document(tmp_path / "out")["findings"] if f["kind"] == "behaviour"]


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_custom_task_takes_numbers_and_vectors(shape: tuple[int, ...]) -> None:
    def noisy(data: Any, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return data["sum"] / 10 + rng.laplace(size=shape)

    pairs = [({"sum": 0}, {"sum": 1}, [0])]
    report = audit(noisy, epsilon=[1.0], task="custom", pairs=lambda: pairs, budget=4000, detect=5)
    assert report.verdict == "pass"


# The Python interface


def test_the_python_interface_has_the_contracts_names() -> None:
    built = build("hpf-cp", epsilon=[0.5, 1.0, 2.0], categories=12, beta=0.05)
    assert built.weights.sum() == pytest.approx(1)
    assert built.noise_scale > 0
    assert built.level is None or built.level > 0
    assert all(built.privacy_loss <= [0.5, 1.0, 2.0])
    assert all(built.privacy_loss[i] >= built.privacy_loss_exact(i) for i in range(3))
    assert np.shape(built.release(np.array([0, 5, 11]))) == (12,)
    rng = np.random.default_rng(1)
    fast = build("sm", task="mean", epsilon=[0.5, 1.0], noise="float")
    assert len(fast.release_many(np.array([0.0, 1.0]), size=7, rng=rng)) == 7


# The program

COMMANDS = "run check bounds prove compare replay experiments init list"
RUN = "--seed --confidence --budget --jobs --executor --out --baseline --quiet --resume --allow-inconclusive"


def test_every_command_and_option_of_the_contract_is_there() -> None:
    assert set(main.commands) == set(COMMANDS.split())
    options = {
        "run": RUN.split(),
        "bounds": ["--epsilon", "--categories", "--beta", "--json"],
        "prove": ["--json"],
        "replay": ["--finding", "--spec"],
    }
    for name, wanted in options.items():
        known = {option for parameter in main.commands[name].params for option in parameter.opts}
        assert set(wanted) <= known, name


def test_the_help_of_every_command_loads_no_heavy_library_and_needs_no_spec() -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from hdp_audit.cli import main\n"
        "for name in main.commands:\n"
        "    assert CliRunner().invoke(main, [name, '--help']).exit_code == 0, name\n"
        "heavy = {'numpy', 'scipy', 'sympy', 'cvxpy', 'z3', 'mpmath', 'rich', 'dask', 'pytest'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr


def test_the_module_is_the_same_program_and_the_plugin_an_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"hdp-audit": "hdp_audit.cli:main"}
    assert project["entry-points"]["pytest11"] == {"hdp_audit": "hdp_audit.pytest_plugin"}
    assert project["requires-python"] == ">=3.11"
    done = subprocess.run([sys.executable, "-m", "hdp_audit", "list"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, invoke("list").output)


def test_the_gate_of_the_project_is_its_second_command() -> None:
    command = "python3 -m venv .venv && .venv/bin/pip install tox && .venv/bin/tox"
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")


def test_reports_go_to_reports_latest_unless_told_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = written(tmp_path, REFERENCE)
    monkeypatch.chdir(tmp_path)
    assert invoke("run", spec, *QUICK).exit_code == 0
    written_there = {file.name for file in (tmp_path / "reports" / "latest").glob("report.*")}
    assert written_there == {f"report.{kind}" for kind in ("html", "json", "junit.xml", "sarif", "md")}


def test_the_replay_line_of_every_failure_works_where_it_is_shown(tmp_path: Path) -> None:
    spec, out = written(tmp_path, TARGET.format(name="no_noise")), tmp_path / "out"
    lines = invoke("run", spec, "--out", out, "--jobs", 1).output.splitlines()
    shown = [line.split() for line in lines if line.startswith("  replay: ")]
    assert shown
    assert all(words[1:5] == ["hdp-audit", "replay", f"{out}/report.json", "--finding"] for words in shown)
    assert all(words[-2:] == ["--spec", str(spec)] for words in shown)


def test_a_section_that_is_absent_is_not_audited(tmp_path: Path) -> None:
    text = REFERENCE.replace("[privacy]\ndetect = 5", "[optimality]")
    invoke("run", written(tmp_path, text), "--out", tmp_path / "out", *QUICK)
    assert {f["kind"] for f in document(tmp_path / "out")["findings"]} == {"optimality"}


@pytest.mark.parametrize(("detect", "code"), [("5", 0), ("1.001", 3)])
def test_check_and_run_agree_on_a_budget_that_lacks_power(tmp_path: Path, detect: str, code: int) -> None:
    spec = written(tmp_path, REFERENCE.replace("detect = 5", f"detect = {detect}"))
    assert invoke("check", spec).exit_code == code
    assert invoke("run", spec, "--out", tmp_path / "out", *QUICK).exit_code == code


@pytest.mark.parametrize(("beyond", "code"), [("report", 0), ("inconclusive", 3)])
def test_demands_beyond_the_budget_bind_only_where_the_spec_says_so(tmp_path: Path, beyond: str, code: int) -> None:
    text = TARGET.format(name="private_mean").replace("values = [0.5,", "values = [40,")
    spec = written(tmp_path, text.replace("detect = 5", f'detect = 5\nbeyond = "{beyond}"'))
    assert invoke("check", spec).exit_code == code
    assert invoke("run", spec, "--out", tmp_path / "out", *QUICK).exit_code == code


BAD = """
[mechanism]
target = "release.py:private_mean"
task = "mean"
neighbours = "add-remove"
flavour = "sweet"

[demands]
values = [0.5, -1, nan]

[data]
file = "absent.csv"

[run]
budget = "soon"
"""


@pytest.mark.parametrize("command", ["check", "run"])
def test_everything_wrong_is_told_at_once_with_its_line_and_exit_two(tmp_path: Path, command: str) -> None:
    done = invoke(command, written(tmp_path, BAD))
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    for words in ("line 5", "line 6", "values row 2", "values row 3", "absent.csv", "line 15", "nothing is claimed"):
        assert words in done.output, words


def test_a_waived_failure_is_skipped_in_junit_and_its_error_is_not(tmp_path: Path) -> None:
    waiver = '\n[[waive]]\nfinding = "{}"\nreason = "known"\nuntil = 2999-12-31\n'
    for name, tag in (("no_noise", "skipped"), ("raises", "error")):
        text, folder = TARGET.format(name=name), tmp_path / name
        folder.mkdir()
        spec, code = written(folder, text), (folder / "release.py").read_text() + ODD
        (folder / "release.py").write_text(code)
        invoke("run", spec, "--out", folder / "out", *QUICK)
        bad = [f["id"] for f in document(folder / "out")["findings"] if f["verdict"] in ("fail", "error")]
        spec.write_text(text + "".join(waiver.format(finding) for finding in bad))
        done = invoke("run", spec, "--out", folder / "out", *QUICK, "--allow-inconclusive")
        assert done.exit_code == (0 if tag == "skipped" else 2), done.output
        root = ET.parse(folder / "out" / "report.junit.xml").getroot()  # noqa: S314 - our own file
        assert {child.tag for case in root.iter("testcase") for child in case} - {"system-out"} == {tag}
