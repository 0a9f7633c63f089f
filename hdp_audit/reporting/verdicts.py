"""Verdicts in words and signs, in one order for every renderer; waivers that hold; the line that repeats a finding."""

from __future__ import annotations

import datetime as dt
import hashlib
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from hdp_audit.model.report import WORST_FIRST
from hdp_audit.model.subject import UNREPEATED
from hdp_audit.reporting.numbers import printable, short

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding, Verdict
    from hdp_audit.model.report import AuditReport

UNEXAMINED, WARNED = "unexamined", "warned"
SIGNS = {"pass": "✓", "fail": "✗", "error": "!", "inconclusive": "?", WARNED: "!", UNEXAMINED: "–"}
WORDS = {
    "pass": "passed",
    "fail": "refuted",
    "error": "error",
    "inconclusive": "inconclusive",
    WARNED: "leak warned of",
    UNEXAMINED: "not examined",
}
KINDS = ("privacy", "float", "accuracy", "optimality", "behaviour", "proof")
STATES = (*WORST_FIRST[:-1], WARNED, WORST_FIRST[-1], UNEXAMINED)  # the worst first
LONGEST = 2000  # characters of a message that any renderer but JSON shows


def waived(finding: Finding, today: dt.date | None = None) -> bool:
    """True while the finding's waiver holds, of what can be waived."""
    held = finding.waiver is not None and finding.waiver.holds(today or dt.date.today())
    return held and finding.can_be_waived


def failures_waived(report: AuditReport, today: dt.date | None = None) -> bool:
    """Whether nothing is an error but calls that failed, all of them waived at present."""
    errors = [finding for finding in report.findings if finding.verdict == "error"]
    return bool(errors) and all(waived(finding, today) for finding in errors)


def without_errors(report: AuditReport) -> AuditReport:
    """Everything else that was found."""
    return replace(report, findings=tuple(finding for finding in report.findings if finding.verdict != "error"))


def waived_words(finding: Finding, today: dt.date | None = None) -> str:
    """` (waived until 2027-03-31)`; of a date that has passed, that; empty without a waiver."""
    if finding.waiver is None or finding.verdict == "pass":
        return ""
    return f" ({waiver_state(finding, today)})"


def waiver_state(finding: Finding, today: dt.date | None = None) -> str:
    """`waived until 2027-03-31`: what becomes of a waiver; empty without one."""
    if finding.waiver is None:
        return ""
    if finding.verdict != "pass" and not finding.can_be_waived:
        return f"cannot be waived (until {finding.waiver.until.isoformat()})"
    held = finding.waiver.holds(today or dt.date.today())
    return f"{'waived until' if held else 'waiver expired on'} {finding.waiver.until.isoformat()}"


def by_subject(report: AuditReport) -> dict[str, list[Finding]]:
    """Findings by the name of their subject, every subject listed."""
    groups: dict[str, list[Finding]] = {subject.name: [] for subject in report.subjects}
    for finding in report.findings:
        groups.setdefault(finding.subject, []).append(finding)
    return groups


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Failures first, the calculated ones before those by calls, and last the passes; else in the report's order."""
    return sorted(findings, key=_place)


def _place(finding: Finding) -> tuple[int, bool]:
    """A calculated loss is exact or nearly so, and names a line; a leak that was warned of comes before passes."""
    exact = finding.verdict == "fail" and finding.evidence == "traced"
    return STATES.index(WARNED if leaks(finding) else finding.verdict), not exact


def rank(findings: Iterable[Finding]) -> int:
    """The place of their worst verdict among all: 0 for a failure."""
    return WORST_FIRST.index(worst(findings) or "pass")


def worst(findings: Iterable[Finding]) -> Verdict | None:
    """The worst verdict; None where there is nothing."""
    found = {finding.verdict for finding in findings}
    return next((verdict for verdict in WORST_FIRST if verdict in found), None)


def worst_state(findings: Iterable[Finding]) -> str | None:
    """What a person reads of them together: the worst state, where a pass counts before what was not examined."""
    found = {state(finding) for finding in findings}
    return next((each for each in STATES if each in found), None)


def tally(findings: Iterable[Finding]) -> str:
    """`2 refuted, 5 passed, 1 not examined`."""
    counts = Counter(state(finding) for finding in findings)
    return ", ".join(f"{counts[each]} {WORDS[each]}" for each in STATES if counts[each])


