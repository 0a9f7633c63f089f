"""JUnit, SARIF and Markdown: what a CI server shows."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from hdp_audit.model import AuditReport
from hdp_audit.model.traced import TracedDraw, TracedLoss
from hdp_audit.reporting.html import report_html
from hdp_audit.reporting.junit import junit_xml
from hdp_audit.reporting.markdown import report_markdown
from hdp_audit.reporting.places import spot_of
from hdp_audit.reporting.sarif import sarif
from hdp_audit.reporting.verdicts import waived_words
from tests.reporting.sample_report import (
    CONFIDENCE,
    HOSTILE,
    TODAY,
    every_kind,
    finding,
    hostile,
    many_mechanisms,
    passing,
    tier,
)

LATE = dt.date(2028, 1, 1)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]")


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text.encode())  # noqa: S314 (our own text)


def cases(report: AuditReport, **options: Any) -> dict[str, str]:
    """What each case carries, by its name."""
    root = parsed(junit_xml(report, **options))
    outcomes = {"failure", "error", "skipped"}
    return {
        case.get("name", ""): next((child.tag for child in case if child.tag in outcomes), "pass")
        for case in root.iter("testcase")
    }


def test_one_case_a_finding_with_the_verdict_of_the_contract() -> None:
    found = cases(every_kind(), today=TODAY)
    assert found == {
        "privacy/tier/0.02": "pass",
        "privacy/tier/0.5": "failure",
        "privacy/tier/2": "failure",
        "privacy/user/17": "failure",
        "privacy/public": "pass",
        "float/bits": "skipped",
        "accuracy/correlated/pac": "pass",
        "accuracy/weakly-correlated/pac": "failure",
        "optimality/packing": "pass",
        "behaviour/call/2": "error",
        "proof/weights": "pass",
    }


def test_inconclusive_passes_where_it_is_allowed() -> None:
    assert cases(every_kind(), today=TODAY, allow_inconclusive=True)["privacy/tier/2"] == "pass"


def test_a_waiver_that_has_expired_no_longer_skips() -> None:
    assert cases(every_kind(), today=LATE)["float/bits"] == "failure"


def test_counts_add_up() -> None:
    root = parsed(junit_xml(every_kind(), today=TODAY))
    assert {key: root.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "11",
        "failures": "4",
        "errors": "1",
        "skipped": "1",
    }


def test_a_failure_carries_its_message_and_the_replay_line() -> None:
    root = parsed(junit_xml(every_kind(), today=TODAY))
    failure = next(root.iter("failure"))
    assert "lose at least 1.05" in failure.get("message", "")
    assert "hdp-audit replay report.json --finding" in (failure.text or "")


def test_hostile_text_makes_no_broken_xml() -> None:
    text = junit_xml(hostile(), today=TODAY)
    root = parsed(text)
    assert not CONTROL.search(text)
    assert next(root.iter("testsuite")).get("name") == HOSTILE


def log(report: AuditReport, **options: Any) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(sarif(report, today=TODAY, **options))["runs"][0]
    return run


def test_sarif_has_what_the_standard_requires() -> None:
    document = json.loads(sarif(every_kind(), today=TODAY))
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-schema-2.1.0.json")
    run = document["runs"][0]
    assert run["tool"]["driver"]["name"] == "hdp-audit"
    assert run["invocations"] == [{"executionSuccessful": True}]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert re.fullmatch("[0-9a-f]{64}", result["partialFingerprints"]["findingId/v1"])
        assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "acme/release.py:private_mean"
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "acme/release.py"
        assert result["level"] == "none" or result["kind"] == "fail"
    assert len({r["partialFingerprints"]["findingId/v1"] for r in run["results"]}) == len(run["results"])


def test_sarif_levels_follow_the_verdicts() -> None:
    levels = {result["properties"]["finding"].partition("mean/")[2]: result for result in log(every_kind())["results"]}
    assert (levels["privacy/tier/0.5"]["kind"], levels["privacy/tier/0.5"]["level"]) == ("fail", "error")
    assert (levels["privacy/tier/2"]["kind"], levels["privacy/tier/2"]["level"]) == ("fail", "warning")
    assert (levels["privacy/tier/0.02"]["kind"], levels["privacy/tier/0.02"]["level"]) == ("pass", "none")
    assert levels["behaviour/call/2"]["level"] == "error"
    assert levels["float/bits"]["suppressions"][0]["justification"].startswith("numpy noise until the rewrite")
    allowed = log(every_kind(), allow_inconclusive=True)["results"]
    assert [r["kind"] for r in allowed if r["properties"]["verdict"] == "inconclusive"] == ["open"]


def test_hostile_text_reaches_sarif_as_text_alone() -> None:
    text = sarif(hostile(), today=TODAY)
    assert not CONTROL.search(text)
    assert json.loads(text)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "%3C/pre%3E%3Cscript%3E"
    )


def test_markdown_says_the_verdict_the_reason_and_the_limits() -> None:
    text = report_markdown(every_kind(), today=TODAY)
    assert text.startswith("# ✗ hdp-audit: refuted: the formula, the arithmetic, accuracy\n")
    for words in (
        "lose at least 1.05",
        "hdp-audit replay",
        "Waived until 2027-03-31",
        "## What was not tested",
        "0.028",
    ):
        assert words in text


def test_a_passing_report_lists_the_smallest_violation_detected() -> None:
    text = report_markdown(passing(), today=TODAY)
    assert "| hpm-cp | 0.5 | 0.2 | 0.7 | 20,000 | ✓ passed |" in text
    assert "###" not in text


def test_markdown_from_outside_stays_text() -> None:
    text = report_markdown(hostile(), today=TODAY)
    outside_code = re.sub("```.*?```", "", text, flags=re.DOTALL)
    assert "<script" not in outside_code
    assert "<img" not in outside_code
    assert not CONTROL.search(text)
    for line in text.splitlines():
        if line.startswith("| &lt;script"):
            assert line.replace("\\|", "").count("|") in (7, 11)


def test_a_name_full_of_backticks_does_not_leave_its_code_block() -> None:
    report = AuditReport((), (tier("a```b````", 0.5, "fail"),), CONFIDENCE, 1, 9)
    assert "`````\nhdp-audit replay" in report_markdown(report, today=TODAY)


def test_a_hundred_mechanisms_fit_a_step_summary() -> None:
    report = many_mechanisms(100, users=1000)
    assert len(report_markdown(report, today=TODAY).encode()) < 500_000


@pytest.mark.parametrize("letter", ["<", "|", "ε", "\x00", "`"])
def test_endless_messages_do_not_make_endless_summaries(letter: str) -> None:
    found = tuple(tier(f"{letter * 9_000}{number}", 0.5, "fail", message=letter * 100_000) for number in range(300))
    report = AuditReport((), found, CONFIDENCE, 1, 9)
    assert len(report_markdown(report, today=TODAY).encode()) < 1_000_000


def test_sarif_points_into_the_repository_at_the_function_and_every_rule_has_help() -> None:
    report = every_kind()
    own = replace(report.subjects[0], file="../src/release.py", line=12)
    known = {**report.environment, "folder": "privacy/specs/"}
    log = json.loads(sarif(replace(report, subjects=(own,), environment=known), today=TODAY))["runs"][0]
    place = log["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "privacy/src/release.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 12}
    assert "SRCROOT" in log["originalUriBaseIds"]
    assert all(rule["help"]["text"] for rule in log["tool"]["driver"]["rules"])
    outside = replace(own, file="../../../elsewhere.py")
    place = spot_of(replace(report, subjects=(outside,), environment=known), report.findings[0])
    assert place is not None
    assert place.path == "../../../elsewhere.py"


def test_a_draw_is_found_among_the_files_of_the_mechanism() -> None:
    draw = TracedDraw("laplace", "0", "1", "release.py", 7, "rng.laplace()", "rng")
    traced = TracedLoss(0, "all 0", "0", "1", 1.0, 1.0, (draw,))
    report = every_kind()
    known = {**report.environment, "folder": "specs/", "files": {"acme/release.py": "f3"}}
    bad = finding(report.subjects[0].name, "privacy/trace", "fail", "x", evidence="traced", traced=traced)
    spot = spot_of(replace(report, environment=known), bad)
    assert spot is not None
    assert (spot.path, spot.line) == ("specs/acme/release.py", 7)


def test_junit_times_are_those_of_the_checks_shared_among_their_findings() -> None:
    report = passing()
    names = [each.id for each in report.findings]
    checks = [{"check": "a", "findings": names[:3]}, {"check": "b", "findings": names[3:]}]
    own = replace(
        report, environment={**report.environment, "checks": checks, "seconds_by_check": {"a": 6.0, "b": 1.5}}
    )
    cases = ET.fromstring(junit_xml(own)).findall(".//testcase")  # noqa: S314 (our own text)
    assert [case.get("time") for case in cases] == ["2.000", "2.000", "2.000", "1.500"]
    assert [suite.get("time") for suite in ET.fromstring(junit_xml(own)).iter("testsuite")] == ["7.500"]  # noqa: S314


def test_markdown_begins_with_the_decision_and_names_tiers() -> None:
    text = report_markdown(every_kind(), today=TODAY)
    assert text.index("**No-go.**") < text.index("Confidence 0.999")
    assert "**Formula** refuted · **Arithmetic** refuted" in text
    assert "| 0.02 (careful) |" in text


def test_every_output_shows_a_waiver_while_it_holds_and_after() -> None:
    report = every_kind()
    held = next(each for each in report.findings if each.waiver is not None)
    only = replace(report, findings=(held,))
    for today, words in (
        (TODAY, "waived until 2027-03-31"),
        (TODAY.replace(year=2028), "waiver expired on 2027-03-31"),
    ):
        assert words in waived_words(held, today)
        assert words in report_markdown(only, today=today).lower()
        assert words in report_html(only, today=today).lower()
    assert "waived until 2027-03-31" in junit_xml(only, today=TODAY)
    assert "until 2027-03-31" in sarif(only, today=TODAY)
    assert "(waived until 2027-03-31)" in str(only)
