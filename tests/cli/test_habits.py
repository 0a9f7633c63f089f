"""What people try first: a run beside a spec, a spec from a function, tracebacks, annotations, frames of findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hdp_audit import PureDP, audit
from hdp_audit.cli import main
from hdp_audit.cli.run import _chosen
from hdp_audit.config import read_spec
from hdp_audit.model import AuditReport, Finding, PrivacyDemands
from hdp_audit.model.subject import DemandSummary, SubjectSummary
from hdp_audit.reporting.github import github_lines
from tests.cli.specs import QUICK, TARGET, document, invoke, written

MINE = """
import numpy as np

def mean(data, epsilon, rng):
    return helper(data, epsilon, rng)

def helper(data, epsilon, rng):
    if data.sum() > 3:
        raise KeyError("rich")
    return float(data.mean() + rng.laplace())

def table(data, rho, rng):
    return np.bincount(data, minlength=3) + rng.normal(size=3)

def curve(data, epsilon, delta, rng):
    return float(data.mean() + rng.normal())

def square(data, epsilon, rng):
    return rng.normal(size=(2, 2))

def leaves(data, epsilon, rng):
    raise SystemExit(3)

number = 7

def by_column(people, epsilon, rng):
    return people["salary"].mean()

def by_city(data, epsilon, rng):
    return {"Berlin": 0.5, "Paris": 0.5}

class Model:
    def fit(self, data, epsilon, rng):
        return self
"""


BY_COLUMN = """
def f(people, epsilon, rng):
    return float((people[0] if isinstance(people, list) else people)["salry"].sum())
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_a_run_beside_a_spec_takes_it_and_says_so(here: Path) -> None:
    written(here, TARGET.format(name="private_mean").replace("4000", "500"))
    done = invoke("run", "--allow-inconclusive", *QUICK)
    assert "auditing hdp-audit.toml; --suite audits the built-in suite" in done.output
    assert document(here / "reports" / "latest")["environment"]["spec"] == "hdp-audit.toml"
    assert invoke("run", "--suite", "hdp-audit.toml").exit_code == 2


def test_without_a_spec_a_run_says_that_it_audits_the_suite_and_a_check_how_to_get_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _chosen((), suite=False) == ()
    told = capsys.readouterr().err
    assert told.startswith(
        "hdp-audit: no hdp-audit.toml in this folder, so the built-in suite is audited; `hdp-audit init"
    )
    assert _chosen((), suite=True) == ()
    assert capsys.readouterr().err == ""
    assert "hdp-audit init --from" in invoke("check").output
    (here / "hdp-audit.toml").write_text("nothing")
    assert invoke("check").output.startswith("hdp-audit: hdp-audit.toml line 1: ")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("mine.py:Model", "name the method that releases"),
        ("mine.py:Model.fit", 'output = "coef_"'),
        ("mine.py:by_column", "say in [domain] what a datum is (docs/recipes.md)"),
        ("mine.py:by_city", "say in [domain] what a datum is (docs/recipes.md)"),
        ("release.sh", "command = [...] instead of a target (docs/programs.md)"),
    ],
)
def test_a_spec_that_cannot_be_written_from_a_source_is_refused_with_the_way_to_it(
    here: Path, source: str, told: str
) -> None:
    done = invoke("init", "--from", source)
    assert done.exit_code == 2
    assert told in done.output
    assert done.output.count(source) == 1
    assert not (here / "hdp-audit.toml").exists()


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("mean", ['target = "mine.py:mean"', 'task = "mean"', "values = [0.05,"]),
        ("table", ['task = "frequency"', "categories = 3", 'promise = "zcdp"']),
        ("curve", ['promise = "approximate"', "delta = 1e-06"]),
    ],
)
def test_a_spec_is_written_from_a_function(here: Path, name: str, lines: list[str]) -> None:
    assert invoke("init", "sub/spec.toml", "--from", f"mine.py:{name}").exit_code == 2  # no such folder
    done = invoke("init", "--from", f"mine.py:{name}")
    assert done.exit_code == 0, done.output
    text = (here / "hdp-audit.toml").read_text()
    assert not [line for line in lines if line not in text]
    assert read_spec(here / "hdp-audit.toml").mechanism.name == name


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("mine.py", 'give "path/file.py:function"'),
        ("mine.py:absent", "has no 'absent'; it has"),
        ("nowhere.py:f", "there is no file"),
        ("mine.py:number", "is a int and cannot be called"),
        ("mine.py:square", "returns an array of shape (2, 2); a custom task"),
        ("mine.py:leaves", "raised SystemExit: 3 (mine.py line 22 in leaves)"),
    ],
)
def test_a_function_that_gives_no_spec_is_an_error_in_words(here: Path, target: str, words: str) -> None:
    done = invoke("init", "--from", target)
    assert (done.exit_code, words in done.output) == (2, True), done.output
    assert not (here / "hdp-audit.toml").exists()


