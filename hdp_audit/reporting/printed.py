"""What a console would print, as text: whoever has asked for it writes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def printed(console: Console, *parts: RenderableType) -> str:
    """As wide and as coloured as the console is."""
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    return captured.get()


def tabbed(rows: Iterable[Iterable[str]]) -> str:
    """A line per row for a pipe; rich would turn tabs into spaces."""
    return "".join("\t".join(row) + "\n" for row in rows)
