"""What a verdict says and does not say, and what no audit of this kind has looked at: sentences for every renderer."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from hdp_audit.render.numbers import short
from hdp_audit.render.verdicts import tally, waived

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport


def headline(report: AuditReport, today: dt.date | None = None) -> str:
    """One sentence under the verdict."""
    if not report.findings:
        return "Nothing was audited."
    failing = [finding for finding in report.findings if finding.verdict == "fail"]
    if failing and all(waived(finding, today) for finding in failing):
        return f"{_count(len(failing), 'claim')} refuted, every one waived for now ({tally(report.findings)})."
    match report.verdict:
        case "fail":
            return f"{_count(len(failing), 'claim')} refuted, with a counterexample that can be run again."
        case "error":
            return "Not everything could be audited: the mechanism misbehaved, or a check broke off."
        case "inconclusive":
            return "Nothing was refuted, but the budget lacked the power that was asked for."
        case _:
            return f"No claim was refuted, and the audit had the power that was asked for ({tally(report.findings)})."


def means(report: AuditReport) -> str:
    """What the verdict does say."""
    odds = f"at most {short(1.0 - report.confidence)}"
    match report.verdict:
        case "fail":
            return (
                f"Were all claims true, a report with any refutation at all would appear with probability {odds}. "
                "Every bound in the report holds at this confidence, all of them at once."
            )
        case "error":
            return "What was found before is kept. Findings of kind “behaviour” show the offending input and output."
        case "inconclusive":
            return (
                "Claims marked “inconclusive” are open: a larger loss than asked for could have gone unseen. "
                "Their messages say what was missing."
            )
        case _:
            return (
                "Losses as large as “would have been seen” would have been refuted with probability 0.8, had the noise "
                "been too small for them. Findings marked “proved” rest on a proof. "
                f"False alarms have probability {odds}."
            )


def means_not(report: AuditReport) -> str:
    """What the verdict does not say."""
    if report.verdict == "fail":
        return (
            "The bounds say how much was shown, not how much is lost: the loss may be larger, and users who are not "
            "named may be hurt as well."
        )
    return (
        "A test is no proof: smaller losses, losses on other data, and leaks that this kind of witness does not look "
        "for can remain. See “What was not tested”."
    )


def not_tested(report: AuditReport) -> list[tuple[str, str]]:
    """Title and sentence of everything that the verdict is silent about."""
    public = max((subject.demands.public for subject in report.subjects), default=0)
    beyond = [finding for finding in report.findings if finding.detectable == math.inf and finding.verdict != "fail"]
    lines = [
        (
            "Timing and other side channels",
            "Only outputs were looked at: not how long a call took, nor memory, nor logs.",
        ),
        (
            "Many releases",
            "Losses add up over releases of the same data; every call here stands for one release alone.",
        ),
        ("The demands themselves", "ε is taken as public: whether an output tells somebody's demand was not tested."),
        ("Rare events", _rare(report.findings)),
        (
            "Other data",
            "Losses and errors are those of the datasets tried; neighbours differ in the data of the users named.",
        ),
    ]
    if public:
        lines.append(("Public users", f"{_count(public, 'user')} demand ε = ∞: nothing was promised, nothing audited."))
    if beyond:
        demands = ", ".join(sorted({short(f.claimed) for f in beyond if f.claimed is not None})[:8])
        lines.append(
            ("Demands beyond the budget", f"Not tried, as these calls could never refute them: ε = {demands}.")
        )
    return lines


def _rare(findings: tuple[Finding, ...]) -> str:
    calls = max((finding.calls for finding in findings if finding.kind == "privacy"), default=0)
    if calls < 10:
        return "An event that happens less often than once in a few calls was not looked for."
    # Half of the calls run on either dataset; 1 − (1 − p)^(calls/2) = 0.8 at about p = log(5)/(calls/2).
    rarest = calls / (2.0 * math.log(5.0))
    return (
        f"Even the largest game, of {calls:,} calls, has less than probability 0.8 to meet at all an event that "
        f"happens less often than once in {rarest:,.0f} calls on one of its two datasets."
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
