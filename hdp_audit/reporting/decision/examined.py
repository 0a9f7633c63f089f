"""The lines of the checklist that the run itself fills; a topic that no check looked at says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hdp_audit.reporting.decision.accuracy import accuracy_words
from hdp_audit.reporting.meaning import RELATIONS, promised
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.parts import ARITHMETIC, LEAK
from hdp_audit.reporting.titles import ABOUT_DEMANDS
from hdp_audit.reporting.verdicts import is_named, leaks, tally, worst

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport

Told = tuple[str, str, str]  # topic, state, words
MOST_ERRORS = 4
LARGE = 0.75  # a share of right guesses above which a promise is called weak


def examined_lines(report: AuditReport) -> Iterator[Told]:
    """Facts about the promises, then every topic, whether it was looked at or not."""
    yield "Who counts as a neighbour", "fact", _relations(report)
    yield from _sizes(report)
    for topic, about, chosen, absent in TOPICS:
        yield _topic(report, topic, about, chosen, absent)


def _topic(report: AuditReport, topic: str, about: str, chosen: Callable[[Finding], bool], absent: str) -> Told:
    """By the findings; where there are none, by what checks were done."""
    findings = [finding for finding in report.findings if chosen(finding)]
    looked = any(about in subject.looked_at for subject in report.subjects)
    if any(leaks(finding) for finding in findings):
        return topic, "broken", f"Broken: {LEAK} ({ARITHMETIC}). The spec asks for no more than a warning."
    if findings:
        return topic, _state(findings), " ".join([f"{tally(findings)}.", *_errors(report, findings)])
    failed = any(finding.verdict == "error" for finding in report.findings)
    if looked and about in QUIET and not failed:
        return topic, "tested", QUIET[about]
    return topic, "uncovered", absent


def _errors(report: AuditReport, findings: list[Finding]) -> list[str]:
    """Errors in the user's units, of a mechanism or two."""
    named = {subject.name: subject for subject in report.subjects}
    told = [accuracy_words(named[f.subject], f) for f in findings if f.subject in named]
    return [words for words in told if words][:MOST_ERRORS]


def _state(findings: list[Finding]) -> str:
    match worst(findings):
        case "fail":
            return "broken"
        case "pass":
            kinds = {finding.evidence for finding in findings}
            return "tested" if "tested" in kinds else "traced" if "traced" in kinds else "proved"
        case _:
            return "open"


def _private(finding: Finding) -> bool:
    return finding.kind == "privacy" and finding.facts.get("about") != ABOUT_DEMANDS


TOPICS: tuple[tuple[str, str, Callable[[Finding], bool], str], ...] = (
    (
        "Loss of every tier or pair of data",
        "tiers",
        lambda f: _private(f) and f.examined and f.evidence == "tested" and not is_named(f),
        "No calls were spent on it.",
    ),
    (
        "Single users who lose more than others",
        "users",
        lambda f: _private(f) and is_named(f),
        "Nobody was tried alone.",
    ),
    (
        "Loss calculated from the program's draws",
        "trace",
        lambda f: _private(f) and f.evidence == "traced",
        "Not calculated: the draws could not be followed, or it was not asked for.",
    ),
    (
        "Loss by a proof",
        "proof",
        lambda f: _private(f) and f.evidence == "proved" and f.examined,
        "No loss was proved: that is possible for the reference mechanisms alone.",
    ),
    (
        "Lowest bits of the outputs",
        "bits",
        lambda f: f.kind == "float" and f.examined,
        "The arithmetic was not examined.",
    ),
    (
        "Calls that fail, repeat noise or remember",
        "behaviour",
        lambda f: f.kind == "behaviour",
        "Calls were taken to be independent; that was not examined.",
    ),
    (
        "Whether outputs tell what somebody demands",
        "demands",
        lambda f: f.facts.get("about") == ABOUT_DEMANDS,
        "Demands were taken to be public.",
    ),
    ("Error", "accuracy", lambda f: f.kind == "accuracy", "No accuracy was claimed, and none was measured."),
    (
        "Error against what is possible at all",
        "optimality",
        lambda f: f.kind == "optimality",
        "Not compared with lower bounds.",
    ),
    ("Statements behind the method", "proof", lambda f: f.kind == "proof", "Not checked in this run."),
)
QUIET = {
    "users": "Everybody had a coin of their own, or shared one with users of like demand; nobody stood out.",
    "behaviour": "Outputs were valid, and no dependence between calls was found.",
}


def _relations(report: AuditReport) -> str:
    found = dict.fromkeys(subject.neighbours for subject in report.subjects)
    told, other = "; ".join(RELATIONS.get(name, name) for name in found), promised(report)
    if other and len(other) == len(report.subjects):  # each of them names its relation
        return " ".join(other)
    return " ".join([f"{told[:1].upper()}{told[1:]}.", *other]) if told else "Nothing was audited."


def _sizes(report: AuditReport) -> Iterator[Told]:
    """How weak the weakest promises are; a δ is compared with one user of all."""
    weak = [tier for subject in report.subjects for tier in subject.tiers if math.isfinite(tier.largest)]
    if not weak:
        return
    users = sum(tier.users for tier in weak if tier.right > LARGE)
    words = (
        f"{users:,} of {sum(tier.users for tier in weak):,} promises allow more than {LARGE:.0%} right guesses of two "
        "data: whether that is small enough is for the owner to justify."
        if users
        else f"No promise allows more than {LARGE:.0%} right guesses of two data."
    )
    yield "Size of the promises", "fact", words
    for subject in report.subjects:
        delta = subject.promise.delta
        if delta is not None and subject.demands.users:
            times = delta * subject.demands.users
            verdict = "below" if times < 1 else "not below"
            yield "Size of δ", "fact", f"The largest δ is {short(delta)}, {verdict} one divided by the number of users."
            return
