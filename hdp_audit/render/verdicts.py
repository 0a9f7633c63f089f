"""Verdicts in words and signs, in one order for every renderer; waivers that hold; the line that repeats a finding."""

from __future__ import annotations

import datetime as dt
import shlex
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hdp_audit.model.report import WORST_FIRST
from hdp_audit.render.numbers import printable, short

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding, Verdict
    from hdp_audit.model.report import AuditReport

SIGNS: dict[Verdict, str] = {"pass": "✓", "fail": "✗", "error": "!", "inconclusive": "?"}
WORDS: dict[Verdict, str] = {"pass": "passed", "fail": "refuted", "error": "error", "inconclusive": "inconclusive"}
KINDS = ("privacy", "float", "accuracy", "optimality", "behaviour", "proof")
LONGEST = 2000  # characters of a message that any renderer but JSON shows


def waived(finding: Finding, today: dt.date | None = None) -> bool:
    """True while the finding's waiver holds."""
    return finding.waiver is not None and finding.waiver.holds(today or dt.date.today())


def by_subject(report: AuditReport) -> dict[str, list[Finding]]:
    """Findings by the name of their subject, every subject listed."""
    groups: dict[str, list[Finding]] = {subject.name: [] for subject in report.subjects}
    for finding in report.findings:
        groups.setdefault(finding.subject, []).append(finding)
    return groups


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Failures first, else in the report's order."""
    return sorted(findings, key=lambda finding: WORST_FIRST.index(finding.verdict))


def worst(findings: Iterable[Finding]) -> Verdict | None:
    """The worst verdict; None where there is nothing."""
    found = {finding.verdict for finding in findings}
    return next((verdict for verdict in WORST_FIRST if verdict in found), None)


def tally(findings: Iterable[Finding]) -> str:
    """`2 refuted, 5 passed`."""
    counts = Counter(finding.verdict for finding in findings)
    return ", ".join(f"{counts[verdict]} {WORDS[verdict]}" for verdict in WORST_FIRST if counts[verdict])


def label(finding: Finding) -> str:
    """The finding's id without its subject's name, be it the short or the long one: what is claimed of it."""
    _, found, rest = finding.id.partition(f"/{finding.kind}/")
    return shown(f"{finding.kind}/{rest}" if found else finding.id.removeprefix(f"{finding.subject}/"), 120)


def is_named(finding: Finding) -> bool:
    """True for a finding about one user whom an attack named; a tier may have one member, too."""
    return "/privacy/user/" in finding.id


def factor_seen(findings: Iterable[Finding]) -> str:
    """`1.9 ×`: a tier off by this factor would have been seen, whichever it is; empty where none was tested."""
    tried = [f for f in findings if f.kind == "privacy" and f.evidence == "tested" and not is_named(f)]
    factors = [f.detectable / f.claimed for f in tried if f.claimed and f.detectable is not None]
    return f"{short(max(factors))} ×" if factors else ""


def shown(text: str, longest: int = LONGEST) -> str:
    """Text from outside on one line: no control characters, not endless."""
    line = printable(" ".join(str(text)[: longest + 1].split()))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def lines_of(text: str, longest: int = LONGEST) -> list[str]:
    """Text from outside line by line: no control characters, not endless."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return [printable(line.replace("\t", "    ")) for line in cut.splitlines()]


def replay_line(report: AuditReport, finding: Finding, name: str = "report") -> str:
    """What to type to run one finding again."""
    words = ["hdp-audit", "replay", f"{name}.json", "--finding", shown(finding.id, 500)]
    built_in = report.environment.get("spec_sha256", "") is None  # the suite has no spec to name
    spec = shown(str(report.environment.get("spec") or "hdp-audit.toml"), 300)
    return shlex.join(words if built_in else [*words, "--spec", spec])


def in_words(witness: dict[str, Any], key: str) -> str:
    """Empty where there is nothing to say; an output may be nothing at all."""
    value = witness.get(key, "")
    return ("nothing" if key == "output" else "") if value is None else str(value)
