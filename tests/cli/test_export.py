"""Counterexamples as things: a script that runs without hdp-audit and reproduces the counts, for many kinds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hdp_audit.cli import main
from hdp_audit.reporting.handout.expected import Counts, agree, as_calculated

MECHANISMS = """
import numpy as np


def half(data, epsilon, rng):
    return round(float(data.mean() + rng.laplace(0, 0.5 / epsilon.sum())), 5)


def table(data, rng, epsilon):
    counts = np.bincount(data, minlength=3) / len(data)
    return counts + rng.laplace(0, 0.5 / epsilon.sum(), 3)


def normal(data, rho, rng):
    return round(float(data.sum() + rng.normal(0, 0.5 / np.sqrt(2 * rho.min()))), 4)


def bits(data, epsilon, rng):
    return data.mean() + rng.laplace(0, 1 / (len(data) * epsilon.min()))


def word(data, epsilon, rng):
    return "yes" if rng.random() < (0.9 if data[0] else 0.1) else "no"


def pairs():
    yield [0, 1], [1, 1], [0]


def sign(data, rng, epsilon):
    one, other = rng.normal(), 1000 * abs(rng.normal())
    told = (one > 0) == ((rng.random() < 0.9) == (data[0] == 1))
    return np.array([one - 1e5, other if told else -other])


def cities(data, rng, epsilon):
    noise = rng.laplace(0, 0.5 / epsilon.sum(), 3)
    import pandas

    names = ("Rome", "Oslo", "Bonn")
    shares = {name: float((data == name).mean() + each) for name, each in zip(names, noise)}
    return shares if data[0] == "Oslo" else pandas.Series(shares)


def line(data, epsilon, rng):
    return float(np.clip(data.mean() + rng.laplace(0, 0.5 / (len(data) * epsilon.min())), 0, 1))


def answer(data, epsilon, rng):
    truth = bool(data[0] > 0.5)
    return ["yes" if (rng.random() < 0.9) == truth else "no", 3]


def pair(data, epsilon, rng):
    truth = bool(data[0] > 0.5)
    return np.array([float((rng.random() < 0.9) == truth), 1.0])


def gone(data, epsilon, rng):
    noise = rng.laplace(0, 1.0)
    return np.array([data.sum() + noise, noise])


def mapping(data, epsilon, rng):
    return {"yes": bool((rng.random() < 0.95) == (data[0] > 0.5))}


def sleeper(data, epsilon, rng):
    return round(float(data[3] * 0.5 + rng.laplace(0, 1.0)), 3)
"""
KINDS = {
    "tier": ('target = "release.py:half"\ntask = "mean"', "values = [1, 1, 1, 1]", "privacy/tier/1"),
    "table": (
        'target = "release.py:table"\ntask = "frequency"\ncategories = 3',
        "values = [1, 1, 1, 1]",
        "privacy/tier/1",
    ),
    "leaving under zCDP": (
        'target = "release.py:normal"\ntask = "mean"\nneighbours = "remove"',
        'values = [0.5, 0.5, 0.5]\npromise = "zcdp"',
        "privacy/tier/0.5",
    ),
    "bits": ('target = "release.py:bits"\ntask = "mean"', "values = [0.5, 0.5, 0.5, 0.5]", "float/bits"),
    "words": (
        'target = "release.py:word"\ntask = "custom"\npairs = "release.py:pairs"',
        "values = [0.5, 0.5]",
        "privacy/pair/0",
    ),
}
SIGNS = 'target = "release.py:sign"\ntask = "frequency"\ncategories = 2'
CITIES = 'target = "release.py:cities"\ntask = "frequency"\n[domain]\nlabels = ["Oslo", "Bonn", "Rome"]'
KINDS["labels"] = (CITIES, "values = [1, 1, 1, 1]", "privacy/tier/1")
KINDS["signs"] = (SIGNS, "values = [0.5, 9, 9]", "privacy/tier/0.5")
REFERENCES = {
    "reference": ('reference = "hpm-cp"', "values = [1, 1, 1, 1]", "privacy/tier/1"),
    "reference table": ('reference = "hpf-cp"\ncategories = 3', "values = [1, 1, 2, 2]", "privacy/tier/1"),
    "reference, leaving": (
        'reference = "hpm-cp"\nneighbours = "remove"',
        "values = [1, 1, 1, 1]",
        "privacy/tier/1",
    ),
}
BUDGETS = {"bits": 12_000, "signs": 40_000}
TRACED = ("line", "answer", *(pytest.param(kind, marks=pytest.mark.full) for kind in ("pair", "gone")))
SPEC = """
[mechanism]
{mechanism}