def state(finding: Finding) -> str:
    """Its verdict; but neither a leak that was only warned of, nor what no call could have refuted, reads as passed."""
    if leaks(finding):
        return WARNED
    return UNEXAMINED if finding.verdict == "pass" and not finding.examined else finding.verdict


def leaks(finding: Finding) -> bool:
    """Whether it passed for the one reason that the spec asks for a warning only: a leak was confirmed."""
    found = finding.counterexample
    return (finding.kind, finding.verdict) == ("float", "pass") and found is not None and bool(found.confirmed)


def label(finding: Finding, longest: int = 120) -> str:
    """What is claimed of its subject, on one line."""
    return named(finding.label or finding.id, longest)


def is_named(finding: Finding) -> bool:
    """True for a finding about users whom an attack named, mostly one; a tier may have one member, too."""
    return finding.scope == "user"


def is_alone(finding: Finding) -> bool:
    """True where such a finding is about one user; a search moves several together as well."""
    return is_named(finding) and len(finding.users) == 1


def factor_detected(findings: Iterable[Finding]) -> str:
    """`1.9 ×`: the smallest violation detected with 80% power, in demands, of the least favourable tier, or nothing."""
    tried = [f for f in findings if f.kind == "privacy" and f.evidence == "tested" and not is_named(f)]
    factors = [power / f.claimed for f in tried if f.claimed and (power := detected(f)) is not None]
    return f"{short(max(factors))} ×" if factors else ""


def detected(finding: Finding) -> float | None:
    """The smallest violation detected with 80% power; a claim that was refuted, maybe soon, has no use for it."""
    return None if finding.verdict == "fail" else finding.detectable


def figures(finding: Finding) -> list[str]:
    """Claimed, at least, at most, smallest violation detected: the columns of every table of claims."""
    bounds = [None if bound is None else bound.value for bound in (finding.lower, finding.upper)]
    return ["–" if value is None else short(value) for value in (finding.claimed, *bounds, detected(finding))]


def named(text: str, longest: int = 120) -> str:
    """A name on one line that no other name shares: where it had to be cut or cleaned, a hash of the whole is added."""
    line = shown(text, longest)
    if line == text:
        return line
    mark = hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:10]
    return f"{shown(text, longest - 11)}~{mark}"


def typed(id: str) -> str:  # noqa: A002 (as report.json has it)
    """The id of a finding as it is typed in a command: `replay` takes it for the whole one."""
    return named(id, 500)


def shown(text: str, longest: int = LONGEST) -> str:
    """Text from outside on one line: no control characters, not endless."""
    line = printable(" ".join(str(text)[: longest + 1].split()))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def lines_of(text: str, longest: int = LONGEST) -> list[str]:
    """Text from outside line by line: no control characters, not endless."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return [printable(line.replace("\t", "    ")) for line in cut.splitlines()]


def export_line(report: AuditReport, finding: Finding) -> str:
    """What to type to have the counterexample as files; empty where it has none that could be written."""
    if finding.counterexample is None or report.environment.get("built_in") is True:
        return ""
    return f"{replay_line(report, finding)} --export counterexample"


OTHER_NUMBERS = "The same seed gave other outputs when calls were repeated, so a run or a replay has other numbers."


def unrepeated(report: AuditReport, subject: str | None = None) -> bool:
    """Whether a subject, or any, gives other outputs for the same seed."""
    return any(UNREPEATED in each.details for each in report.subjects if subject in (None, each.name))


def replay_words(report: AuditReport, finding: Finding) -> str:
    """What a replay is; of a mechanism that does not repeat itself, no promise of the same numbers."""
    return "replay (its numbers will differ)" if unrepeated(report, finding.subject) else "replay"


def replay_line(report: AuditReport, finding: Finding, name: str = "report") -> str:
    """What to type to run one finding again."""
    words = ["hdp-audit", "replay", f"{name}.json", "--finding", typed(finding.id)]
    known = report.origin(finding)
    built_in = known.get("built_in") is True  # the suite has no spec to name
    spec = printable(str(known.get("path") or known.get("spec") or "hdp-audit.toml"))
    return shlex.join(words if built_in else [*words, "--spec", spec])
