"""What is said while a run goes on."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from rich.console import Console

from hdp_audit.audits.share import Outcome
from hdp_audit.events import Began, Finished
from hdp_audit.model import Finding
from hdp_audit.watching.progress import Bar, Progress, in_words


@dataclass(frozen=True)
class Named:
    id: str


def outcome(*paths: list[list[float]]) -> Outcome:
    """Checks whose games had these paths of log-wealth, with a limit of 8."""
    told = [{"wealth": path, "limit": 8.0} for path in paths]
    return Outcome(
        tuple(Finding(f"m/privacy/{i}", "m", "privacy", "fail", "tested", "", facts=w) for i, w in enumerate(told))
    )


def test_evidence_so_far_is_the_largest_log_wealth_as_a_share_of_what_refutes() -> None:
    told, words = Progress(), []
    told(Began(("a", "b", "c", "d")))
    for name, done in (
        ("a", Outcome(())),
        ("b", outcome([[100, 3.0], [200, 2.0]], [[100, -1.0]])),  # the wealth at the end counts
        ("c", outcome([[100, 1.0]])),
        ("d", outcome([[100, 9.0]])),
    ):
        told(Finished(Named(name), done))
        words.append(in_words(told.evidence))
    assert words == ["", "evidence 25% of what refutes", "evidence 25% of what refutes", "evidence refutes"]


def test_at_72_columns_the_bar_is_one_line_and_no_number_breaks() -> None:
    console = Console(file=StringIO(), force_terminal=True, width=72, legacy_windows=False)
    bar, name = Bar(console), "private_mean/privacy/single-calls"
    bar.left.words = lambda: "about 118 min left"  # type: ignore[method-assign]
    bar(Began((name, *"abcdefghijk")))
    bar.calls, bar.evidence = 12_345_678, 1.5
    bar.finished("a", outcome([[100, 9.0]]))
    bar.ended()
    assert "single-calls" in console.file.getvalue()  # type: ignore[attr-defined]
    for part in ("12,345,678 calls", "evidence refutes", "about 118 min left"):
        assert part in console.file.getvalue()  # type: ignore[attr-defined]
