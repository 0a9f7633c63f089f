"""Verdicts on optimality: too good to be true, or how far from the best possible at most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hdp_audit.audits.sequential import Course
from hdp_audit.audits.share import Share
from hdp_audit.audits.verdicts_accuracy import figure_scale, further_calls, plain, ratio, told
from hdp_audit.evidence.bounded_mean import BoundedMean
from hdp_audit.evidence.packed import PackedRight, PackedRisk
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.evidence.varying import VaryingRight, VaryingRisk
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Finding, Kind, Verdict
from hdp_audit.search.packing import Packing
from hdp_audit.search.permuted import Permuted
from hdp_audit.targets.subject import Subject
from hdp_audit.theory.names import Metric, Problem, Setting
from hdp_audit.theory.optimality import Regime, weak_regime

JUDGED = 0.4  # of a metric's calls are spent on judging; each of the two metrics gets half of a check's
DATA = {"correlated": "correlated data", "weakly-correlated": "permuted data"}
WHY = "no mechanism that keeps the demands can be this accurate"


@dataclass(frozen=True, eq=False)
class Played:
    """What was seen on one packing."""

    packing: Packing | Permuted
    evidence: PackedRight | PackedRisk | VaryingRight | VaryingRisk
    largest: float = 0.0  # logarithm of the largest wealth at any look


@dataclass(frozen=True)
class Standing:
    """Where the mechanism stands: the lower bound, its worst measured error and, if it is known, its guarantee."""

    lower: Bound
    measured: float
    dataset: str
    guaranteed: float | None

    def in_units(self, per: float) -> Standing:
        """The same with figures in the units that are told."""
        known = None if self.guaranteed is None else told(self.guaranteed, per)
        lower = replace(self.lower, value=told(self.lower.value, per))
        return Standing(lower, told(self.measured, per), self.dataset, known)

    @property
    def sentence(self) -> str:
        """At most this factor from the best possible."""
        if self.lower.value <= 0:
            return "no impossibility is known for these demands"
        text = (
            f"the worst error measured, {self.measured:.3g}, is {self.measured / self.lower.value:.3g} times what no "
        )
        text += f"mechanism can beat, {self.lower.value:.3g}"
        if self.guaranteed is not None:
            text += f"; guaranteed are {self.guaranteed / self.lower.value:.3g} times"
        return text


def optimality_finding(
    subject: Subject,
    problem: Problem,
    standing: Standing,
    course: Course[Played],
    share: Share,
    calls: int,
    scale: float = 1.0,
) -> Finding:
    """Fail if refuted twice; pass if somebody who answers the truth would have been refuted; else inconclusive."""
    last = course.last
    verdict, message = _decided(standing, course, scale)
    bare = standing.lower.value / figure_scale(problem.metric.value, scale)  # as the theorems have it
    notes = [allowed_note(subject, problem), theorem_note(subject, problem, bare)]
    note = "; ".join(one for one in notes if one)
    lower, upper = _interval(last, problem, share, scale)
    members = last.packing.members.tolist()[:200] if isinstance(last.packing, Packing) else []
    return Finding.about(
        subject.name,
        *where(problem.metric.value, problem.setting.value),
        verdict,
        f"{DATA[problem.setting.value]}: {message}{'; ' + note if note else ''}",
        metric=problem.metric.value,
        users=tuple(members) if verdict == "fail" else (),
        claimed=standing.lower.value,
        lower=lower,
        upper=upper,
        calls=calls,
        facts=_witness(standing, last, note, scale),
    )


def where(metric: str, setting: str) -> tuple[Kind, str]:
    """The kind of a claim's finding, and what that is about."""
    return "optimality", f"{setting}/{metric}"


def everybody(setting: str) -> tuple[Kind, str]:
    """The same where all users are public: one for both metrics."""
    return "optimality", setting


def _decided(standing: Standing, course: Course[Played], scale: float) -> tuple[Verdict, str]:
    judged, confirmation = course.judged, course.confirmation
    if confirmation is not None and confirmation.evidence.refutes:
        return "fail", f"{_seen(confirmation, scale)}: {WHY}"
    if confirmation is not None:
        return "inconclusive", f"{_seen(confirmation, scale)}: not confirmed on new samples; increase the budget"
    needed = judged.evidence.truth_needs
    if judged.evidence.draws >= needed:
        return "pass", f"not more accurate than the demands allow; {standing.sentence}"
    return "inconclusive", (
        f"{judged.evidence.draws} answers on packing data cannot tell even the exact truth from what is allowed; "
        f"that takes {further_calls(needed, JUDGED / 2)} calls; {standing.sentence}"
    )


