"""Which figures became significantly worse; what is merely different is no regression."""

from __future__ import annotations

import copy
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.regressions import compare
from hdp_audit.reporting.report_json import read_report, report_json
from tests.reporting.sample_report import TODAY, every_kind, passing


@pytest.fixture
def old() -> dict[str, Any]:
    return json.loads(report_json(passing()))  # type: ignore[no-any-return]


@pytest.fixture
def new(old: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(old)


def accuracy(report: dict[str, Any]) -> dict[str, Any]:
    return next(finding for finding in report["findings"] if finding["kind"] == "accuracy")  # type: ignore[no-any-return]


def test_a_report_is_no_worse_than_itself() -> None:
    whole = json.loads(report_json(every_kind()))
    compared = compare(whole, whole, today=TODAY)
    assert compared.regressions == compared.improvements == compared.notes == ()
    assert compared.text == "no regression, 0 improved"


def test_merely_different_figures_are_no_regression(old: dict[str, Any], new: dict[str, Any]) -> None:
    for finding in new["findings"]:
        finding["lower"]["value"] *= 1.1
        finding["calls"] += 1000
    new["seed"], new["totals"]["seconds"] = 2, 99.0
    assert compare(old, new).regressions == ()


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        ("pass", "inconclusive", True),
        ("pass", "error", True),
        ("pass", "fail", True),
        ("inconclusive", "error", True),
        ("inconclusive", "fail", True),
        ("error", "fail", True),
        ("fail", "error", False),
        ("inconclusive", "pass", False),
        ("fail", "pass", False),
    ],
)
def test_a_verdict_that_got_worse_is_a_regression(
    old: dict[str, Any], new: dict[str, Any], before: str, after: str, worse: bool
) -> None:
    old["findings"][0]["verdict"], new["findings"][0]["verdict"] = before, after
    compared = compare(old, new, today=TODAY)
    assert bool(compared.regressions) == worse
    assert bool(compared.improvements) == (not worse)
    assert f"{before} before, {after} now" in compared.text


def test_a_loss_above_the_smallest_violation_detected_is_a_regression(old: dict[str, Any], new: dict[str, Any]) -> None:
    old["findings"][0]["detectable"] = 0.028
    new["findings"][0]["lower"]["value"] = 0.03
    assert "the loss is at least 0.03, above 0.028 of before" in compare(old, new).regressions[0]


def test_two_failures_are_compared_by_upper_bounds_alone(old: dict[str, Any], new: dict[str, Any]) -> None:
    """A refuted claim's `detectable` bounds nothing from above."""
    old["findings"][0].update(verdict="fail", detectable=0.01)
    new["findings"][0].update(verdict="fail", lower={"value": 5.0, "confidence": 0.999, "method": "m"})
    assert compare(old, new).regressions == ()
    old["findings"][0]["upper"] = {"value": 1.0, "confidence": 0.999, "method": "m"}
    assert len(compare(old, new).regressions) == 1


def test_a_leak_of_which_the_spec_only_warns_is_bounded_by_nothing(old: dict[str, Any], new: dict[str, Any]) -> None:
    for report, lower in ((old, 2.0), (new, 2.2)):
        report["findings"][0].update(claimed=1.0, detectable=1.8)
        report["findings"][0]["lower"]["value"] = lower
    assert compare(old, new).regressions == ()
    old["findings"][0]["lower"]["value"] = 0.5
    assert len(compare(old, new).regressions) == 1


