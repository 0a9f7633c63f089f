"""The summary table on a terminal: one mechanism by its claims, many by their parts; on a narrow one fewer columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdp_audit.reporting.parts import parts
from hdp_audit.reporting.untraced import untraced
from hdp_audit.reporting.verdicts import (
    KINDS,
    SIGNS,
    UNEXAMINED,
    WARNED,
    WORDS,
    by_subject,
    factor_detected,
    figures,
    label,
    named,
    rank,
    state,
    tally,
    worst,
    worst_first,
    worst_state,
)

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport

STYLES = {
    "pass": "green",
    "fail": "bold red",
    "error": "bold magenta",
    "inconclusive": "yellow",
    WARNED: "yellow",
    UNEXAMINED: "dim",
}
NARROW = 96  # columns of a terminal, below which a claim's name would have no room beside all figures
MOST_ROWS = 40


def report_table(report: AuditReport, *, narrow: bool, most: int | None = None) -> Table:
    """One row per claim, or one per mechanism where there are several; `most` rows at most."""
    if len(report.subjects) == 1:
        return _claims(report, narrow, most or MOST_ROWS)
    return _mechanisms(report, narrow, most or len(report.findings))


def verdict_text(verdict: str | None, about: str = "") -> Text:
    """Sign and word in its colour; nothing where there is no verdict."""
    from rich.text import Text

    return Text() if verdict is None else Text(f"{SIGNS[verdict]} {WORDS[verdict]}{about}", style=STYLES[verdict])


def _claims(report: AuditReport, narrow: bool, most: int) -> Table:
    from rich.table import Table
    from rich.text import Text

    subject = report.subjects[0]
    title = f"{named(subject.name, 200)} · {subject.demands.users:,} users · {tally(report.findings)}"
    table = Table(title=Text(title, style="bold"), title_justify="left", header_style="bold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("claim", overflow="fold", min_width=12)
    for heading in _chosen(["claimed", "at least", "at most", "detected from", "calls"], narrow):
        table.add_column(_heading(heading, narrow), justify="right", no_wrap=True)
    ordered = worst_first(report.findings)
    for finding in ordered[:most]:
        cells = _chosen([*figures(finding), f"{finding.calls:,}"], narrow)
        table.add_row(verdict_text(state(finding)), Text(label(finding)), *cells)
    if len(ordered) > most:
        table.add_row("", Text(f"... {tally(ordered[most:])} more"))
    for _, words in untraced(report):
        table.add_row(verdict_text(UNEXAMINED), Text(words))
    return table


def _heading(words: str, narrow: bool) -> str:
    """On a narrow terminal one word a line: what is saved goes to the claims' names."""
    return words.replace(" ", "\n") if narrow else words


def _chosen(cells: list[str], narrow: bool) -> list[str]:
    """On a narrow terminal neither upper bounds nor calls, which the reports have."""
    claimed, lower, upper, power, calls = cells
    return [claimed, lower, power] if narrow else [claimed, lower, upper, power, calls]


def _mechanisms(report: AuditReport, narrow: bool, most: int) -> Table:
    from rich.table import Table
    from rich.text import Text

    groups = by_subject(report)
    names = sorted(groups, key=lambda name: rank(groups[name])) if len(groups) > most else list(groups)
    kinds = [kind for kind in KINDS if any(finding.kind == kind for finding in report.findings)]
    table = Table(title=f"{len(groups)} mechanisms", title_justify="left", header_style="bold")
    table.add_column("mechanism", overflow="fold", min_width=12)
    for kind in ["verdict"] if narrow else kinds:
        table.add_column(kind, no_wrap=not narrow)
    for heading in ["detected from"] if narrow else ["detected from", "calls"]:
        table.add_column(heading, justify="right", no_wrap=True)
    for name in names[:most]:
        own = groups[name]
        states = [worst_state(finding for finding in own if finding.kind == kind) for kind in kinds]
        words = [_whole(own)] if narrow else [verdict_text(each) for each in states]
        calls = [] if narrow else [f"{sum(finding.calls for finding in own):,}"]
        table.add_row(Text(named(name, 200)), *words, factor_detected(own), *calls)
    if len(names) > most:
        table.add_row(Text(f"... {len(names) - most} more"))
    return table


def _whole(own: list[Finding]) -> Text:
    """A mechanism's worst verdict, and of what it is."""
    verdict = worst(own)
    if verdict in (None, "pass"):
        return verdict_text(worst_state(own))
    return verdict_text(verdict, f": {', '.join(parts(own, verdict))}")
