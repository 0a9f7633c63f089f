"""Two badges: is the formula right, and is its arithmetic? A verdict on one says nothing of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.reporting.parts import warned
from hdp_audit.reporting.verdicts import worst

if TYPE_CHECKING:
    from hdp_audit.model.finding import Evidence, Finding, Verdict
    from hdp_audit.model.report import AuditReport

NOT_LOOKED_AT = "not examined"
KEPT: dict[Evidence, str] = {"tested": "not refuted", "traced": "kept, by calculation", "proved": "kept, by a proof"}


@dataclass(frozen=True)
class Badge:
    """`verdict` gives the colour; None where nothing was looked at."""

    name: str
    words: str
    verdict: Verdict | None


def badges(report: AuditReport) -> tuple[Badge, Badge]:
    """The formula: do outputs as real numbers keep the promises? The arithmetic: do their lowest bits?"""
    formula = [f for f in report.findings if f.kind == "privacy" and f.examined]
    bits = [finding for finding in report.findings if finding.kind == "float" and finding.examined]
    arithmetic = _badge("Arithmetic", bits)
    if warned(report) and arithmetic.verdict == "pass":
        arithmetic = Badge("Arithmetic", "leaks; the spec asks for a warning only", "inconclusive")
    return _badge("Formula", formula), arithmetic


def _badge(name: str, findings: list[Finding]) -> Badge:
    verdict = worst(findings)
    match verdict:
        case None:
            return Badge(name, NOT_LOOKED_AT, None)
        case "fail":
            return Badge(name, "refuted", verdict)
        case "pass":
            weakest: list[Evidence] = ["tested", "traced", "proved"]
            kinds = {finding.evidence for finding in findings}
            return Badge(name, KEPT[next(kind for kind in weakest if kind in kinds)], verdict)
        case _:
            return Badge(name, "undecided", verdict)