def test_a_refuted_claim_of_which_the_spec_only_warns_now_is_no_improvement(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    for report, verdict in ((old, "fail"), (new, "pass")):
        report["findings"][0].update(claimed=1.0, verdict=verdict)
        report["findings"][0]["lower"]["value"] = 2.0
    (line,) = compare(old, new, today=TODAY).regressions
    assert line.endswith("fail before; refuted now as well, but the spec asks for a warning only")
    assert compare(old, new, today=TODAY).improvements == ()


def test_accuracy_intervals_that_part_are_a_regression_and_back_an_improvement(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    accuracy(new)["lower"]["value"] = 1.01 * accuracy(old)["upper"]["value"]
    accuracy(new)["upper"]["value"] = 1.10 * accuracy(old)["upper"]["value"]
    assert "the error is at least" in compare(old, new).regressions[0]
    assert "the error is at most" in compare(new, old).improvements[0]


def test_accuracy_intervals_that_overlap_are_merely_different(old: dict[str, Any], new: dict[str, Any]) -> None:
    accuracy(new)["lower"]["value"] = 0.99 * accuracy(old)["upper"]["value"]
    accuracy(new)["upper"]["value"] = 1.50 * accuracy(old)["upper"]["value"]
    compared = compare(old, new)
    assert compared.regressions == compared.improvements == ()


def test_a_weaker_promise_is_a_regression(old: dict[str, Any], new: dict[str, Any]) -> None:
    accuracy(new)["claimed"] *= 2
    assert "the claimed bound rose from 0.05 to 0.1" in compare(old, new).regressions[0]


def test_a_claim_that_is_no_longer_audited_is_a_regression(old: dict[str, Any], new: dict[str, Any]) -> None:
    gone = new["findings"].pop(1)
    assert compare(old, new).regressions == (f"{gone['id']}: pass before, no longer audited",)


def test_an_accusation_that_is_gone_is_good_news() -> None:
    old = json.loads(report_json(every_kind()))
    new = copy.deepcopy(old)
    new["findings"] = [f for f in new["findings"] if f["kind"] != "behaviour" and "/user/" not in f["id"]]
    compared = compare(old, new, today=TODAY)
    assert compared.regressions == ()
    assert len(compared.improvements) == 2


def test_a_new_accusation_is_a_regression() -> None:
    new = json.loads(report_json(every_kind()))
    old = copy.deepcopy(new)
    old["findings"] = [f for f in old["findings"] if "/user/" not in f["id"]]
    assert "privacy/user/17: new, fail" in compare(old, new, today=TODAY).regressions[0]


def test_a_waiver_in_date_turns_a_regression_into_a_note(old: dict[str, Any], new: dict[str, Any]) -> None:
    new["findings"][0].update(verdict="fail", waiver={"reason": "known", "until": "2027-03-31"})
    assert compare(old, new, today=dt.date(2027, 3, 31)).regressions == ()
    assert len(compare(old, new, today=dt.date(2027, 3, 31)).notes) == 1
    assert len(compare(old, new, today=dt.date(2027, 4, 1)).regressions) == 1


def test_lowered_confidence_is_a_regression(old: dict[str, Any], new: dict[str, Any]) -> None:
    new["confidence"] = 0.99
    assert compare(old, new).regressions == ("confidence was lowered from 0.999 to 0.99",)


def test_less_power_is_noted(old: dict[str, Any], new: dict[str, Any]) -> None:
    new["findings"][0]["detectable"] = 0.5
    compared = compare(old, new)
    assert compared.regressions == ()
    assert "smallest violation detected with 80% power: 0.028 before, 0.5 now" in compared.notes[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r["subjects"][0]["demands"].update(users=3), "demands were"),
        (lambda r: r["subjects"][0].update(task="frequency"), "task were mean and are frequency"),
        (lambda r: r["subjects"][0].update(neighbours="remove"), "neighbours was replace and is remove"),
        (lambda r: r["subjects"][0].update(reach=[0.0, 0.1]), "reach was"),
        (lambda r: r["subjects"][0]["promise"].update(kind="zcdp"), "promise was"),
        (lambda r: r["subjects"][0].update(name="other"), "'other' is in the new report alone"),
        (lambda r: r["subjects"].clear(), "'hpm-cp' is in the old report alone"),
    ],
)
def test_reports_about_different_things_are_refused(
    old: dict[str, Any], new: dict[str, Any], change: Any, said: str
) -> None:
    change(new)
    with pytest.raises(InvalidInput, match=said):
        compare(old, new)


def test_names_from_outside_do_not_steer_the_terminal(old: dict[str, Any], new: dict[str, Any]) -> None:
    for report in (old, new):
        report["findings"][0]["id"] = "a\x1b[31mb"
    new["findings"][0]["verdict"] = "fail"
    assert "\x1b" not in compare(old, new, today=TODAY).text


def of_version_1(report: dict[str, Any]) -> dict[str, Any]:
    """The report as version 1 wrote it: ids alone tell what a finding is about."""
    older = copy.deepcopy(report)
    older["schema_version"] = 1
    for finding in older["findings"]:
        for key in ("label", "scope", "metric", "examined"):
            del finding[key]
    for subject in older["subjects"]:
        del subject["audited"], subject["file"]
    return older


def test_a_report_of_version_1_is_read_as_one_of_version_2(tmp_path: Path) -> None:
    new = json.loads(report_json(every_kind()))
    path = tmp_path / "old.json"
    path.write_text(json.dumps(of_version_1(new)))
    old = read_report(path)
    for before, after in zip(old["findings"], new["findings"], strict=True):
        assert before == after
    assert compare(old, new, today=TODAY).regressions == compare(new, new, today=TODAY).regressions == ()


def test_an_accusation_of_version_1_that_is_gone_is_good_news(tmp_path: Path) -> None:
    new = json.loads(report_json(every_kind()))
    path = tmp_path / "old.json"
    path.write_text(json.dumps(of_version_1(new)))
    new["findings"] = [f for f in new["findings"] if f["kind"] != "behaviour" and f["scope"] != "user"]
    assert len(compare(read_report(path), new, today=TODAY).improvements) == 2


def test_a_claim_that_is_no_longer_examined_is_a_regression(old: dict[str, Any], new: dict[str, Any]) -> None:
    new["findings"][0].update(examined=False, detectable="inf")
    (line,) = compare(old, new).regressions
    assert line == f"{old['findings'][0]['id']}: examined before, and now too large for the calls: increase the budget"
    assert compare(new, old).regressions == ()
