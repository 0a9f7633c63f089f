"""A report of findings that judge nothing: no promise was made, or none that the calls could refute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hdp_audit.model.finding import Finding

NOTHING = (
    "no claim was audited: to every user nothing was promised (an infinite loss), or more than so many calls can "
    "refute; give smaller demands or a larger budget, or claim an accuracy"
)


def nothing_audited(name: str, findings: list[Finding]) -> Iterator[Finding]:
    """An error where all that was found about a mechanism says that something was not audited."""
    if not any(finding.verdict == "error" or _audited(finding) for finding in findings):
        yield Finding.about(name, "behaviour", "nothing-audited", "error", NOTHING, examined=False)


def left_open(findings: list[Finding]) -> list[Finding]:
    """The same; where every claim was left open, errors say that nothing was examined, so that no waiver is enough."""
    if any(_audited(finding) and finding.verdict in ("pass", "fail") for finding in findings):
        return findings
    return [replace(finding, examined=False) if finding.verdict == "error" else finding for finding in findings]


def _audited(finding: Finding) -> bool:
    return finding.kind != "behaviour" and finding.examined
