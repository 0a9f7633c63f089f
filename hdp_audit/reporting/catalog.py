"""The catalog as a table for a terminal, or as plain tab-separated lines for a pipe."""

from __future__ import annotations

from typing import Literal, cast, get_args

import click
from rich.console import Console
from rich.table import Table

from hdp_audit.targets import reference

Task = Literal["mean", "frequency"]
TASKS: tuple[Task, ...] = get_args(Task)


def catalog_rows(task: str | None) -> list[tuple[str, str, str]]:
    """(name, task, what it is) for every mechanism of a task, or of both."""
    of = {own: set(reference.names(own)) for own in TASKS}
    rows = []
    for name in reference.names(cast("Task | None", task)):
        own = [each for each in TASKS if name in of[each]]
        rows.append((name, "either" if len(own) > 1 else str(own[0]), reference.summary(name)))
    return rows


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
