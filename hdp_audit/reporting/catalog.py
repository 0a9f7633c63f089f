"""The catalog as a table for a terminal, or as plain tab-separated lines for a pipe."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from hdp_audit.targets import reference


def catalog_rows(task: str | None) -> list[tuple[str, str, str]]:
    """(name, task, what it is) for every mechanism of a task, or of both."""
    return [(each.name, each.task or "either", each.summary) for each in reference.entries(task)]


def show_catalog(task: str | None) -> None:
    """Print the catalog."""
    rows = catalog_rows(task)
    console = Console(highlight=False)
    if not console.is_terminal:
        for row in rows:
            click.echo("\t".join(row))
        return
    table = Table(title="Reference mechanisms", title_justify="left", header_style="bold")
    for heading in ("name", "task", "what it is"):
        table.add_column(heading, no_wrap=heading != "what it is")
    for row in rows:
        table.add_row(*row)
    console.print(table)
