"""What a verdict says and does not say, and what no audit of this kind has looked at: sentences for every renderer."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from hdp_audit.reporting.evidence import rarest_words
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.parts import (
    ARITHMETIC,
    PARTS,
    arithmetic_words,
    formula_words,
    only_arithmetic,
    parts,
    parts_words,
    warned,
)
from hdp_audit.reporting.verdicts import (
    OTHER_NUMBERS,
    WORDS,
    failures_waived,
    tally,
    unrepeated,
    waived,
    without_errors,
)

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
from hdp_audit.model.subject import ASSUMED

DETECTED = "smallest violation detected (80% power)"


def verdict_words(report: AuditReport) -> str:
    """`passed`, or `refuted: the arithmetic`: the verdict, and of what where something was refuted."""
    refuted = parts(report.findings, "fail")
    return f"{WORDS[report.verdict]}: {', '.join(refuted)}" if refuted else WORDS[report.verdict]


def headline(report: AuditReport, today: dt.date | None = None) -> str:
    """One or two sentences under the verdict."""
    if _nothing_audited(report):
        return "Nothing was audited."
    match report.verdict:
        case "fail":
            return _refuted(report, today)
        case "error":
            if not failures_waived(report, today):
                return "Not everything could be audited: the mechanism failed, or a check ended early."
            rest = without_errors(report)
            return f"Calls failed, which is waived at present; they counted as outcomes. {headline(rest, today)}"
        case "inconclusive":
            open_claims = parts(report.findings, "inconclusive")
            return (
                "Nothing was refuted, but the audit had too little power to decide "
                f"{_count(sum(open_claims.values()), 'claim')}: {parts_words(open_claims)}."
            )
        case _:
            kept = f"No claim was refuted, and the audit had the power that was asked for ({tally(report.findings)})."
            return f"{kept} Warning (the spec asks for no more than that): {ARITHMETIC}." if warned(report) else kept


def _nothing_audited(report: AuditReport) -> bool:
    """No finding at all, or nothing promised of any subject that could be audited."""
    return not report.findings or not any(subject.audited for subject in report.subjects)


TRACED = (
    "Findings marked “traced” are calculated from the draws that the mechanism makes, on the pairs of datasets tried: "
    "chance has no part in them. They rest on numpy's laws, and on what holds on the draws tried."
)


def _refuted(report: AuditReport, today: dt.date | None) -> str:
    """What was refuted, formula and arithmetic apart, and what is known of the one that was not."""
    failing = [finding for finding in report.findings if finding.verdict == "fail"]
    counted, found = f"{_count(len(failing), 'claim')} refuted", parts(failing, "fail")
    if all(waived(finding, today) for finding in failing):
        counted += ", all of them waived at present"
    leaking = {finding.subject for finding in failing if finding.kind == "float"}
    if only_arithmetic(report):
        return f"{counted}, about the arithmetic alone: {ARITHMETIC}. {formula_words(report, leaking)}"
    causes = ", which may have one cause" if len(failing) > 1 else ""
    told = f"{counted}, about {next(iter(found))}{causes}." if len(found) == 1 else f"{counted}: {parts_words(found)}."
    if leaking:
        return f"{told} The arithmetic is refuted separately: {ARITHMETIC}. {formula_words(report, leaking)}"
    return f"{told} {arithmetic_words(report)}" if PARTS["privacy"] in found else told


def means(report: AuditReport) -> str:
    """What the verdict does say; of what was traced, on what that rests."""
    private = [finding for finding in report.findings if finding.kind == "privacy" and finding.examined]
    traced = [finding for finding in private if finding.evidence == "traced"]
    alone = traced and len(traced) == len(report.findings) and report.verdict in ("pass", "fail")
    told = [] if alone else [*promised(report), _means(report)]
    return " ".join([*told, TRACED] if traced else told)


def _means(report: AuditReport) -> str:
    odds = f"at most {short(1.0 - report.confidence)}"
    match report.verdict:
        case "fail":
            return (
                f"If all claims were true, a report with any refutation would appear with probability {odds}. "
                "All bounds in the report hold together at this confidence."
            )
        case "error":
            return "Earlier findings are kept. Findings of kind “behaviour” show the offending input and output."
        case "inconclusive":
            return (
                "Claims marked “inconclusive” are undecided: a larger loss than asked for could have gone undetected. "
                "Their messages say what was missing."
            )
        case _:
            proved = any(finding.evidence == "proved" for finding in report.findings)
            marked = " Findings marked “proved” rest on a proof." if proved else ""
            return f"{assumed(report)}{marked} False alarms have probability {odds}."


def assumed(report: AuditReport) -> str:
    """What the smallest violation detected is, and of which violations it speaks."""
    tasks = {subject.task for subject in report.subjects if subject.promise.kind == "pure"}
    kinds = []
    if any(subject.promise.kind != "pure" for subject in report.subjects):
        kinds.append("for promises other than pure ε, normal noise that is too small on the datasets tried")
    if tasks - {"custom"}:
        kinds.append("for means and frequencies, noise like Laplace's that is too small on the datasets tried")
    if "custom" in tasks:
        kinds.append("for custom tasks, outputs like those seen that tell the two datasets apart better than they may")
    kind = f" It assumes, {'; '.join(kinds)}." if kinds else ""
    return f"The smallest violation detected is the smallest loss refuted with probability 0.8 (80% power).{kind}"


def means_not(report: AuditReport) -> str:
    """What the verdict does not say."""
    if report.verdict == "fail":
        shown = (
            "The bounds say how much was shown, not how much is lost: the loss may be larger, and other users may be "
            "affected as well."
        )
        mended = " Repairing the arithmetic does not test the formula any further."
        return shown + mended if only_arithmetic(report) else shown
    return (
        "A test is no proof: smaller losses, losses on other data, and leaks that this kind of test does not look for "
        "can remain. See “What was not tested”."
    )


def not_tested(report: AuditReport) -> list[tuple[str, str]]:
    """Title and sentence of everything that the verdict is silent about."""
    again = [("The same numbers again", OTHER_NUMBERS)] if unrepeated(report) else []
    return [("Rare events", rare(report)), *never_tested(report), *again]


def never_tested(report: AuditReport) -> list[tuple[str, str]]:
    """The same without rare events, of which a pass says something."""
    public = max((subject.demands.public for subject in report.subjects), default=0)
    symbol = "/".join(dict.fromkeys(subject.promise.symbol for subject in report.subjects)) or "ε"
    beyond = [finding for finding in report.findings if finding.detectable == math.inf and finding.verdict != "fail"]
    lines = [
        (
            "Timing and other side channels",
            "Only outputs were examined: not how long a call took, nor memory, nor logs.",
        ),
        (
            "Many releases",
            "Losses add up over releases of the same data; every call here stands for a single release.",
        ),
        (
            "Other data",
            f"Losses and errors are those of the datasets tried; {_relations(report)}.",
        ),
    ]
    if not any(finding.facts.get("about") == "demands" for finding in report.findings):
        told = f"{symbol} is taken as public: whether an output reveals somebody's demand was not tested."
        lines.insert(2, ("The demands themselves", told))
    lines += [("What few calls leave out", told) for told in assumed_of(report)]
    if public:
        lines.append(
            ("Public users", f"{_count(public, 'user')} demand {symbol} = ∞: nothing was promised, nothing audited.")
        )
    if beyond:
        demands = ", ".join(sorted({short(f.claimed) for f in beyond if f.claimed is not None})[:8])
        lines.append(
            ("Demands beyond the budget", f"Not tried, as these calls could never refute them: {symbol} = {demands}.")
        )
    return lines


def assumed_of(report: AuditReport) -> list[str]:
    """What was not tested of a subject, as its audit says."""
    return list(dict.fromkeys(str(s.details[ASSUMED]) for s in report.subjects if ASSUMED in s.details))


RELATIONS = {
    "replace": "neighbours differ in the data of the moved users",
    "remove": "of two neighbours one has rows, with their demands, that the other has not",
    "zero-out": "of two neighbours one has 0 in place of the data of the moved users",
}
PROMISES = {
    "approximate": "(ε, δ)-differential privacy",
    "zcdp": "zero-concentrated differential privacy, a limit ρ on Rényi divergences",
    "gaussian": "Gaussian differential privacy, μ standard deviations of a normal output",
}


def _relations(report: AuditReport) -> str:
    found = dict.fromkeys(subject.neighbours for subject in report.subjects)
    return "; ".join(RELATIONS.get(name, f"neighbours are {name}") for name in found) or RELATIONS["replace"]


def promised(report: AuditReport) -> list[str]:
    """What was promised, where it is something else than a pure loss under replacement."""
    told = []
    for subject in report.subjects:
        kind, relation = subject.promise.kind, subject.neighbours
        if kind == "pure" and relation == "replace":
            continue
        what = PROMISES.get(kind, "pure ε-differential privacy" if kind == "pure" else f"a promise of kind {kind}")
        most = "" if subject.promise.delta is None else f" with δ up to {short(subject.promise.delta)}"
        told.append(f"{subject.name} promises {what}{most}; {RELATIONS.get(relation, relation)}.")
    return told


def rare(report: AuditReport) -> str:
    """How rare a leak would have been refuted, by the least favourable claim that passed."""
    privacy = [finding for finding in report.findings if finding.kind == "privacy"]
    passed = [finding for finding in privacy if finding.verdict == "pass"]
    known = [(chance, finding.scope) for finding in passed if (chance := _rarest(finding)) is not None]
    if not known and any(finding.examined and finding.evidence == "tested" for finding in passed):
        return "No test that passed says how rare a leak it finds: nothing follows for leaks in some calls."
    if not known:
        return "No privacy claim was tested and passed, so nothing follows for leaks that happen only in some calls."
    worst, pairs = max(chance for chance, _ in known), all(scope == "pair" for _, scope in known)
    where = f"every {'pair' if pairs else 'tier'} {'tested' if len(passed) == len(privacy) else 'that passed'}"
    if worst > 0.5:
        return (
            f"No leak that happens only in some calls would have been refuted with probability 0.8 in {where}: "
            "there are too few calls for that."
        )
    return (
        "A leak that reveals the moved users' data with certainty, whatever the others' data are, in "
        f"{rarest_words(worst)}, or more often, would have been refuted with probability 0.8 in {where}; rarer ones, "
        "leaks through the last digits of doubles, on some of the datasets alone, and about users who were not moved, "
        "could have gone undetected."
    )


def _rarest(finding: Finding) -> float | None:
    value = finding.facts.get("rarest_refutable")
    return float(value) if isinstance(value, (int, float)) and 0 < value <= 1 else None


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