def _seen(played: Played, scale: float) -> str:
    packing, evidence = played.packing, played.evidence
    if isinstance(evidence, (PackedRight, VaryingRight)):
        allowed = packing.allowed if isinstance(packing, Packing) else evidence.limit
        return (
            f"{packing.words}: the error stays below {told(packing.distance, scale) / 2:.3g} in {evidence.right} of "
            f"{evidence.draws} answers, where their demands allow {allowed:.1%}"
        )
    reach, least = packing.reach, packing.least_risk if isinstance(packing, Packing) else evidence.limit
    reach = told(reach, scale)
    return (
        f"{packing.words}: the mean squared error is at most {evidence.proved * reach**2:.3g}, "
        f"where their demands allow no less than {least * reach**2:.3g}"
    )


def theorem_note(subject: Subject, problem: Problem, lower: float) -> str:
    """Of permuted data: what the paper's theorem says of these demands; the packings are played all the same."""
    if problem.setting is Setting.CORRELATED:
        return ""
    regime, why = weak_regime(problem, subject.epsilon, lower)
    if regime is Regime.APPLIES:
        return f"the paper's theorem speaks of these demands ({why})"
    does_not = "does not speak" if regime is Regime.OUTSIDE else "may not speak"
    return f"the paper's theorem {does_not} of these demands ({why}), so only the explicit bounds do"


def allowed_note(subject: Subject, problem: Problem) -> str:
    """Said where even one user's demand allows the truth to be told at this β."""
    if problem.metric is not Metric.PAC or problem.setting is not Setting.CORRELATED:
        return ""
    smallest, limit = float(subject.epsilon.min()), float(np.log(problem.rivals * (1 - problem.beta) / problem.beta))
    if smallest < limit:
        return ""
    return (
        f"the smallest demand, ε = {smallest:.3g}, is above log(K(1−β)/β) = {limit:.3g}: at β = {problem.beta:g} these "
        "demands allow even the exact truth, and only an accuracy beyond that could be refuted"
    )


def beyond_finding(subject: Subject, problem: Problem, largest: float, share: Share) -> Finding:
    """Demands so large that so many answers refute nobody, not even the truth: not tried, so not passed.

    A quantile claim is true all the same where its β is allowed anyway: there the lower bound is 0.
    """
    smallest, note = float(subject.epsilon.min()), allowed_note(subject, problem)
    untold = f"however data are permuted, {share.calls} calls tell nothing about somebody who answers the exact truth"
    untold = (
        untold
        if problem.setting is Setting.WEAK
        else (
            f"the smallest demand, ε = {smallest:.3g}, allows even the exact truth as far as {share.calls} calls "
            f"can tell: they refute no demand above {largest:.3g}"
        )
    )
    return Finding.about(
        subject.name,
        *where(problem.metric.value, problem.setting.value),
        "pass" if note else "inconclusive",
        note or untold,
        "proved" if note else "tested",
        metric=problem.metric.value,
        facts={"smallest_demand": smallest, "largest_refutable": largest},
    )


def public_finding(subject: Subject, setting: str) -> Finding:
    """ε = ∞ for everybody: any accuracy is allowed."""
    message = "everybody is public (ε = ∞): the exact truth may be told"
    return Finding.about(subject.name, *everybody(setting), "pass", message, "proved", examined=False)


def _interval(last: Played, problem: Problem, share: Share, scale: float) -> tuple[Bound, Bound]:
    """Of the error quantile, or of the projected mean squared error, on the packing."""
    errors, level = last.evidence.errors, share.significance / 4
    if problem.metric is Metric.PAC:
        found: Quantile | BoundedMean = Quantile(errors, problem.beta, level)
        unit, method = 1.0, "order statistics/betting"
    else:
        unit, method = last.packing.reach**2, "bounded mean/betting"
        found = BoundedMean(np.minimum(errors / last.packing.reach, 1.0) ** 2, level)
    per = figure_scale(problem.metric.value, scale)
    ends = told(unit * found.lower, per), told(unit * found.upper, per)
    return Bound.lower(ends[0], method, share.confidence), Bound.upper(ends[1], method, share.confidence)


def _witness(standing: Standing, last: Played, note: str, scale: float) -> dict[str, Any]:
    packing, evidence = last.packing, last.evidence
    distance = told(packing.distance, scale)
    common: dict[str, Any] = {
        "moved": packing.moved,
        "rivals": packing.rivals,
        "distance": distance,
        "trials": evidence.draws,
        "lower_bound": standing.lower.value,
        "lower_method": standing.lower.method,
        "measured": standing.measured,
        "dataset": standing.dataset,
        "factor": ratio(standing.measured, standing.lower.value),
        "guaranteed": standing.guaranteed,
        "truth_needs": plain(evidence.truth_needs),
        "note": note,
        "proved": evidence.proved,
    }
    fixed = packing if isinstance(packing, Packing) else None
    common |= {"packing": packing.words} if fixed is None else {"demands_together": fixed.total}
    if isinstance(evidence, (PackedRight, VaryingRight)):
        allowed = evidence.limit if fixed is None else fixed.allowed
        return common | {"radius": distance / 2, "right": evidence.right, "allowed": allowed}
    return common | {"risk": evidence.measured, "least_risk": evidence.limit if fixed is None else fixed.least_risk}