def test_an_exception_says_where_it_came_from_but_not_with_own_data(here: Path) -> None:
    text = TARGET.format(name="mean").replace("release.py", "mine.py")
    (here / "s.toml").write_text(text)
    where = "KeyError: 'rich' (mine.py line 9 in helper, called from mine.py line 5 in mean)"
    found = invoke("check", "s.toml", "--traceback").output
    assert where in found
    assert "  mine.py line 5 in mean\n  mine.py line 9 in helper\n" in found
    done = invoke("run", "s.toml", "--budget", 500, "--traceback", "--format", "github", "--out", "out", *QUICK)
    assert where in done.output
    assert "mean/behaviour/call/raised, the last call last:\n  mine.py line 5 in mean\n" in done.output
    assert "::error file=mine.py,title=hdp-audit%3A error%3A mean/behaviour/call/raised::" in done.output
    (here / "own.csv").write_text("x\n" + "0.75\n" * 10)
    (here / "s.toml").write_text(text + '\n[data]\nfile = "own.csv"\n')
    for command in (("check", "s.toml"), ("run", "s.toml", "--budget", 500, "--out", "own", *QUICK)):
        assert "line 9" not in invoke(*command, "--traceback").output


def finding(verdict: str, message: str = "no") -> Finding:
    return Finding.about("m", "privacy", f"{verdict},{len(message)}:1", verdict, message, detectable=1.0)  # type: ignore[arg-type]


def test_annotations_are_escaped_and_worst_first() -> None:
    demands = DemandSummary.of(PrivacyDemands.from_values([1.0]).values)
    subject = SubjectSummary("m", "mean", "python", demands, None, None, file="a b,c.py")
    found = (finding("pass"), finding("inconclusive"), finding("fail", "100%\nsure"))
    report = AuditReport((subject,), found, 0.999, 1, 0)
    assert github_lines(report) == [
        "::error file=a b%2Cc.py,title=hdp-audit%3A fail%3A m/privacy/fail%2C9%3A1::100%25 sure",
        "::warning file=a b%2Cc.py,title=hdp-audit%3A inconclusive%3A m/privacy/inconclusive%2C2%3A1::no",
    ]
    assert github_lines(report, allow_inconclusive=True)[1].startswith("::notice")


def test_findings_are_a_frame() -> None:
    pytest.importorskip("pandas")
    report = audit(lambda data, epsilon, rng: 0.5, promise=PureDP([1.0] * 5), task="mean", budget=500, inert="allow")  # noqa: ARG005
    frame = report.findings_frame()
    assert frame["id"].tolist() == [finding.id for finding in report.findings]
    assert set(frame.columns) > {"verdict", "claimed", "lower", "detectable", "waived", "message"}


def test_completion_is_there_for_shells() -> None:
    done = CliRunner(env={"_HDP_AUDIT_COMPLETE": "bash_source"}).invoke(main, prog_name="hdp-audit")
    assert "complete" in done.output


@pytest.mark.parametrize("input_", ["pandas", "records"])
def test_a_column_that_is_not_there_is_told_with_those_that_are(here: Path, input_: str) -> None:
    pytest.importorskip(input_) if input_ != "records" else None
    (here / "mine.py").write_text(BY_COLUMN)
    (here / "spec.toml").write_text(
        '[mechanism]\ntarget = "mine.py:f"\ntask = "custom"\n[demands]\nvalues = [1, 1]\n[privacy]\n'
        f'[domain]\ninput = "{input_}"\ncolumns = {{ salary = {{ range = [0, 9] }}, age = {{ range = [0, 9] }} }}\n'
    )
    done = invoke("check", "spec.toml")
    assert done.exit_code == 2
    assert "the data have the columns salary, age" in done.output
