"""Ignored arguments are refused, messages name each thing once, pages say what the code does, reports are private."""

from __future__ import annotations

import csv
import gzip
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.audits.users import MOST_SUSPECTS
from hdp_audit.config import InvalidSpec, read_spec
from hdp_audit.config.problems import did_you_mean
from hdp_audit.errors import InvalidInput
from hdp_audit.model import OptimalityClaim, PrivacyClaim, PrivacyDemands
from hdp_audit.reporting.files import write_reports
from tests.reporting.sample_report import every_kind

ROOT = Path(__file__).parents[2]


def noisy(data: Any, epsilon: Any, rng: np.random.Generator) -> float:
    return float(np.mean(data) + rng.laplace())


def test_two_different_factors_to_detect_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"detect = 3, but privacy = PrivacyClaim\(detect=2.0\)"):
        audit(noisy, epsilon=[1.0], task="mean", detect=3, privacy=PrivacyClaim(floating_point="off"))


def test_the_same_factor_may_be_given_twice_and_one_alone_counts() -> None:
    claim = PrivacyClaim(detect=3, floating_point="off")
    asked = [
        audit(noisy, epsilon=[1.0] * 4, task="mean", budget=1000, **how)
        for how in ({"detect": 3, "privacy": claim}, {"detect": 1.5}, {})
    ]
    told = [re.findall(r"and ([\d.]+) was asked", report.findings[0].message) for report in asked]
    assert told == [[], ["1.5"], []]  # what is detected lies between 1.5 and 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"task": "custom", "pairs": lambda: [(0, 1, [0])], "data": [0.5]}, "has its data in its pairs"),
        ({"task": "mean", "categories": 3}, "other tasks have none"),
        ({"task": "mean", "pairs": lambda: [(0, 1, [0])]}, "has pairs of datasets"),
        ({"task": "mean", "data": [1.5]}, "numbers from 0 to 1"),
        ({"task": "mean", "data": [float("nan")]}, "numbers from 0 to 1"),
        ({"task": "mean", "data": ["0.5"]}, "numbers from 0 to 1"),
        ({"task": "frequency", "categories": 3, "data": [1.5]}, "whole numbers from 0 to 2"),
        ({"task": "frequency", "categories": 3, "data": [3]}, "whole numbers from 0 to 2"),
    ],
)
def test_arguments_that_say_nothing_for_this_task_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told) as caught:
        audit(noisy, epsilon=[1.0], **options)
    assert "1.5" not in str(caught.value)


def test_a_name_that_was_asked_for_twice_is_listed_once(tmp_path: Path) -> None:
    assert did_you_mean("x", ["target", "command", "target"]) == "allowed: target, command"
    spec = tmp_path / "hdp-audit.toml"
    spec.write_text('[mechanism]\ntarget = "a.py:f"\ntask = "mean"\nx = 1\n[demands]\nvalues = [1]\n[privacy]\n')
    with pytest.raises(InvalidSpec) as caught:
        read_spec(spec)
    names = str(caught.value).partition("allowed: ")[2].split(", ")
    assert len(names) == len(set(names)) > 5
    assert names[:3] == ["target", "command", "reference"]


def page(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_pages_count_named_users_as_the_code_does() -> None:
    assert f"a named user (at most {MOST_SUSPECTS})" in page("tests/README.md")
    assert f"*named* by an attack, at most {MOST_SUSPECTS}." in page("docs/report.md")


def test_pages_say_how_a_refutation_is_confirmed() -> None:
    assert "learned anew" not in page("docs/verdicts.md")


def test_pages_say_on_which_data_optimality_is_audited() -> None:
    assert "correlated data" in (OptimalityClaim.__doc__ or "")
    for name in ("docs/spec.md", "docs/statistics.md", "docs/verdicts.md"):
        text = page(name).partition("ptimality")[2]
        assert "correlated data" in text, name
        assert "permuted" in text, name
    assert "accuracy and optimality auditors for all eight cells" not in page("CHANGELOG.md")


# Files of a report


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o027, 0o640)])
def test_reports_are_as_private_as_the_umask_says(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        files = write_reports(every_kind(), tmp_path)
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in files} == {mode}


def test_a_link_in_the_place_of_a_report_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "out").mkdir()
    for name in ("report.json", "users.csv.gz"):
        (tmp_path / "out" / name).symlink_to(tmp_path / "precious")
    write_reports(every_kind(), tmp_path / "out")
    assert (tmp_path / "precious").read_text() == "mine"
    assert not any(path.is_symlink() for path in (tmp_path / "out").iterdir())
    assert len(list((tmp_path / "out").iterdir())) == 6


def test_ids_that_a_spreadsheet_would_take_for_formulas_are_defused_and_numbers_stay_numbers(tmp_path: Path) -> None:
    report = every_kind()
    figures = report.subjects[0].figures
    assert figures is not None
    odd = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "plain", "a=b", ""]
    ids = (*odd, *(f"user {place}" for place in range(len(odd), figures.demand.size)))
    demands = PrivacyDemands(figures.demand, ids, np.arange(2, figures.demand.size + 2))
    write_reports(report, tmp_path, demands={report.subjects[0].name: demands})
    with gzip.open(tmp_path / "users.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    assert [line["id"] for line in found[:9]] == [*(f"'{name}" for name in odd[:5]), "'\\rx", *odd[6:]]
    assert [float(line["demand"]) for line in found] == figures.demand.tolist()
