"""A counterexample as a person checks it: both datasets, the event, the counts, and how to run it again."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hdp_audit.render.html.accuracy import number
from hdp_audit.render.html.tables import pairs, users_words
from hdp_audit.render.numbers import short
from hdp_audit.render.verdicts import in_words, label, lines_of, replay_line, shown, waived

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding, Verdict
    from hdp_audit.model.report import AuditReport

TOLD = (
    "base",
    "users",
    "first",
    "second",
    "input",
    "output",
    "event",
    "right",
    "guesses",
    "allowed",
    "wealth",
    "limit",
)
BOXES = (("First dataset", "first"), ("Second dataset", "second"), ("Input", "input"), ("Output", "output"))


@dataclass(frozen=True)
class CaseView:
    """One finding that did not pass."""

    anchor: str
    subject: str
    label: str
    verdict: Verdict
    message: tuple[str, ...]
    waiver: str
    datasets: tuple[tuple[str, str], ...]
    event: str
    guesses: GuessView | None
    facts: tuple[tuple[str, str], ...]
    replay: str


@dataclass(frozen=True)
class GuessView:
    """How often the coin was guessed, and how often the promise allows it; shares are per cent."""

    right: str
    made: str
    share: float
    allowed: float | None


def case_view(report: AuditReport, finding: Finding, anchor: str, today: dt.date | None) -> CaseView:
    """Everything that the page says about a finding that did not pass."""
    return CaseView(
        anchor=anchor,
        subject=shown(finding.subject, 200),
        label=label(finding),
        verdict=finding.verdict,
        message=tuple(lines_of(finding.message)),
        waiver=waiver_words(finding, today),
        datasets=tuple(_datasets(finding.witness)),
        event=shown(str(finding.witness.get("event", "")), 1500),
        guesses=_guesses(finding.witness),
        facts=tuple(_facts(finding)),
        replay=replay_line(report, finding),
    )


def waiver_words(finding: Finding, today: dt.date | None) -> str:
    """Empty without a waiver."""
    if finding.waiver is None:
        return ""
    state = "waived until" if waived(finding, today) else "waiver expired on"
    return f"{state} {finding.waiver.until.isoformat()}: {shown(finding.waiver.reason, 500)}"


def _datasets(witness: dict[str, Any]) -> list[tuple[str, str]]:
    base = shown(str(witness.get("base", "")), 300)
    found = []
    for title, key in BOXES:
        if (words := in_words(witness, key)) != "":
            found.append((title, shown(words, 600)))
    if base and not found:
        found.append(("Both datasets", f"base “{base}”; they differ in the data of the users named below"))
    return found


def _guesses(witness: dict[str, Any]) -> GuessView | None:
    right, made = number(witness.get("right")), number(witness.get("guesses"))
    if right is None or made is None or made <= 0:
        return None
    allowed = number(witness.get("allowed"))
    if allowed is not None and allowed > 1:  # a count, not a share
        allowed /= made
    share = 100.0 * min(right / made, 1.0)
    return GuessView(f"{right:,.0f}", f"{made:,.0f}", share, None if allowed is None else 100.0 * allowed)


def _facts(finding: Finding) -> list[tuple[str, str]]:
    facts = []
    if finding.users:
        many = f"{len(finding.users):,} users: " if len(finding.users) > 1 else ""
        facts.append(("users", many + users_words(finding.users)))
    if finding.witness.get("base"):
        facts.append(("base dataset", shown(str(finding.witness["base"]), 300)))
    if finding.claimed is not None:
        facts.append(("claimed at most", short(finding.claimed)))
    for name, bound in (("at least", finding.lower), ("at most", finding.upper)):
        if bound is not None:
            sure = "a theorem" if bound.confidence is None else f"confidence {bound.confidence:g}"
            facts.append((name, f"{short(bound.value)} ({shown(bound.method, 80)}, {sure})"))
    if finding.calls:
        facts.append(("calls", f"{finding.calls:,}"))
    return facts + pairs(finding.witness, TOLD, 20)
