"""The report for a terminal: a table, every failure with its evidence, what a pass is worth; plain lines in a pipe."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from hdp_audit.reporting.evidence import LONGEST, others_told, refutation_lines
from hdp_audit.reporting.meaning import headline, means, means_not, never_tested, rare, verdict_words
from hdp_audit.reporting.numbers import printable
from hdp_audit.reporting.parts import beside
from hdp_audit.reporting.text_tables import NARROW, STYLES, report_table, verdict_text
from hdp_audit.reporting.verdicts import (
    SIGNS,
    figures,
    label,
    lines_of,
    named,
    replay_line,
    shown,
    waived,
    worst_first,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport

TOLD = ("dataset", "input", "output")  # facts that are worth a line
MOST_FAILURES, IN_FULL = 20, 4  # the rest in a sentence each


def show_report(
    report: AuditReport,
    console: Console,
    *,
    today: dt.date | None = None,
    replay: Callable[[Finding], str] | None = None,
) -> None:
    """Summary, the first failures in full, what a pass is worth, and how to run it again (`replay` knows the paths)."""
    from rich.text import Text

    if console.is_terminal:
        console.print()
        console.print(report_table(report, narrow=console.width < NARROW))
    else:
        for row in _plain_rows(report):
            click.echo(row, file=console.file)  # rich would turn tabs into spaces
    for place, finding in enumerate(_bad(report)[:MOST_FAILURES]):
        _say(console, "")
        for line in _evidence(report, finding, today, full=place < IN_FULL):
            console.print(line, soft_wrap=not console.is_terminal)
        if finding.verdict == "fail" and place < IN_FULL:  # never broken, so that it can be copied
            again = printable(replay(finding)) if replay else replay_line(report, finding)
            console.print(Text(f"  replay: {again}"), soft_wrap=True)
    if len(_bad(report)) > MOST_FAILURES:
        _say(console, f"... and {len(_bad(report)) - MOST_FAILURES} more that did not pass; see the report")
    _say(console, "")
    words = Text(f"{SIGNS[report.verdict]} {verdict_words(report)}", style=STYLES[report.verdict])
    console.print(words.append(f"  {headline(report, today)}", style="default"), soft_wrap=not console.is_terminal)
    _say(console, means(report))
    _say(console, means_not(report))
    _say(console, f"Rare events: {rare(report)}")
    _say(console, "Not tested: " + "; ".join(title.lower() for title, _ in never_tested(report)) + ".")
    _say(
        console,
        f"seed {report.seed} · confidence {report.confidence:g} · {report.calls:,} calls · {report.seconds:.1f} s",
    )


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def _bad(report: AuditReport) -> list[Finding]:
    return [finding for finding in worst_first(report.findings) if finding.verdict != "pass"]


def _plain_rows(report: AuditReport) -> list[str]:
    """Tab-separated, for a pipe: verdict, mechanism, claim, figures, calls."""
    lines = ["verdict\tmechanism\tclaim\tclaimed\tat least\tat most\tdetected from\tcalls"]
    for finding in report.findings:
        cells = [finding.verdict, named(finding.subject, 200), label(finding), *figures(finding), str(finding.calls)]
        lines.append("\t".join(cells))
    return lines


def _evidence(report: AuditReport, finding: Finding, today: dt.date | None, *, full: bool) -> list[Text]:
    from rich.text import Text

    head = verdict_text(finding.verdict)
    lines = [head.append(f"  {named(finding.id, 300)}", style="bold")]
    lines += [Text(f"  {line}") for line in lines_of(finding.message)]
    if words := beside(report, finding):
        lines.append(Text(f"  {words}"))
    lines += [Text(f"  {name}: {shown(words, LONGEST)}") for name, words in _rests_on(finding)] if full else []
    if finding.waiver is not None:
        state = "waived until" if waived(finding, today) else "waiver expired on"
        lines.append(Text(f"  {state} {finding.waiver.until}: {shown(finding.waiver.reason, 500)}"))
    return lines


def _rests_on(finding: Finding) -> list[tuple[str, str]]:
    """The counterexample; where there is none, who is concerned and the input, output or dataset."""
    if lines := refutation_lines(finding):
        return lines
    told = {key: finding.facts[key] for key in TOLD if finding.facts.get(key, "") != ""}
    return [*others_told(finding), *((key, "nothing" if value is None else str(value)) for key, value in told.items())]
