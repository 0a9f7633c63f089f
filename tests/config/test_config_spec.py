"""The spec, rule by rule: every problem at once, each with its place."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.config import InvalidSpec, Spec, case_of, read_spec
from hdp_audit.config.spec import Run
from hdp_audit.model import AccuracyClaim, OptimalityClaim

BASE = {
    "mechanism": 'target = "release.py:f"\ntask = "mean"',
    "demands": 'values = [0.1, 0.1, 1, "inf"]',
    "privacy": "",
}


def spec_of(folder: Path, **sections: str | None) -> Spec:
    """A spec of the base sections with some replaced (None: left out)."""
    parts = {**BASE, **sections}
    text = "\n".join(f"[{name}]\n{body}\n" for name, body in parts.items() if body is not None)
    path = folder / "hdp-audit.toml"
    path.write_text(text, encoding="utf-8")
    return read_spec(path)


def problems(folder: Path, **sections: str | None) -> str:
    with pytest.raises(InvalidSpec) as caught:
        spec_of(folder, **sections)
    return str(caught.value)


def test_defaults_are_the_contracts(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    assert (spec.run.confidence, spec.run.budget, spec.run.seed) == (0.999, 1_000_000, 1)
    assert spec.privacy is not None
    assert (spec.privacy.detect, spec.privacy.detect_single) == (2.0, "report")
    assert (spec.privacy.beyond, spec.privacy.floating_point) == ("report", "fail")
    assert spec.accuracy is None
    assert spec.optimality is None
    assert spec.mechanism.timeout == 30.0
    np.testing.assert_array_equal(spec.demands.values, [0.1, 0.1, 1.0, np.inf])


def test_an_empty_section_has_the_contracts_defaults(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, mechanism='reference = "hpm-cp"', accuracy="", optimality="", run="")
    assert spec.run == Run(0.999, 1_000_000, None, 1)
    assert spec.accuracy == AccuracyClaim("correlated", "pac", 0.05, "explicit", 1.05)
    assert spec.optimality == OptimalityClaim(0.05)


def test_the_contracts_own_example_is_read(tmp_path: Path) -> None:
    (tmp_path / "demands.csv").write_text("id,epsilon\nann,0.1\nbob,inf\n")
    (tmp_path / "salaries.csv").write_text("salary\n0.25\n1\n")
    spec = spec_of(
        tmp_path,
        mechanism='target = "acme/release.py:private_mean"\ntask = "mean"\nneighbours = "replace"\ntimeout = "30s"',
        demands='file = "demands.csv"',
        data='file = "salaries.csv"',
        privacy='detect = 2.0\ndetect_single = "report"\nbeyond = "report"\nfloating_point = "fail"',
        accuracy='setting = "correlated"\nmetric = "pac"\nbeta = 0.05\nbound = 0.3\ntolerance = 1.05',
        optimality="",
        run="confidence = 0.999\nbudget = 1_000_000\nseed = 1\n"
        "[[waive]]\nfinding = 'a'\nreason = 'b'\nuntil = 2027-03-31",
    )
    assert spec.demands.ids == ("ann", "bob")
    assert spec.mechanism.title == "acme/release.py:private_mean"
    assert spec.waivers[0].until == dt.date(2027, 3, 31)
    case = case_of(spec)
    assert case.name == "private_mean"
    assert case.claims == ["privacy", "accuracy", "optimality"]
    assert case.data is not None
    np.testing.assert_array_equal(case.data, [0.25, 1.0])


def test_all_problems_come_at_once_with_their_lines(tmp_path: Path) -> None:
    text = problems(
        tmp_path,
        mechanism='target = "release.py:f"\ntaks = "mean"\nneighbours = "add-remove"',
        demands='values = [0.1, -1, "lots"]',
        privacy="detect = 0.5",
        run="confidence = 2\nbudget = 0\nseed = -1",
    )
    for line, words in {
        3: "unknown key 'taks' in [mechanism]; did you mean 'task'?",
        4: "neighbours",
        7: "values row 2: epsilon = -1",
        10: "detect = 0.5",
        13: "confidence = 2",
        14: "budget = 0",
        15: "seed = -1",
    }.items():
        assert any(f"hdp-audit.toml line {line}: " in entry and words in entry for entry in text.splitlines()), words


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"privacy": None}, "nothing is claimed"),
        ({"demands": None}, "no section [demands]"),
        ({"mechanism": None}, "no section [mechanism]"),
        ({"privcy": "detect = 2"}, "did you mean 'privacy'?"),
        ({"mechanism": 'target = "a.py:f"'}, "has no task"),
        ({"mechanism": 'target = "a.py:f"\nreference = "uni"\ntask = "mean"'}, "target and reference"),
        ({"mechanism": 'target = "a.py"\ntask = "mean"'}, "path/file.py:attribute"),
        ({"mechanism": 'target = "a.py:f"\ntask = "frequency"'}, "has no categories"),
        ({"mechanism": 'target = "a.py:f"\ntask = "mean"\ncategories = 3'}, "has categories"),
        ({"mechanism": 'target = "a.py:f"\ntask = "custom"'}, "needs them"),
        ({"mechanism": 'target = "a.py:f"\ntask = "mean"\npairs = "a.py:p"'}, "takes pairs"),
        ({"mechanism": 'target = "a.py:f"\ntask = "mean"\ntimeout = "soon"'}, "timeout"),
        ({"mechanism": 'reference = "hpf-pc"'}, "did you mean"),
        ({"mechanism": 'reference = "uni"'}, "does either"),
        ({"mechanism": 'reference = "hpf-cp"\ntask = "mean"'}, "does frequency"),
        ({"mechanism": 'command = "./release"\ntask = "mean"'}, "list of texts"),
        ({"mechanism": 'command = ["./no-such-program"]\ntask = "mean"'}, "no program"),
        ({"demands": 'standard = "teirs"'}, "did you mean 'tiers'?"),
        ({"demands": 'file = "absent.csv"'}, "no such file"),
        ({"demands": 'file = "absent.txt"'}, "ends in .csv, .npy, .parquet"),
        ({"demands": 'file = "a.csv"\nvalues = [1]'}, "file and values"),
        ({"demands": "values = []"}, "list of numbers"),
        ({"demands": 'distribution = "normal"'}, "log-uniform, uniform"),
        ({"demands": 'distribution = "uniform"\nlow = 2\nhigh = 1'}, "lies above"),
        ({"demands": 'distribution = "uniform"\nusers = 0'}, "whole number"),
        ({"accuracy": ""}, "needs a bound"),
        ({"accuracy": 'bound = "hpm-pc"'}, "did you mean 'hpm-"),
        ({"accuracy": "bound = -1"}, "bound = -1"),
        ({"accuracy": "bound = 1\nbeta = 1"}, "beta = 1"),
        ({"accuracy": 'bound = 1\nmetric = "mae"'}, "allowed: pac, mse"),
        ({"accuracy": "bound = true"}, "bound = true"),
        ({"optimality": "beta = 5"}, "strictly between 0 and 1"),
        ({"optimality": "beta = 'x'"}, "strictly between 0 and 1"),
        ({"accuracy": "bound = 1\nbeta = 'x'"}, "beta"),
        ({"privacy": 'beyond = "ignore"'}, "report, inconclusive"),
        ({"privacy": "detect = [2]"}, "detect = [2]"),
        ({"run": 'budget = "5 parsecs"'}, "duration"),
        ({"run": "budget = true"}, "a number of calls from 1"),
        ({"data": ""}, "has no file"),
    ],
)
def test_each_rule_is_told(tmp_path: Path, sections: dict[str, str | None], words: str) -> None:
    text = problems(tmp_path, **sections)
    assert words in text
    assert "hdp-audit.toml" in text


def test_a_custom_task_has_privacy_alone(tmp_path: Path) -> None:
    mechanism = 'target = "a.py:f"\ntask = "custom"\npairs = "a.py:p"'
    assert spec_of(tmp_path, mechanism=mechanism).mechanism.pairs is not None
    assert "custom task has privacy alone" in problems(tmp_path, mechanism=mechanism, optimality="")


def test_rows_of_a_demands_file_are_named(tmp_path: Path) -> None:
    (tmp_path / "demands.csv").write_text("epsilon\n0.5\n-0.3\nnan\n")
    text = problems(tmp_path, demands='file = "demands.csv"', run="seed = 'x'")
    assert "demands.csv row 3: epsilon = -0.3" in text
    assert "demands.csv row 4: epsilon = nan" in text
    assert "seed" in text


def test_data_of_another_length_names_both_lengths(tmp_path: Path) -> None:
    np.save(tmp_path / "data.npy", np.zeros(3))
    text = problems(tmp_path, data='file = "data.npy"')
    assert "3 values" in text
    assert "4 demands" in text


def test_data_outside_the_range_is_named_by_row_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("id,value\na,0.5\nb,12345\nc,x\nd,1\n")
    text = problems(tmp_path, data='file = "data.csv"')
    assert "data.csv row 3: a value is not allowed; give a number from 0 to 1" in text
    assert "data.csv row 4" in text
    assert "12345" not in text


def test_categories_of_data_are_whole_numbers(tmp_path: Path) -> None:
    np.save(tmp_path / "data.npy", np.array([0.0, 1.0, 2.5, 3.0]))
    mechanism = 'target = "a.py:f"\ntask = "frequency"\ncategories = 3'
    text = problems(tmp_path, mechanism=mechanism, data='file = "data.npy"')
    assert "row 3" in text
    assert "row 4" in text
    assert "from 0 to 2" in text


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "data.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "data.npy" in problems(tmp_path, data='file = "data.npy"')


@pytest.mark.parametrize(
    ("text", "calls", "seconds"), [("5_000", 5000, None), ('"90s"', None, 90.0), ('"5m"', None, 300)]
)
def test_budgets_are_calls_or_durations(tmp_path: Path, text: str, calls: int | None, seconds: float | None) -> None:
    run = spec_of(tmp_path, run=f"budget = {text}").run
    assert (run.budget, run.duration) == (calls, seconds)


def test_a_distribution_is_drawn_from_its_seed(tmp_path: Path) -> None:
    body = 'distribution = "log-uniform"\nlow = -4\nhigh = 3\nusers = 1000\nseed = 2'
    drawn = spec_of(tmp_path, demands=body).demands.values
    np.testing.assert_array_equal(drawn, np.exp(np.random.default_rng(2).uniform(-4, 3, 1000)))
    usual = spec_of(tmp_path, demands='distribution = "log-uniform"').demands.values
    np.testing.assert_array_equal(usual, np.exp(np.random.default_rng(1).uniform(-5, 5, 10_000)))


def test_the_digest_ignores_layout_run_and_waivers(tmp_path: Path) -> None:
    first = spec_of(tmp_path).digest
    assert spec_of(tmp_path, run="seed = 5\n# a comment").digest == first
    assert spec_of(tmp_path, privacy="detect = 3").digest != first


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("finding = 'a'\nreason = 'b'", "has no until"),
        ("finding = 'a'\nuntil = 2027-03-31", "has no reason"),
        ("reason = 'b'\nuntil = 2027-03-31", "has no finding"),
        ("finding = 'a'\nreason = 'b'\nuntil = '2027-03-31'", "without quotes"),
        ("finding = 'a'\nreason = ' '\nuntil = 2027-03-31", "reason"),
        ("finding = 'a'\nreason = 'b'\nuntil = 2027-03-31\nid = 1", "unknown key 'id'"),
    ],
)
def test_waivers_are_dated_and_reasoned(tmp_path: Path, body: str, words: str) -> None:
    text = problems(tmp_path, run=f"[[waive]]\n{body}")
    assert words in text
    assert "[[waive]] 1" in text


def test_control_characters_of_a_spec_are_not_repeated(tmp_path: Path) -> None:
    text = problems(tmp_path, demands='standard = "\\u001b[31mred"')
    assert "\x1b" not in text


def test_a_backslash_in_double_quotes_is_told_with_the_quotes_that_hold_it(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text('[mechanism]\nignore_stdout = "^\\[log"\n')
    with pytest.raises(InvalidSpec, match=r"spec.toml line 2: .* stands in single quotes, such as ignore_stdout = "):
        read_spec(path)
    path.write_text("[mechanism]\nignore_stdout = \n# not \\ here\n")
    with pytest.raises(InvalidSpec, match=r"spec.toml line 2: .*; this is no TOML"):
        read_spec(path)
