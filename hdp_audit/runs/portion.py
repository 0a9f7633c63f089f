"""How much of one long job is done: a bar in a terminal, a line every tenth in a pipe, nothing when quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdp_audit.reporting.numbers import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


class Portion:
    """Hears `(what, share)`, the share from 0 to 1; the base says nothing."""

    def __enter__(self) -> Portion:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, what: str, share: float) -> None:
        """What has just been done, and how much of the whole that makes."""


class Tenths(Portion):
    """One line whenever another tenth is done."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._said = -1

    def __call__(self, what: str, share: float) -> None:
        """Say it."""
        tenth = int(10 * share)
        if tenth > self._said:
            self._said = tenth
            self.console.print(f"{share:.0%} {printable(what)}", markup=False, soft_wrap=True)


class PortionBar(Portion):
    """A bar with what was done last, the percentage and the time left."""

    def __init__(self, console: Console) -> None:
        self._bar = _bar(console)
        self._task = self._bar.add_task("", total=1.0, what="")

    def __enter__(self) -> PortionBar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, what: str, share: float) -> None:
        """Move on."""
        self._bar.update(self._task, completed=share, what=printable(what)[:50])


def portion(console: Console, quiet: bool) -> Portion:
    """The right kind for this console."""
    if quiet:
        return Portion()
    return PortionBar(console) if console.is_terminal else Tenths(console)


def _bar(console: Console) -> Progress:
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.fields[what]}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left", markup=False),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
