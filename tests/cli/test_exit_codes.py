"""1 before 2 before 3, and what a waiver changes."""

from __future__ import annotations

import contextlib
import datetime as dt
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from hdp_audit.cli.exits import exit_code
from hdp_audit.model import AuditReport, Finding, Waiver
from hdp_audit.model.finding import Verdict
from hdp_audit.model.report import Refuted
from hdp_audit.reporting.decision.paragraph import ACCEPTED, NO_DECISION, NO_GO, decided
from hdp_audit.reporting.junit import junit_xml
from hdp_audit.reporting.meaning import headline
from tests.reporting.sample_report import passing

TODAY = dt.date(2027, 3, 31)


def report(*verdicts: Verdict, waiver: Waiver | None = None) -> AuditReport:
    findings = [
        Finding(f"m/accuracy/{i}", "m", "accuracy", verdict, "tested", "why", waiver=waiver)
        for i, verdict in enumerate(verdicts)
    ]
    return AuditReport((), tuple(findings), 0.999, 1, 0)


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        (("pass", "pass"), 0),
        (("pass", "fail", "error", "inconclusive"), 1),
        (("error", "inconclusive", "pass"), 2),
        (("inconclusive", "pass"), 3),
        ((), 2),
    ],
)
def test_the_worst_counts_in_the_contracts_order(verdicts: tuple[Verdict, ...], code: int) -> None:
    assert exit_code(report(*verdicts), today=TODAY) == code
    assert report(*verdicts).verdict == {0: "pass", 1: "fail", 2: "error", 3: "inconclusive"}[code]


@pytest.mark.parametrize("verdict", ["pass", "fail", "error", "inconclusive"])
def test_whatever_did_not_pass_raises(verdict: Verdict) -> None:
    with contextlib.nullcontext() if verdict == "pass" else pytest.raises(Refuted, match=f"{verdict}: m/accuracy/1"):
        report("pass", verdict).raise_for_verdict()


def test_inconclusive_can_be_allowed_but_an_error_cannot() -> None:
    assert exit_code(report("inconclusive"), allow_inconclusive=True, today=TODAY) == 0
    assert exit_code(report("error"), allow_inconclusive=True, today=TODAY) == 2


@pytest.mark.parametrize(("until", "code"), [(TODAY, 0), (TODAY - dt.timedelta(days=1), 1)])
def test_a_waiver_holds_up_to_its_day(until: dt.date, code: int) -> None:
    waived = report("fail", "pass", waiver=Waiver("m/accuracy/0", "known", until))
    assert waived.verdict == "fail"
    assert exit_code(waived, today=TODAY) == code


def test_a_waiver_does_not_hide_an_error() -> None:
    assert exit_code(report("error", waiver=Waiver("m/accuracy/0", "known", TODAY)), today=TODAY) == 2


CRASHED = Finding.about("m", "behaviour", "call/ended", "error", "ended; in 20 of 10,000 calls")
LEFT_OPEN = Finding.about("m", "behaviour", "independence", "error", "calls tell each other something")
HELD = Waiver("m/behaviour/*", "known", TODAY)


@pytest.mark.parametrize(
    ("findings", "code", "word"),
    [
        ([replace(CRASHED, waiver=HELD)], 0, ACCEPTED),
        ([CRASHED], 2, NO_DECISION),
        ([replace(CRASHED, waiver=replace(HELD, until=TODAY - dt.timedelta(days=1)))], 2, NO_DECISION),
        ([replace(LEFT_OPEN, waiver=HELD)], 2, NO_DECISION),
        ([replace(CRASHED, waiver=HELD), replace(LEFT_OPEN, waiver=HELD)], 2, NO_DECISION),
        ([replace(CRASHED, waiver=HELD), *report("inconclusive").findings], 3, NO_DECISION),
        ([replace(CRASHED, waiver=HELD), *report("fail").findings], 1, NO_GO),
    ],
)
def test_calls_that_fail_can_be_waived_and_leave_all_claims_as_they_are(
    findings: list[Finding], code: int, word: str
) -> None:
    """They are outcomes in every game; what makes a game invalid cannot be waived."""
    passed = passing()
    found = replace(passed, findings=(*findings, *passed.findings))
    assert exit_code(found, today=TODAY) == code
    assert decided(found, TODAY) == word
    assert ("which is waived at present" in headline(found, TODAY)) is (code in (0, 3))
    shown = ET.fromstring(junit_xml(found, today=TODAY))  # noqa: S314 - our own
    held = [one for one in findings if one.label == CRASHED.label and one.waiver is HELD]
    assert len(list(shown.iter("skipped"))) == len(held)


def test_who_waives_what_cannot_be_waived_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    print(replace(passing(), findings=(replace(LEFT_OPEN, waiver=HELD),)))  # noqa: T201
    assert "cannot be waived (until 2027-03-31)" in capsys.readouterr().out.replace("\n", " ")


def test_one_failure_that_is_not_waived_is_enough() -> None:
    waived = report("fail", waiver=Waiver("m/accuracy/0", "known", TODAY))
    other = Finding("m/accuracy/1", "m", "accuracy", "fail", "tested", "why")
    assert exit_code(waived, today=TODAY) == 0
    assert exit_code(AuditReport((), (*waived.findings, other), 0.999, 1, 0), today=TODAY) == 1
