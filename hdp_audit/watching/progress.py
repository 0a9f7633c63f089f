"""What is going on: a bar in a terminal, one line per check in a pipe, nothing when quiet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hdp_audit.audits.check import Check
from hdp_audit.events import Began, Ended, Event, Finished, Retried
from hdp_audit.model.subject import NOT_TRACED
from hdp_audit.reporting.numbers import printable
from hdp_audit.reporting.verdicts import UNEXAMINED, WORDS, worst_state
from hdp_audit.watching.time_left import FIRST, LATER, TimeLeft

if TYPE_CHECKING:
    from rich import progress as bars
    from rich.console import Console

    from hdp_audit.audits.share import Outcome


NOTHING = "nothing found"
UNTOLD = (WORDS["pass"], WORDS[UNEXAMINED], NOTHING)  # beside a bar
AFTER = "once other refuted claims had left it their share of the significance"
WIDE = 110  # columns of a terminal for full sentences
BESIDE = 56  # letters of all else in a line, where there is no bar


class Progress:
    """Listens to a run, and counts its checks and calls; the base says nothing."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.titles: Mapping[str, str] = {}
        self.whole = 0
        self.calls = 0
        self.left = TimeLeft()
        self.evidence: float | None = None  # the largest so far

    def __call__(self, event: Event) -> None:
        """Hear what happens."""
        match event:
            case Began():
                self.waiting, self.whole = list(event.ids), len(event.ids)
                self.titles = event.titles
                self.left.begin(event.stages)
                self.began()
            case Finished():
                self._count(event.work.id, event.outcome)
                if isinstance(event.work, Check):
                    stage = FIRST if event.work.comes_first else LATER
                    self.left.correct(stage, event.outcome.calls - event.work.expected_calls)
                self.finished(self.title(event.work.id), event.outcome)
            case Retried():
                self.retried(self.title(event.work.id), event.outcome)
            case Ended():
                self.ended()

    def title(self, name: str) -> str:
        """What a piece of work is called for people."""
        return self.titles.get(name, name)

    def _count(self, name: str, outcome: Outcome) -> None:
        self.waiting = [waiting for waiting in self.waiting if waiting != name]
        self.calls += outcome.calls
        self.evidence = max((share for share in (self.evidence, evidence(outcome)) if share is not None), default=None)

    def began(self) -> None:
        """The run begins."""

    def finished(self, name: str, outcome: Outcome) -> None:
        """One more check has ended."""

    def retried(self, name: str, outcome: Outcome) -> None:
        """One was run again, at a larger level."""

    def ended(self) -> None:
        """The run is over."""


class Lines(Progress):
    """One line per check."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console

    def finished(self, name: str, outcome: Outcome) -> None:
        """Say it."""
        number = self.whole - len(self.waiting)
        found = in_words(evidence(outcome))
        text = f"[{number}/{self.whole}] {printable(name)}: {_told(outcome)}, {outcome.calls:,} calls"
        text += f", {found}" if found else ""
        self.console.print(text, markup=False, soft_wrap=True)

    def retried(self, name: str, outcome: Outcome) -> None:
        """Say it."""
        self.console.print(f"{printable(name)}: {worst(outcome)} {AFTER}", markup=False, soft_wrap=True)


class Bar(Progress):
    """A bar with what is being tested, the calls and the strongest evidence so far, and the time left."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._bar = _bar(console, self.left)
        self._task: Any = None

    def began(self) -> None:
        """Show the bar."""
        self._task = self._bar.add_task("", total=self.whole, calls=0, evidence="", what=self._next())
        self._bar.start()

    def finished(self, name: str, outcome: Outcome) -> None:
        """Move on; anything that did not pass is said at once."""
        if worst(outcome) not in UNTOLD:
            self._bar.console.print(f"{printable(name)}: {worst(outcome)}", markup=False)
        so_far = in_words(self.evidence, brief=self._bar.console.width < WIDE)
        # painted at once: a quick check would else be over before the next look at the bar
        self._bar.update(self._task, advance=1, calls=self.calls, evidence=so_far, what=self._next(), refresh=True)

    def retried(self, name: str, outcome: Outcome) -> None:
        """Say it."""
        self._bar.console.print(f"{printable(name)}: {worst(outcome)} {AFTER}", markup=False)

    def ended(self) -> None:
        """Take the bar away."""
        self._bar.stop()

    def _next(self) -> str:
        if not self.waiting:
            return "done"
        name, width = printable(self.title(self.waiting[0])), self._bar.console.width
        room = 50 if width >= WIDE else max(width - BESIDE, 12)
        return name if len(name) <= room else f"…{name[1 - room :]}"


def progress(console: Console, quiet: bool) -> Progress:
    """The right kind for this console."""
    if quiet:
        return Progress()
    return Bar(console) if console.is_terminal else Lines(console)


def worst(outcome: Outcome) -> str:
    """The worst that a check found, in the words of the report; a check may find nothing to say."""
    found = worst_state(outcome.findings)
    return NOTHING if found is None else WORDS[found]


def _told(outcome: Outcome) -> str:
    """The worst verdict; of draws that were not followed, why."""
    why = outcome.details.get(NOT_TRACED) if not outcome.findings else None
    return f"not traced: {printable(str(why))}" if why else worst(outcome)


def evidence(outcome: Outcome) -> float | None:
    """The largest log-wealth of a check's games, as a share of what refutes; None where nothing was bet."""
    shares = []
    for finding in outcome.findings:
        path, limit = finding.witness.get("wealth"), finding.witness.get("limit")
        if path and isinstance(limit, float) and limit > 0:
            shares.append(max(0.0, float(path[-1][1])) / limit)
    return max(shares, default=None)


def in_words(share: float | None, *, brief: bool = False) -> str:
    """Wealth grows from 1; its logarithm at the limit refutes a claim."""
    if share is None:
        return ""
    if share >= 1:
        return "evidence refutes"
    return f"evidence {share:.0%}" + ("" if brief else " of what refutes")


def _bar(console: Console, left: TimeLeft) -> bars.Progress:
    from rich import progress as bars
    from rich.text import Text

    class _LeftColumn(bars.ProgressColumn):
        """Asked again and again while checks run, which may take long."""

        def render(self, _task: object) -> Text:
            return Text(left.words())

    return bars.Progress(
        bars.TextColumn("{task.fields[what]}", markup=False),
        *([bars.BarColumn(bar_width=None)] if console.width >= WIDE else []),  # else numbers would break
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[calls]:,} calls", markup=False),
        bars.TextColumn("{task.fields[evidence]}", markup=False),
        _LeftColumn(),
        console=console,
        transient=True,
        expand=True,
    )
