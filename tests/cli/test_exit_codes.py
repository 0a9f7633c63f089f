"""1 before 2 before 3, and what a waiver changes."""

from __future__ import annotations

import contextlib
import datetime as dt

import pytest

from hdp_audit.cli.exits import exit_code
from hdp_audit.model import AuditReport, Finding, Waiver
from hdp_audit.model.finding import Verdict
from hdp_audit.model.report import Refuted

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


def test_one_failure_that_is_not_waived_is_enough() -> None:
    waived = report("fail", waiver=Waiver("m/accuracy/0", "known", TODAY))
    other = Finding("m/accuracy/1", "m", "accuracy", "fail", "tested", "why")
    assert exit_code(waived, today=TODAY) == 0
    assert exit_code(AuditReport((), (*waived.findings, other), 0.999, 1, 0), today=TODAY) == 1
