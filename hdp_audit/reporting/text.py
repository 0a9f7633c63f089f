"""The report for a terminal: a table, every failure with its evidence, what a pass is worth; plain lines in a pipe."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hdp_audit.reporting.decision.tiers import COUNTED, names_by_number
from hdp_audit.reporting.evidence import LONGEST, others_told, refutation_lines
from hdp_audit.reporting.folded import command_lines
from hdp_audit.reporting.meaning import (
    assumed_of,
    headline,
    means,
    means_not,
    never_tested,
    rare,
    verdict_words,
)
from hdp_audit.reporting.numbers import printable
from hdp_audit.reporting.parts import beside
from hdp_audit.reporting.printed import printed, tabbed
from hdp_audit.reporting.text_tables import NARROW, STYLES, report_table, verdict_text
from hdp_audit.reporting.untraced import untraced
from hdp_audit.reporting.verdicts import (
    SIGNS,
    UNEXAMINED,
    WORDS,
    figures,
    label,
    lines_of,
    named,
    replay_line,
    replay_words,
    shown,
    state,
    waiver_state,
    worst_first,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport

TOLD = ("dataset", "input", "output")  # facts that are worth a line
COLUMNS = ("verdict", "mechanism", "claim", "claimed", "at least", "at most", "detected from", "calls")
MOST_FAILURES, IN_FULL = 20, 4  # the rest in a sentence each


def report_text(
    report: AuditReport,
    console: Console,
    *,
    today: dt.date | None = None,
    replay: Callable[[Finding], str] | None = None,
) -> str:
    """Summary, the first failures in full, what a pass is worth, and how to run it again (`replay` knows the paths)."""
    with console.capture() as captured:
        _print_words(report, console, today, replay)
    if not console.is_terminal:
        return tabbed(_plain_rows(report)) + captured.get()
    return printed(console, "", report_table(report, narrow=console.width < NARROW)) + captured.get()


def _print_words(
    report: AuditReport, console: Console, today: dt.date | None, replay: Callable[[Finding], str] | None
) -> None:
    from rich.text import Text

    for place, finding in enumerate(_bad(report)[:MOST_FAILURES]):
        _say(console, "")
        for line in _evidence(report, finding, today, full=place < IN_FULL):
            console.print(line, soft_wrap=not console.is_terminal)
        if finding.verdict == "fail" and place < IN_FULL:  # broken only so that it can be copied
            again = printable(replay(finding)) if replay else replay_line(report, finding)
            for part in command_lines(
                f"  {replay_words(report, finding)}:", again, console.width if console.is_terminal else None
            ):
                console.print(Text(part), soft_wrap=True)
    if len(_bad(report)) > MOST_FAILURES:
        _say(console, f"... and {len(_bad(report)) - MOST_FAILURES} more that did not pass; see the report")
    if names_by_number(report.findings):
        _say(console, COUNTED)
    _say(console, "")
    words = Text(f"{SIGNS[report.verdict]} {verdict_words(report)}", style=STYLES[report.verdict])
    console.print(words.append(f"  {headline(report, today)}", style="default"), soft_wrap=not console.is_terminal)
    _say(console, means(report))
    _say(console, means_not(report))
    _say(console, f"Rare events: {rare(report)}")
    for told in assumed_of(report):
        _say(console, told)
    _say(console, "Not tested: " + "; ".join(title.lower() for title, _ in never_tested(report)) + ".")
    _say(
        console,
        f"seed {report.seed} · confidence {report.confidence:g} · {report.calls:,} calls · {report.seconds:.1f} s",
    )


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def _bad(report: AuditReport) -> list[Finding]:
    return [finding for finding in worst_first(report.findings) if finding.verdict != "pass"]


def _plain_rows(report: AuditReport) -> Iterator[tuple[str, ...]]:
    """For a pipe."""
    yield COLUMNS
    for finding in report.findings:
        yield WORDS[state(finding)], named(finding.subject, 200), label(finding), *figures(finding), str(finding.calls)
    for name, words in untraced(report):
        yield WORDS[UNEXAMINED], named(name, 200), words, *["–"] * 4, "0"


def _evidence(report: AuditReport, finding: Finding, today: dt.date | None, *, full: bool) -> list[Text]:
    from rich.text import Text

    head = verdict_text(finding.verdict)
    lines = [head.append(f"  {named(finding.id, 300)}", style="bold")]
    lines += [Text(f"  {line}") for line in lines_of(finding.message)]
    if words := beside(report, finding):
        lines.append(Text(f"  {words}"))
    lines += [Text(f"  {name}: {shown(words, LONGEST)}") for name, words in _rests_on(finding)] if full else []
    if finding.waiver is not None:
        lines.append(Text(f"  {waiver_state(finding, today)}: {shown(finding.waiver.reason, 500)}"))
    return lines


def _rests_on(finding: Finding) -> list[tuple[str, str]]:
    """The counterexample; where there is none, who is concerned and the input, output or dataset."""
    if lines := refutation_lines(finding):
        return lines
    told = {key: finding.facts[key] for key in TOLD if finding.facts.get(key, "") != ""}
    return [*others_told(finding), *((key, "nothing" if value is None else str(value)) for key, value in told.items())]
