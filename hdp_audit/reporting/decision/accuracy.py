"""Errors in the user's units: how far a published figure may lie from the true one, in how many of twenty releases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.subject import SubjectSummary

PUBLISHED = {"mean": "mean", "sum": "sum", "count": "count", "frequency": "share of each category"}
TABLES = {"l1": "the sum of the errors of all categories", "l2": "the length of the errors of all categories"}
DIGITS = 3


def accuracy_words(subject: SubjectSummary, finding: Finding) -> str:
    """A sentence for a finding about errors; empty where it has no figures."""
    if finding.kind != "accuracy" or finding.lower is None or finding.upper is None:
        return ""
    norm = finding.facts.get("norm")
    if norm in TABLES:
        return _of_table(finding, TABLES[str(norm)])
    what = f"published {PUBLISHED.get(subject.task, 'figure')}"
    low, high = finding.lower.value, finding.upper.value
    claimed = "" if finding.claimed is None else f"; ±{amount(_root(finding, finding.claimed))} was claimed"
    if finding.metric == "mse":
        low, high = _root(finding, low), _root(finding, high)
        typical = f"a {what} is off by ±{amount(low)} to ±{amount(high)} (root of the mean square)"
        return f"On the worst data found {typical}{claimed}."
    often = of_releases(finding.facts.get("beta"))
    if finding.verdict == "fail":
        least = amount(low, up=False)
        return f"A {what} is not within ±{least} of the true one {often}, on the worst data found{claimed}."
    example = _example(subject, high)
    return f"A {what} is within ±{amount(high)} of the true one {often}, on the worst data found{example}{claimed}."


def _of_table(finding: Finding, what: str) -> str:
    """All categories together."""
    assert finding.lower is not None  # noqa: S101 - `accuracy_words` asked
    assert finding.upper is not None  # noqa: S101
    low, high = (_root(finding, bound.value) for bound in (finding.lower, finding.upper))
    claimed = "" if finding.claimed is None else f"; {amount(_root(finding, finding.claimed))} was claimed"
    if finding.metric == "mse":
        typical = f"{amount(low)} to {amount(high)} (root of the mean square)"
        return f"On the worst data found, {what} is {typical}{claimed}."
    often = of_releases(finding.facts.get("beta"))
    fails = f"is not below {amount(low, up=False)}" if finding.verdict == "fail" else f"is at most {amount(high)}"
    return f"On the worst data found, {what} {fails} {often}{claimed}."


def of_releases(beta: object) -> str:
    """`in 19 of 20 releases`, or a share where that is no small fraction."""
    if not isinstance(beta, (int, float)) or isinstance(beta, bool) or not 0 < beta < 1:
        return "nearly always"
    many = 1.0 / float(beta)
    if many <= 1000 and abs(many - round(many)) < 1e-9 * many:
        return f"in {round(many) - 1:,} of {round(many):,} releases"
    return f"in {1.0 - float(beta):.4g} of all releases"


def amount(value: float, *, up: bool = True, of: float | None = None) -> str:
    """Three digits (of another number) with separators: rounded up where it is a limit, down where it is exceeded."""
    if not math.isfinite(value) or value == 0:
        return "∞" if value else "0"
    unit = 10.0 ** (math.floor(math.log10(abs(of or value))) - DIGITS + 1)
    turn = math.ceil if up else math.floor
    if not unit or not math.isfinite(value / unit):  # too small for doubles, or beside a number that is
        return f"{value:.6g}"
    rounded = float(f"{turn(value / unit * (1.0 - 1e-12 if up else 1.0 + 1e-12)) * unit:.12g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:.6g}"


def _example(subject: SubjectSummary, error: float) -> str:
    """`: 100,000 stands for 98,600 to 101,400`, in the middle of what a datum may be."""
    if subject.task != "mean" or subject.reach is None:
        return ""
    middle = 0.5 * (subject.reach[0] + subject.reach[1])
    if not middle or not math.isfinite(middle) or error > abs(middle):
        return ""
    limits = f"{amount(middle - error, up=False, of=error)} to {amount(middle + error, of=error)}"
    return f": if {amount(middle)} is published, the truth is {limits}"


def _root(finding: Finding, value: float) -> float:
    return math.sqrt(value) if finding.metric == "mse" else value