[demands]
{demands}

[privacy]
{privacy}

[run]
budget = {budget}
"""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts of fewer calls have a larger error, which is stated."""
    monkeypatch.setattr("hdp_audit.runs.export.MOST", 3000)
    monkeypatch.setattr("hdp_audit.runs.export.TRIED", 5)


def written(folder: Path, kind: str, data: str = "") -> Path:
    known = {**KINDS, **REFERENCES}
    mechanism, demands, _ = known.get(kind, (f'target = "release.py:{kind}"\ntask = "mean"', "values = [1, 1]", ""))
    (folder / "release.py").write_text(MECHANISMS, encoding="utf-8")
    privacy = 'trace = "off"\n' + ("" if kind == "bits" else 'floating_point = "off"')
    privacy = privacy if kind in known else 'trace = "only"'
    budget = BUDGETS.get(kind, 4_000)
    spec = folder / "hdp-audit.toml"
    text = SPEC.format(mechanism=mechanism, demands=demands, privacy=privacy, budget=budget)
    spec.write_text(text + data, encoding="utf-8")
    return spec


def exported(folder: Path, kind: str, data: str = "", verdict: str = "fail") -> Path:
    spec, out = written(folder, kind, data), folder / "out"
    ran = CliRunner().invoke(main, ["run", str(spec), "--out", str(out), "--jobs", "1", "--quiet"])
    assert ran.exit_code == (1 if verdict == "fail" else 0), ran.output
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))["findings"]
    known = {**KINDS, **REFERENCES}
    label = known[kind][2] if kind in known else "privacy/trace"
    name = next(entry["id"] for entry in found if entry["label"] == label and entry["verdict"] == verdict)
    given = ["replay", str(out / "report.json"), "--finding", name, "--spec", str(spec), "--export", str(folder / "x")]
    done = CliRunner().invoke(main, given)
    assert done.exit_code == 0, done.output
    assert "written to" in done.output
    return folder / "x"


def counted(folder: Path, seed: int, blocked: str = "'hdp_audit', 'mechanisms'") -> Counts:
    """In a process that has neither hdp-audit on its path nor a way to import it."""
    block = f"import sys; sys.modules.update(dict.fromkeys([{blocked}])); import runpy; "
    run = f"sys.argv = ['count.py', '3000', '{seed}']; runpy.run_path('count.py', run_name='__main__')"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", block + run], cwd=folder, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    return Counts(told["calls"], told["guesses"], told["right"])


@pytest.mark.many(2)
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.full] if kind in ("labels", "signs") else []) for kind in KINDS]
)
def test_the_script_reproduces_the_counts_without_this_suite(tmp_path: Path, kind: str) -> None:
    """By chance it does not once in a million times: the error that is stated is five standard errors."""
    if kind == "labels":
        pytest.importorskip("pandas")
    folder = exported(tmp_path, kind)
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    counts = Counts(expected["calls"], expected["guesses"], expected["right"])
    assert agree(counts, counted(folder, 7))
    if expected["allowed"] is not None:  # of a curve no single share is allowed
        assert counts.right / counts.guesses > expected["allowed"]
    text = (folder / "count.py").read_text(encoding="utf-8")
    assert "import hdp_audit" not in text
    assert str(tmp_path) not in text
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert "python count.py" in page
    assert f"right {counts.right:,} times" in page
    if kind == "signs":  # neither output tells anything alone
        assert "(r[0]) + " in text.partition("def event")[2].partition("return")[0]
    if kind != "words":
        first, second = (json.loads((folder / name).read_text()) for name in ("first.json", "second.json"))
        assert first["data"] != second["data"]


