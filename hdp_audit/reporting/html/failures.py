"""A counterexample as a person checks it: both datasets, the event, the counts, and how to run it again."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.reporting import evidence
from hdp_audit.reporting.html.canvas import WIDTH
from hdp_audit.reporting.html.tables import pairs
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.parts import beside
from hdp_audit.reporting.svg import box, picture, pole, text
from hdp_audit.reporting.titles import subject_of, title, users_by_id
from hdp_audit.reporting.verdicts import export_line, lines_of, named, replay_line, shown, unrepeated, waiver_state

if TYPE_CHECKING:
    from hdp_audit.model.counterexample import Counterexample
    from hdp_audit.model.finding import Finding, Verdict
    from hdp_audit.model.report import AuditReport

DRAWN = (*evidence.DRAWN, "input", "output")  # facts that are told elsewhere on the page


@dataclass(frozen=True)
class FailureView:
    """One finding that did not pass."""

    anchor: str
    subject: str
    label: str
    verdict: Verdict
    message: tuple[str, ...]
    beside: str
    waiver: str
    boxes: tuple[tuple[str, str], ...]
    wide: tuple[tuple[str, str], ...]
    guesses: GuessView | None
    facts: tuple[tuple[str, str], ...]
    replay: str
    repeats: bool
    export: str


@dataclass(frozen=True)
class GuessView:
    """How often the dataset was guessed, and how often the promise allows it; shares are per cent."""

    right: str
    made: str
    share: float
    allowing: str
    allowed: float
    svg: str


def failure_view(report: AuditReport, finding: Finding, anchor: str, today: dt.date | None) -> FailureView:
    """Everything that the page says about a finding that did not pass."""
    found = finding.counterexample
    return FailureView(
        anchor=anchor,
        subject=named(finding.subject, 200),
        label=title(finding, subject_of(report, finding)),
        verdict=finding.verdict,
        message=tuple(lines_of(finding.message)),
        beside=beside(report, finding),
        waiver=waiver_words(finding, today),
        boxes=tuple(_boxes(finding)),
        wide=() if found is None else tuple(_wide(report, finding, found)),
        guesses=None if found is None or not found.guesses.made else _guesses(found),
        facts=tuple(_facts(finding)),
        replay=replay_line(report, finding),
        repeats=not unrepeated(report, finding.subject),
        export=export_line(report, finding),
    )


def waiver_words(finding: Finding, today: dt.date | None) -> str:
    """Empty without a waiver."""
    if finding.waiver is None:
        return ""
    return f"{waiver_state(finding, today)}: {shown(finding.waiver.reason, 500)}"


def _boxes(finding: Finding) -> list[tuple[str, str]]:
    """The two datasets of a counterexample, or what went in and came out."""
    if finding.traced is not None:
        told = {title.capitalize(): words for title, words in evidence.traced_lines(finding.traced)}
    elif (found := finding.counterexample) is not None:
        told = {"First dataset": found.first, "Second dataset": found.second}
    else:
        known = {title: finding.facts.get(title.lower(), "") for title in ("Input", "Output")}
        told = {title: "nothing" if value is None else str(value) for title, value in known.items()}
    return [(title, shown(words, 600)) for title, words in told.items() if words]


def _wide(report: AuditReport, finding: Finding, found: Counterexample) -> list[tuple[str, str]]:
    """Who differs between them, and what to look for in the output."""
    who, subject = evidence.moved_title(found).capitalize(), subject_of(report, finding)
    by_id = users_by_id(found.users, {} if subject is None else subject.ids)
    words = f"{by_id} (positions: {evidence.moved_words(found)})" if by_id else evidence.moved_words(found)
    told = {f"{who}: the two datasets differ in nobody else": words, "The event": found.event}
    return [(title, shown(words, evidence.LONGEST)) for title, words in told.items() if words]


def _guesses(found: Counterexample) -> GuessView:
    right, made = found.guesses.right, found.guesses.made
    share = right / made
    return GuessView(
        f"{right:,}",
        f"{made:,}",
        100.0 * share,
        evidence.allowing(found),
        100.0 * found.allowed,
        _guesses_picture(share, found),
    )


def _guesses_picture(share: float, found: Counterexample) -> str:
    """The share of right guesses as a filled part of a track, with a mark at what is allowed."""
    allowed = WIDTH * found.allowed
    parts = [
        box(0, 12, WIDTH, 14, "track", round_by=3),
        box(0, 12, WIDTH * share, 14, "share", round_by=3),
        pole(allowed, 6, 32, "claim"),
        text(min(max(allowed, 60.0), WIDTH - 60.0), 42, f"allowed {found.allowed:.2%}", anchor="middle"),
    ]
    return picture(WIDTH, 44, "Right guesses", parts)


def _facts(finding: Finding) -> list[tuple[str, str]]:
    facts = evidence.others_told(finding)
    if (found := finding.counterexample) is not None:
        facts += [("base dataset", shown(found.base, 300)), *evidence.repeated_lines(found)]
    if finding.claimed is not None:
        facts.append(("claimed at most", short(finding.claimed)))
    for name, bound in (("at least", finding.lower), ("at most", finding.upper)):
        if bound is not None:
            sure = "a theorem" if bound.confidence is None else f"confidence {bound.confidence:g}"
            sure = "by its draws" if finding.evidence == "traced" else sure
            facts.append((name, f"{short(bound.value)} ({shown(bound.method, 80)}, {sure})"))
    if finding.calls:
        facts.append(("calls", f"{finding.calls:,}"))
    return facts + pairs(evidence.facts_told(finding, DRAWN), (), 20)
