"""The bar of a notebook: what it shows, that it moves within a check, and that nothing else shows one."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from hdp_audit import audit
from hdp_audit.audits.share import Outcome
from hdp_audit.events import Began, Ended, Finished
from hdp_audit.model import AuditReport, Finding
from hdp_audit.targets.made import count
from hdp_audit.watching.notebook import NotebookBar


@dataclass(frozen=True)
class Named:
    id: str


@dataclass
class Cell:
    """Keeps what was shown, and says when there is something new."""

    seen: list[dict[str, str]] = field(default_factory=list)
    new: threading.Event = field(default_factory=threading.Event)

    def __call__(self, shown: dict[str, str]) -> None:
        self.seen.append(shown)
        self.new.set()

    @property
    def last(self) -> dict[str, str]:
        return self.seen[-1]


def failed(name: str) -> Outcome:
    facts = {"wealth": [[100, 4.0]], "limit": 8.0}
    return Outcome((Finding(f"{name}/0", "m", "privacy", "fail", "tested", "", facts=facts),), calls=1_200)


def test_a_bar_says_what_is_done_what_did_not_pass_and_what_comes_next() -> None:
    cell = Cell()
    bar = NotebookBar(cell, pause=60.0)
    bar(Began(("m/behaviour", "m/<tier>")))
    assert cell.last["text/plain"] == "0 of 2 checks · 0 calls · m/behaviour"
    assert '<progress max="2" value="0">' in cell.last["text/html"]
    bar(Finished(Named("m/behaviour"), failed("m")))
    assert cell.last["text/plain"].splitlines() == [
        "1 of 2 checks · 1,200 calls · evidence 50% · m/<tier>",
        "m/behaviour: refuted",
    ]
    assert "m/&lt;tier&gt;<br>m/behaviour: refuted" in cell.last["text/html"]
    bar(Ended())
    assert "progress" not in cell.last["text/html"]
    assert cell.last["text/plain"].startswith("1 of 2 checks · 1,200 calls · evidence 50%\n")


def test_it_counts_calls_while_a_check_goes_on() -> None:
    cell = Cell()
    bar = NotebookBar(cell, pause=0.001)
    bar(Began(("m/slow",)))
    count(77)
    for _ in range(1_000):
        cell.new.wait(5.0)
        cell.new.clear()
        if "77 calls" in cell.last["text/plain"]:
            break
    bar(Ended())
    assert "77 calls" in cell.last["text/plain"]
    assert "hdp-audit progress" not in {thread.name for thread in threading.enumerate()}


def half(data: Any, epsilon: Any, rng: Any) -> float:
    return 0.5


def audited(**more: Any) -> AuditReport:
    return audit(half, epsilon=[1.0] * 5, task="mean", budget=50, inert="allow", **more)


def notebook(monkeypatch: pytest.MonkeyPatch, kernel: object) -> list[dict[str, str]]:
    """An IPython, with a kernel in notebooks, and what it was told to show."""
    shown: list[dict[str, str]] = []
    handle = SimpleNamespace(update=lambda data, raw: shown.append(data))  # noqa: ARG005
    top, display = ModuleType("IPython"), ModuleType("IPython.display")
    top.get_ipython = lambda: SimpleNamespace(kernel=kernel)  # type: ignore[attr-defined]
    display.display = lambda *_, **__: handle  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", top)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_an_audit_in_a_notebook_shows_a_bar_unless_it_was_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = notebook(monkeypatch, kernel=object())
    audited()
    assert len(shown) >= 3  # begun, a check done, ended
    checks = shown[0]["text/plain"].split(" checks")[0].removeprefix("0 of ")
    assert shown[-1]["text/plain"].startswith(f"{checks} of {checks} checks")
    del shown[:]
    audited(progress=False)
    assert shown == []


def test_elsewhere_nothing_is_said_unless_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = notebook(monkeypatch, kernel=None)  # a terminal's IPython
    audited()
    assert (shown, *capsys.readouterr()) == ([], "", "")
    audited(progress=True)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("[1/")