@pytest.mark.parametrize("kind", TRACED)
def test_a_traced_event_comes_as_often_as_its_probabilities_say(tmp_path: Path, kind: str) -> None:
    """Five standard errors of either count: outside of them once in a million times by chance."""
    folder = exported(tmp_path, kind)
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    counts, page = counted(folder, 7), (folder / "README.md").read_text(encoding="utf-8")
    if kind == "gone":  # without noise the event tells the data; how often it comes is not calculated
        assert counts.right == counts.guesses > 1000
        assert agree(Counts(expected["calls"], expected["guesses"], expected["right"]), counts)
        return
    chances = tuple(expected["probabilities"])
    assert as_calculated(counts, chances, expected["guess"])
    assert counts.right > counts.wrong
    assert not as_calculated(Counts(3000, counts.guesses, counts.wrong), chances, expected["guess"])
    assert "which agrees" in page
    assert "import hdp_audit" not in (folder / "count.py").read_text(encoding="utf-8")


@pytest.mark.full
@pytest.mark.parametrize("kind", REFERENCES)
def test_a_reference_mechanism_is_counted_without_this_suite(tmp_path: Path, kind: str) -> None:
    """With the package of the mechanisms alone; what keeps its promise is not above it, five standard errors off."""
    folder = exported(tmp_path, kind, verdict="pass")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    counts, page = counted(folder, 7, "'hdp_audit'"), (folder / "README.md").read_text(encoding="utf-8")
    assert agree(Counts(expected["calls"], expected["guesses"], expected["right"]), counts)
    made = max(counts.guesses, 1)
    assert counts.right / made <= expected["allowed"] + 5 * (0.25 / made) ** 0.5
    assert "the package `mechanisms` that comes with hdp-audit" in page


def test_an_event_that_no_script_can_say_is_named_as_such(tmp_path: Path) -> None:
    folder = exported(tmp_path, "mapping")
    assert "in a way that a short script cannot say" in (folder / "README.md").read_text(encoding="utf-8")
    assert not (folder / "count.py").exists()
    assert not (folder / "expected.json").exists()


def test_a_wrong_count_does_not_agree() -> None:
    assert agree(Counts(4000, 4000, 2600), Counts(3000, 3000, 1960))
    assert not agree(Counts(4000, 4000, 2600), Counts(3000, 3000, 1500))
    assert not agree(Counts(4000, 40, 40), Counts(3000, 300, 300))


def test_own_data_are_never_written(tmp_path: Path) -> None:
    values = [0.123456, 0.654321, 0.777777, 0.222222]
    (tmp_path / "own.csv").write_text("value\n" + "".join(f"{value}\n" for value in values))
    own = '\n[data]\nfile = "own.csv"\n'
    folder = exported(tmp_path, "tier", own)
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        assert not [value for value in values if str(value) in text], path.name


def test_what_cannot_be_exported_is_said_in_a_sentence(tmp_path: Path) -> None:
    spec, out = written(tmp_path, "tier"), tmp_path / "out"
    CliRunner().invoke(main, ["run", str(spec), "--out", str(out), "--jobs", "1", "--quiet"])
    (tmp_path / "file").write_text("")
    given = ["replay", str(out / "report.json"), "--finding", "half/privacy/tier/1", "--spec", str(spec)]
    done = CliRunner().invoke(main, [*given, "--export", str(tmp_path / "file")])
    assert done.exit_code == 2
    assert "give a folder that can be written" in done.output
