"""What is going on: a bar in a terminal, a line a check in a pipe, nothing when quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdp_audit.model.report import WORST_FIRST
from hdp_audit.reporting.numbers import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from hdp_audit.audits.share import Outcome


WIDE = 110  # columns of a terminal for full sentences


class Told:
    """Counts checks and calls; the base says nothing."""

    def __init__(self, ids: list[str]) -> None:
        self.waiting = list(ids)
        self.whole = len(ids)
        self.calls = 0
        self.evidence: float | None = None  # the largest so far

    def __enter__(self) -> Told:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def done(self, name: str, outcome: Outcome) -> None:
        """One more check has ended."""
        self.waiting = [waiting for waiting in self.waiting if waiting != name]
        self.calls += outcome.calls
        self.evidence = max((share for share in (self.evidence, evidence(outcome)) if share is not None), default=None)


class Lines(Told):
    """One line a check."""

    def __init__(self, ids: list[str], console: Console) -> None:
        super().__init__(ids)
        self.console = console

    def done(self, name: str, outcome: Outcome) -> None:
        """Say it."""
        super().done(name, outcome)
        number = self.whole - len(self.waiting)
        found = in_words(evidence(outcome))
        text = f"[{number}/{self.whole}] {printable(name)}: {worst(outcome)}, {outcome.calls:,} calls"
        text += f", {found}" if found else ""
        self.console.print(text, markup=False, soft_wrap=True)


class Bar(Told):
    """A bar with what is being tested, the calls and the strongest evidence so far, and the time left."""

    def __init__(self, ids: list[str], console: Console) -> None:
        super().__init__(ids)
        self._bar = _bar(console)
        self._task = self._bar.add_task("", total=self.whole, calls=0, evidence="", what=self._next())

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def done(self, name: str, outcome: Outcome) -> None:
        """Move on; anything that did not pass is said at once."""
        super().done(name, outcome)
        if worst(outcome) not in ("pass", "nothing found"):
            self._bar.console.print(f"{printable(name)}: {worst(outcome)}", markup=False)
        so_far = in_words(self.evidence, brief=self._bar.console.width < WIDE)
        # painted at once: a quick check would else be over before the next look at the bar
        self._bar.update(self._task, advance=1, calls=self.calls, evidence=so_far, what=self._next(), refresh=True)

    def _next(self) -> str:
        return printable(self.waiting[0])[: 50 if self._bar.console.width >= WIDE else 28] if self.waiting else "done"


def progress(ids: list[str], console: Console, quiet: bool) -> Told:
    """The right kind for this console."""
    if quiet:
        return Told(ids)
    return Bar(ids, console) if console.is_terminal else Lines(ids, console)


def worst(outcome: Outcome) -> str:
    """The worst verdict of a check; a check may find nothing to say."""
    found = {finding.verdict for finding in outcome.findings}
    return next((verdict for verdict in WORST_FIRST if verdict in found), "nothing found")


def evidence(outcome: Outcome) -> float | None:
    """The largest log-wealth of a check's games, as a share of what refutes; None where nothing was bet."""
    shares = []
    for finding in outcome.findings:
        path, limit = finding.witness.get("wealth"), finding.witness.get("limit")
        if path and isinstance(limit, float) and limit > 0:
            shares.append(max(float(path[-1][1]), 0.0) / limit)
    return max(shares, default=None)


def in_words(share: float | None, *, brief: bool = False) -> str:
    """Wealth grows from 1; its logarithm at the limit refutes a claim."""
    if share is None:
        return ""
    if share >= 1:
        return "evidence refutes"
    return f"evidence {share:.0%}" + ("" if brief else " of what refutes")


def _bar(console: Console) -> Progress:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.fields[what]}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[calls]:,} calls", markup=False),
        TextColumn("{task.fields[evidence]}", markup=False),
        TextColumn("left", markup=False),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        expand=True,
    )
