"""What of a mechanism a verdict is about: its formula, its arithmetic in doubles, its accuracy; kept apart everywhere.

A right formula whose arithmetic leaks is refuted, and so is a wrong formula: a reader must see which, and what the
other one's verdict is worth, so that nobody takes a repaired leak for a formula that was tested.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.verdicts import KINDS, leaks, tally

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding, Kind, Verdict
    from hdp_audit.model.report import AuditReport

PARTS: dict[Kind, str] = {
    "privacy": "the formula",
    "float": "the arithmetic",
    "accuracy": "accuracy",
    "optimality": "optimality",
    "behaviour": "behaviour",
    "proof": "proofs",
}
ARITHMETIC = "the lowest bits of the doubles leak"
LEAK = "the last digits of outputs, as a computer stores them, tell more than was promised"


def parts(findings: Iterable[Finding], verdict: Verdict) -> dict[str, int]:
    """How many findings about each part have this verdict; parts without any are left out."""
    kinds = [finding.kind for finding in findings if finding.verdict == verdict]
    return {PARTS[kind]: kinds.count(kind) for kind in KINDS if kind in kinds}


def parts_words(found: dict[str, int]) -> str:
    """`2 about the formula, 1 about the arithmetic`."""
    return ", ".join(f"{number} about {part}" for part, number in found.items())


def only_arithmetic(report: AuditReport) -> bool:
    """True where something was refuted, and that is the arithmetic alone."""
    return list(parts(report.findings, "fail")) == [PARTS["float"]]


def warned(report: AuditReport) -> bool:
    """True where a leak through the arithmetic was confirmed of which the spec asks for a warning only."""
    return any(leaks(finding) for finding in report.findings)


def beside(report: AuditReport, finding: Finding) -> str:
    """What must be said beside a refuted arithmetic: the same mechanism's formula. Empty beside anything else."""
    return formula_words(report, {finding.subject}) if (finding.kind, finding.verdict) == ("float", "fail") else ""


def formula_words(report: AuditReport, subjects: set[str]) -> str:
    """The formula's own verdict, and the power of its passes."""
    privacy = [finding for finding in report.findings if finding.kind == "privacy" and finding.subject in subjects]
    own = [finding for finding in privacy if finding.evidence == "tested"]
    if not own:
        return "The formula itself was not tested."
    if refuted := parts(own, "fail"):
        return f"The formula itself is refuted as well ({sum(refuted.values())} of {len(own)} claims)."
    tested = [finding for finding in own if finding.verdict == "pass" and finding.detectable not in (None, math.inf)]
    if not tested:
        return f"The formula itself was not refuted, but not tested with enough power either ({tally(own)})."
    factors = [finding.detectable / finding.claimed for finding in tested if finding.claimed and finding.detectable]
    power = f"up to {short(max(factors))} × the demand" if factors else "see the claims"
    return (
        f"The formula itself was not refuted ({tally(own)}); smallest violation detected with 80% power in those "
        f"tested: {power}."
    )


def arithmetic_words(report: AuditReport) -> str:
    """What the arithmetic's own verdict is, where the formula is refuted."""
    bits = [finding for finding in report.findings if finding.kind == "float"]
    if not bits:
        return "Whether the lowest bits of doubles leak was not tested."
    if warned(report):
        return f"The spec asks only for a warning about the arithmetic: {ARITHMETIC}."
    if all(finding.verdict == "pass" for finding in bits):
        return (
            "The arithmetic was not refuted: for the users tested, the place of the lowest set bit was not seen to "
            "reveal more than was promised; which doubles can come out at all was not looked at."
        )
    return "Whether the arithmetic leaks as well is undecided."
