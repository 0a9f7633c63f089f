"""One paragraph: what was promised to whom, what was found, go or no-go, and on what that rests."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.model.statements import QUESTIONS
from hdp_audit.reporting.decision.words import at_most, guessed
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.parts import ARITHMETIC, LEAK, parts, parts_words, warned
from hdp_audit.reporting.titles import tier_title
from hdp_audit.reporting.verdicts import failures_waived, named, shown, waived, without_errors, worst_first

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
    from hdp_audit.model.subject import SubjectSummary
    from hdp_audit.model.telling import TierSummary


@dataclass(frozen=True)
class Decision:
    """The word, and the paragraph that says why."""

    word: str
    paragraph: str


def decision(report: AuditReport, today: dt.date | None = None) -> Decision:
    """Everything in it comes from the run; what the owner states is not part of it."""
    word = decided(report, today)
    told = [_promised(report), _found(report, today), f"{word}: {_rests(report, word)}", _next(report, word)]
    return Decision(word, " ".join(told))


def decided(report: AuditReport, today: dt.date | None = None) -> str:
    """Go only where every claim passed; a waiver is somebody's decision, and says so."""
    if not any(subject.audited for subject in report.subjects):
        return NO_DECISION
    if report.verdict == "error":
        found = decided(without_errors(report), today) if failures_waived(report, today) else NO_DECISION
        return ACCEPTED if found.startswith(GO) else found
    if report.verdict == "fail":
        fails = [finding for finding in report.findings if finding.verdict == "fail"]
        return NO_GO if not all(waived(finding, today) for finding in fails) else UNLESS
    if report.verdict == "inconclusive":
        return NO_DECISION
    return f"{GO}, with a warning" if warned(report) else GO


GO, NO_GO, NO_DECISION = "Go, as far as this audit reaches", "No-go", "No decision"
ACCEPTED = f"{GO}, if those who answer for it accept that calls fail"
UNLESS = "No-go, unless those who answer for it accept the waivers"


def _promised(report: AuditReport) -> str:
    if len(report.subjects) != 1:
        return f"{len(report.subjects)} mechanisms were examined, each with promises to users of its own."
    subject = report.subjects[0]
    name, users = named(subject.name, 120), subject.demands.users
    whose = "1 user" if users == 1 else f"{users:,} users"
    told = f"The program {name} computes with the data of {whose}"
    if subject.demands.public:
        told += f", {subject.demands.public:,} of them public, to whom nothing was promised"
    finite = [tier for tier in subject.tiers if math.isfinite(tier.largest)]
    if not finite:
        return f"{told}; no privacy was promised that could be examined."
    return f"{told}. {_strongest_and_weakest(subject, finite)}"


def _strongest_and_weakest(subject: SubjectSummary, tiers: list[TierSummary]) -> str:
    symbol = subject.promise.symbol
    strong, weak = min(tiers, key=lambda tier: tier.right), max(tiers, key=lambda tier: tier.right)
    others = " of the others" if subject.demands.public else ""
    told = (
        f"Each{others} was promised a limit on what its outputs may tell about them: asked "
        f"{guessed(subject.neighbours)}, nobody who sees an output is right in more than "
        f"{at_most(weak.right)} of cases, where a blind guess is right in 50%"
    )
    if strong is weak or strong.right == weak.right:
        return f"{told}."
    return (
        f"{told}. This is the weakest of {len(tiers)} promises, made to the tier {tier_title(weak, symbol)}; the "
        f"strongest, made to the tier {tier_title(strong, symbol)}, allows {at_most(strong.right)}."
    )


def _found(report: AuditReport, today: dt.date | None) -> str:
    bad = [finding for finding in report.findings if finding.verdict == "fail"]
    if bad:
        first = min(worst_first(bad), key=lambda finding: waived(finding, today))
        held = sum(waived(finding, today) for finding in bad)
        waivers = "" if not held else f" ({held} of them waived by the owner)" if held < len(bad) else " (waived)"
        return f"{_broken(bad)}{waivers}. For example: {shown(first.message, 300)}."
    if not report.findings or not any(subject.audited for subject in report.subjects):
        return "Nothing could be examined."
    if failures_waived(report, today):
        return f"Calls of the program failed (waived by the owner). {_found(without_errors(report), today)}"
    if report.verdict == "error":
        return "The examination could not be finished: calls of the program failed."
    if report.verdict == "inconclusive":
        open_claims = parts(report.findings, "inconclusive")
        return f"Nothing was found broken, but {parts_words(open_claims)} could not be decided."
    return f"No claim was found broken but one: {LEAK}." if warned(report) else "No claim was found broken."


def _broken(bad: list[Finding]) -> str:
    """How many claims about what; several may have one cause."""
    found = parts(bad, "fail")
    if len(bad) == 1:
        return f"One claim about {next(iter(found))} is broken"
    if len(found) == 1:
        return f"{len(bad):,} claims about {next(iter(found))} are broken, which may have one cause"
    return f"{len(bad):,} claims are broken, which may have one cause: {parts_words(found)}"


def _rests(report: AuditReport, word: str) -> str:
    """On what the word rests; of a pass, on what it would have found."""
    odds = f"{short(1.0 - report.confidence)}"
    if word in (NO_GO, UNLESS):
        return (
            "this rests on counted outputs or on calculation, and anybody can repeat it; were all claims true, a "
            f"report with any such finding would come with probability {odds} at most."
        )
    if word == NO_DECISION:
        return "the lines below say what is missing; nothing that was not examined counts as kept."
    warning = f" The warning: {ARITHMETIC}; the spec asks for no more than that." if warned(report) else ""
    return f"{_power(report)}{warning} What the owner states, and what nobody has looked at, is listed below."


def _next(report: AuditReport, word: str) -> str:
    """Who has to do what."""
    if word in (NO_GO, UNLESS):
        accepted = "" if word == NO_GO else ", unless those who answer for it accept the waivers"
        return f"Next: before it publishes anything the program, or its claim, is mended and audited again{accepted}."
    if word == NO_DECISION:
        return "Next: whoever runs the audit supplies what is missing, such as more calls, and runs it again."
    asked = sum(not report.identity.answer(topic) for topic in QUESTIONS)
    warning = ", and decides whether the leak that the warning is about may stay" if warned(report) else ""
    if not asked:
        return f"Next: whoever decides judges the owner's statements below, which nobody examined{warning}."
    questions = "the one question" if asked == 1 else f"the {asked} questions"
    return f"Next: the owner answers {questions} below that nobody has answered{warning}."


def _power(report: AuditReport) -> str:
    tested = [f for f in report.findings if f.kind == "privacy" and f.evidence == "tested" and f.examined]
    factors = [f.detectable / f.claimed for f in tested if f.claimed and f.detectable and math.isfinite(f.detectable)]
    if factors:
        return (
            f"this rests on {report.calls:,} calls of the program with chosen data, which would have found, in 8 of 10 "
            f"such audits, a loss of {short(max(factors))} times the promise in any tier tried, of the kind "
            "described under “How far this reaches”. It is a test, no "
            "proof: smaller violations may remain."
        )
    if any(f.evidence == "traced" for f in report.findings):
        return "this rests on a calculation from the program's own draws, on the pairs of data that were tried."
    if tested:
        return f"this rests on {report.calls:,} calls of the program with chosen data. It is a test, no proof."
    return "this rests on what the list below says was examined; privacy is not among it."
