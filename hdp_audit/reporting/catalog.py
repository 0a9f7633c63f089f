"""The catalog as a table for a terminal, or as plain tab-separated lines for a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from hdp_audit.reporting.printed import printed, tabbed
from hdp_audit.targets import reference

if TYPE_CHECKING:
    from rich.console import Console


def catalog_rows(task: str | None) -> list[tuple[str, str, str]]:
    """(name, task, what it is) for every mechanism of a task, or of both."""
    return [(each.name, each.task or "either", each.summary) for each in reference.entries(task)]


def catalog_text(task: str | None, console: Console) -> str:
    """The mechanisms of a task, or of both."""
    rows = catalog_rows(task)
    if not console.is_terminal:
        return tabbed(rows)
    table = Table(title="Reference mechanisms", title_justify="left", header_style="bold")
    for heading, whole in (("name", True), ("task", True), ("what it is", False)):
        table.add_column(heading, no_wrap=whole)
    for row in rows:
        table.add_row(*row)
    return printed(console, table)
