"""A bar below the cell of a notebook, painted again and again while checks run."""

from __future__ import annotations

import sys
import threading
from html import escape
from typing import Any, Protocol

from hdp_audit.audits.share import Outcome
from hdp_audit.reporting.numbers import printable
from hdp_audit.targets.made import calls_made
from hdp_audit.watching.progress import AFTER, UNTOLD, Progress, in_words, worst

PAUSE = 0.5  # seconds between two pictures


class Cell(Protocol):
    """Where something is shown: a part of a cell's output that can be painted anew."""

    def __call__(self, shown: dict[str, str]) -> None:
        """Show this, by type of content, in place of what stood there."""
        ...


class NotebookBar(Progress):
    """How many checks are done, the calls, the strongest evidence so far and the time left."""

    def __init__(self, cell: Cell, pause: float = PAUSE) -> None:
        super().__init__()
        self._cell, self._pause = cell, pause
        self._said: list[str] = []
        self._before = 0
        self._over = threading.Event()
        self._painter = threading.Thread(target=self._paint_on, name="hdp-audit progress", daemon=True)

    def began(self) -> None:
        """Show the bar; a thread of its own paints it while a check takes long."""
        self._before = calls_made()
        self._paint()
        self._painter.start()

    def finished(self, name: str, outcome: Outcome) -> None:
        """Move on; what did not pass stays below the bar."""
        if worst(outcome) not in UNTOLD:
            self._said.append(f"{printable(name)}: {worst(outcome)}")
        self._paint()

    def retried(self, name: str, outcome: Outcome) -> None:
        """Say it."""
        self._said.append(f"{printable(name)}: {worst(outcome)} {AFTER}")

    def ended(self) -> None:
        """A last picture, without the bar."""
        self._over.set()
        if self._painter.is_alive():
            self._painter.join()
        self._paint()

    def _paint_on(self) -> None:
        while not self._over.wait(self._pause):
            self._paint()

    def _paint(self) -> None:
        lines = [self._line(), *self._said]
        bar = "" if self._over.is_set() else f'<progress max="{max(self.whole, 1)}" value="{self._done}"></progress> '
        self._cell({"text/plain": "\n".join(lines), "text/html": bar + "<br>".join(map(escape, lines))})

    @property
    def _done(self) -> int:
        return self.whole - len(self.waiting)

    def _line(self) -> str:
        calls = f"{max(calls_made() - self._before, self.calls):,} calls"
        parts = [f"{self._done} of {self.whole} checks", calls, in_words(self.evidence, brief=True)]
        if not self._over.is_set():
            parts += [printable(self.title(self.waiting[0])) if self.waiting else "", self.left.words()]
        return " · ".join(part for part in parts if part)


def cell_of_a_notebook() -> Cell | None:
    """A new part of the output of the cell that runs now; None where this is no notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display

    handle: Any = display({"text/plain": ""}, raw=True, display_id=True)
    return lambda shown: handle.update(shown, raw=True)
