"""The report as one screen of plain text: the table, the first reasons, what the verdict means."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from hdp_audit.reporting.decision.tiers import COUNTED, names_by_number
from hdp_audit.reporting.meaning import headline, means, verdict_words
from hdp_audit.reporting.text_tables import report_table
from hdp_audit.reporting.verdicts import SIGNS, label, named, shown, waived_words, worst_first

if TYPE_CHECKING:
    from rich.console import Console

    from hdp_audit.model.report import AuditReport

WIDTH, ROWS, REASONS = 72, 16, 3


def screen(report: AuditReport) -> str:
    """72 columns, no control sequences, whatever the terminal is."""
    console = _console()
    console.print(report_table(report, narrow=True, most=ROWS))
    bad = [finding for finding in worst_first(report.findings) if finding.verdict != "pass"]
    for finding in bad[:REASONS]:
        about = f"{named(finding.subject, 60)} " if len(report.subjects) > 1 else ""
        waiver = waived_words(finding)
        console.print(f"{SIGNS[finding.verdict]} {about}{label(finding)}{waiver}: {shown(finding.message, 400)}")
    if len(bad) > REASONS:
        console.print(f"... and {len(bad) - REASONS} more that did not pass")
    if names_by_number(bad):
        console.print(COUNTED)
    console.print(f"\n{SIGNS[report.verdict]} {verdict_words(report)}. {headline(report)}\n{means(report)}")
    console.print(f"seed {report.seed} · confidence {report.confidence:g} · {report.calls:,} calls")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]  # the text that was collected
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _console() -> Console:
    from rich.console import Console

    return Console(
        file=io.StringIO(),
        width=WIDTH,
        color_system=None,
        force_terminal=True,
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
