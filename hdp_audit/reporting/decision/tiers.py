"""Per tier, by its name: users, the promise in words, what was found, what would have been found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.reporting.decision.words import loss_words, promise_words, times
from hdp_audit.reporting.titles import tier_title, title, user_title
from hdp_audit.reporting.verdicts import WORDS, detected, is_alone

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding, Verdict
    from hdp_audit.model.subject import SubjectSummary
    from hdp_audit.model.telling import TierSummary

NOTHING_FOUND = "No violation was found."
MOST_ROWS = 60


@dataclass(frozen=True)
class Row:
    """One tier, one user who was named, or one pair of datasets. `verdict` is None where nothing was examined."""

    name: str
    users: str
    promise: str
    found: str
    would: str
    verdict: Verdict | None = None
    anchor: str = ""


def rows(subject: SubjectSummary, findings: list[Finding], anchors: dict[str, str]) -> list[Row]:
    """Every tier, then users whom attacks named, then pairs that were given; nothing without a privacy claim."""
    by_label = {finding.label: finding for finding in findings}
    told = [_tier(subject, tier, by_label.get(tier.finding), findings, anchors) for tier in subject.tiers]
    others = [f for f in findings if f.kind == "privacy" and f.scope in ("user", "pair") and f.examined]
    return [*told, *(_other(subject, finding, anchors) for finding in others)]


COUNTED = "Users who are named by a number are counted from 0, in the order of the demands."


def names_by_number(findings: Iterable[Finding]) -> bool:
    """Whether a counterexample names users, so that it must be said from where they are counted."""
    return any(finding.verdict == "fail" and finding.users for finding in findings)


def _tier(
    subject: SubjectSummary, tier: TierSummary, finding: Finding | None, every: list[Finding], anchors: dict[str, str]
) -> Row:
    if finding is None or math.isinf(tier.largest):
        verdict, found, would = _without(tier, every, crowd="crowd" in subject.looked_at)
    else:
        verdict, found, would = finding.verdict, found_words(subject, finding), would_words(subject, finding)
    if finding is not None and not finding.examined:
        verdict = None
    anchor = anchors.get(finding.id, "") if finding is not None else ""
    name = tier_title(tier, subject.promise.symbol)
    return Row(name, f"{tier.users:,}", promise_words(tier, subject.neighbours), found, would, verdict, anchor)


def _without(tier: TierSummary, every: list[Finding], *, crowd: bool) -> tuple[Verdict | None, str, str]:
    """A tier without a finding of its own: what findings about everybody say."""
    if math.isinf(tier.largest):
        return None, "Not examined: nothing was promised.", "–"
    if any(f.scope == "pair" and f.kind == "privacy" for f in every):
        return None, "Only the pairs of data below were examined.", "See the lines below."
    traced = [f for f in every if f.evidence == "traced" and f.kind == "privacy"]
    if traced and all(f.verdict == "pass" for f in traced):
        return "pass", "Kept, by calculation, on all pairs of data that were tried.", "Any larger loss on these pairs."
    together = next((f for f in every if f.kind == "privacy" and f.scope == "mechanism" and crowd), None)
    if together is not None:
        return together.verdict, f"Of everybody together: {WORDS[together.verdict]}.", "See the claims below."
    return None, "Not examined.", "–"


def _other(subject: SubjectSummary, finding: Finding, anchors: dict[str, str]) -> Row:
    alone = is_alone(finding)
    name = f"user {user_title(finding.users[0], subject.ids)}" if alone else title(finding, subject)
    promise = "–" if finding.claimed is None else loss_words(finding.claimed, *_promise(subject))
    users = "1" if alone else f"{_together(finding):,}" if finding.scope == "user" and _together(finding) else "–"
    told = found_words(subject, finding), would_words(subject, finding)
    return Row(name, users, promise, *told, finding.verdict, anchors.get(finding.id, ""))


def found_words(subject: SubjectSummary, finding: Finding) -> str:
    """What the examination came to."""
    match finding.verdict:
        case "fail":
            return _broken(subject, finding)
        case "pass" if not finding.examined and finding.evidence != "proved":
            return "Not examined: the promise is too weak for so few calls to show that it is broken."
        case "pass":
            return {"tested": NOTHING_FOUND, "traced": "Kept, by calculation.", "proved": "Kept, by a proof."}[
                finding.evidence
            ]
        case "error":
            return "Not examined: calls failed."
        case _:
            return "Undecided."


def _broken(subject: SubjectSummary, finding: Finding) -> str:
    """How much is lost at least, beside what was promised."""
    if finding.lower is None:
        return "Broken."
    least = loss_words(finding.lower.value, *_promise(subject))
    each = _who(finding)
    if finding.scope == "pair":
        each = "the outputs tell the two apart by"
    asked = "" if finding.claimed is None else f", where {loss_words(finding.claimed, *_promise(subject))} was promised"
    return f"Broken: {each} at least {least}{asked}."


def _who(finding: Finding) -> str:
    """Whose loss it is: of users who were tried together it is the average."""
    tried = _together(finding)
    if is_alone(finding):
        return "this user loses"
    if tried == 1:
        return "one user, who was tried alone, loses"
    return f"on average, {f'{tried:,} users who were tried together' if tried else 'users who were tried'} lose"


def _together(finding: Finding) -> int:
    """How many users a counterexample moves."""
    return 0 if finding.counterexample is None else len(finding.counterexample.users)


def would_words(subject: SubjectSummary, finding: Finding) -> str:
    """From which loss on a violation would have been found in 8 of 10 such audits."""
    power = detected(finding)
    if finding.verdict == "fail" or power is None:
        return "–"
    if math.isinf(power):
        return "Nothing: no violation would have been found."
    factor = times(power, finding.claimed)
    told = loss_words(power, *_promise(subject))
    return f"A loss from {told} on{f', {factor}' if factor else ''}, in 8 of 10 such audits."


def _promise(subject: SubjectSummary) -> tuple[str, str]:
    return subject.promise.kind, subject.promise.symbol
