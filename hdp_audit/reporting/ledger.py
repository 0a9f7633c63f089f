"""The ledger for a terminal or a pipe; failures last, where they are seen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hdp_audit.reporting.numbers import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hdp_audit.proofs.entry import Result

STYLES = {"failed": "bold red", "not run": "yellow", "tested": "cyan", "paper's text corrected": "magenta"}
SHOWN = 8  # entries named beside one reason; the table above has all of them


def show_ledger(results: Sequence[Result]) -> None:
    """One line per entry, a count by status, and every failure in words."""
    console = Console(highlight=False)
    if console.is_terminal:
        table = Table(title="The ledger", title_justify="left", header_style="bold")
        for heading in ("entry", "source", "method", "status", "constant", "what it says"):
            table.add_column(heading, overflow="fold")
        for result in results:
            style = STYLES.get(result.status, "green")
            entry = result.entry
            status = f"[{style}]{result.status}[/]"
            table.add_row(result.id, entry.source, entry.method, status, escape(entry.constant), entry.title)
        console.print(table)
    else:
        for result in results:
            entry = result.entry
            click.echo("\t".join((result.id, entry.source, entry.method, result.status, entry.constant, entry.title)))
    tally = Counter(result.status for result in results)
    click.echo(f"{len(results)} entries: " + ", ".join(f"{count} {status}" for status, count in tally.items()))
    troubled: dict[tuple[str, str], list[str]] = {}
    for result in results:
        if not result.passed:
            troubled.setdefault((result.status, result.error), []).append(result.id)
    for (status, error), names in troubled.items():  # one missing tool stops many entries: it is said once
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        click.echo(printable(f"{status}: {', '.join(names[:SHOWN])}{more}: {error}"), err=True)
