"""A test that refutes a pair of datasets on which the draws allow less: one of the two is wrong, and nobody is accused.

Only the very same pair counts. A group that was moved together, or the user's own data, were not traced: there the
test stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hdp_audit.audits.case import Case
from hdp_audit.audits.share import Outcome
from hdp_audit.model.finding import Finding
from hdp_audit.tracing.supporting import exceeds


def without_contradictions(case: Case, findings: list[Finding], outcomes: list[Outcome]) -> list[Finding]:
    """What tests and draws say otherwise of the same pair is left open by both, with both numbers."""
    losses = next((outcome.traced for outcome in outcomes if outcome.traced is not None), None)
    if losses is None:
        return findings
    told = {finding.id: _told(finding, most) for finding, most in _refuted(case, findings, losses)}
    if not told:
        return findings
    first = next(iter(told.values()))
    passed = {each.id: first for each in findings if each.evidence == "traced" and each.verdict == "pass"}
    return [_open(finding, told | passed) for finding in findings]


def _refuted(case: Case, findings: list[Finding], losses: np.ndarray) -> list[tuple[Finding, float]]:
    """Findings of tests, with what the draws allow on their pair where that is less than was shown."""
    given = {pair.base: number for number, pair in enumerate(case.given)}
    bases = {base.name for base in case.bases()} if case.pairs is None else set()
    found = []
    for each in findings:
        shown = each.counterexample
        tested = each.kind == "privacy" and each.verdict == "fail" and each.evidence == "tested"
        if not tested or shown is None or each.lower is None:
            continue
        alone = shown.users[0] if shown.base in bases and len(shown.users) == 1 else None
        entry = given.get(shown.base, alone)
        if entry is not None and exceeds(each.lower.value, float(losses[entry])):
            found.append((each, float(losses[entry])))
    return found


def _told(finding: Finding, most: float) -> str:
    lower = finding.lower.value if finding.lower is not None else float("nan")
    return (
        f"a test shows a loss of at least {lower:.6g} on a pair of datasets where the draws of the mechanism allow "
        f"{most:.6g} at most: either it behaves otherwise when its draws are recorded, or this is chance; "
        'find out which, by another seed, and by trace = "off"'
    )


def _open(finding: Finding, told: Mapping[str, str]) -> Finding:
    return finding if finding.id not in told else replace(finding, verdict="inconclusive", message=told[finding.id])
