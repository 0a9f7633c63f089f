"""What tests leave out without a finding: losses that were not calculated from draws, and why; a row of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdp_audit.model.subject import NOT_TRACED
from hdp_audit.reporting.verdicts import shown

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport

LABEL = "privacy/trace"

LONGEST = 300


def untraced(report: AuditReport) -> list[tuple[str, str]]:
    """Mechanisms whose draws were not followed to the end, and `privacy/trace: why`; none that has a finding of it."""
    told = {finding.subject for finding in report.findings if finding.label == LABEL}
    why = {subject.name: subject.details.get(NOT_TRACED) for subject in report.subjects if subject.name not in told}
    return [(name, f"{LABEL}: {shown(str(words), LONGEST)}") for name, words in why.items() if words]
