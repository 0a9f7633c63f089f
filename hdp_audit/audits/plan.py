"""From claims to checks: what a case claims, which checks that makes, and what each may spend.

A new kind of claim (not of promise: model/promise.py) is one more `Planner`; whoever registers it says when it
applies and which checks it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from hdp_audit.audits.behaviour.check import BehaviourCheck
from hdp_audit.audits.case import PARTS, Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.privacy import privacy_checks
from hdp_audit.audits.share import Share
from hdp_audit.audits.trace import TraceCheck, trace_checks, traced_alone, traced_calls
from hdp_audit.model.report import refuse_twins

FOR_BEHAVIOUR = 0.05  # of the significance; its calls come on top of the budget
FOR_TRACING = 0.001  # of the significance, out of the part for behaviour; its calls come on top, too
BEHAVIOUR_CALLS = 1 / 50  # of the budget


@dataclass(frozen=True)
class Planner:
    """One kind of claim: its part of the false-alarm budget, whether a case makes it, and its checks."""

    name: str
    part: float
    claimed: Callable[[Case], bool]
    checks: Callable[[Case, Share], list[Check]]


def _accuracy(case: Case, share: Share) -> list[Check]:
    from hdp_audit.audits.accuracy import AccuracyCheck

    return [AccuracyCheck(case, share)]


def _optimality(case: Case, share: Share) -> list[Check]:
    from hdp_audit.audits.optimality import OptimalityCheck

    claims = case.optimality_claims
    each = replace(share, calls=share.calls // len(claims), significance=share.significance / len(claims))
    return [OptimalityCheck(case, each, claim) for claim in claims]


PLANNERS: dict[str, Planner] = {}


def register(planner: Planner) -> None:
    """Take part in every plan from now on."""
    if planner.name in PLANNERS:
        raise ValueError(f"two planners are called {planner.name!r}")
    PLANNERS[planner.name] = planner


register(Planner("privacy", PARTS["privacy"], lambda case: case.privacy is not None, privacy_checks))
register(Planner("accuracy", PARTS["accuracy"], lambda case: case.accuracy is not None, _accuracy))
register(Planner("optimality", PARTS["optimality"], lambda case: case.optimality is not None, _optimality))


def plan(cases: Iterable[Case], *, confidence: float, budget: int, seed: int) -> list[Check]:
    """All checks of all cases: `budget` calls for each case, one family over the whole report."""
    listed = list(cases)
    significance = (1.0 - confidence) / len(listed)
    checks: list[Check] = []
    for case in listed:
        claims = [planner for planner in PLANNERS.values() if planner.claimed(case)]
        whole = sum(planner.part for planner in claims)
        calls = {planner.name: case.parts.get(planner.name, planner.part) for planner in claims}
        alone, tracing = traced_alone(case), trace_checks(case)
        beside = FOR_TRACING * significance if tracing and not alone else 0.0
        first = Share(int(BEHAVIOUR_CALLS * budget), FOR_BEHAVIOUR * significance - beside, confidence, seed, budget)
        if not alone:
            checks.append(BehaviourCheck(case, first))
        for planner in claims:
            alarms = (1.0 - FOR_BEHAVIOUR) * (planner.part / whole) * significance
            own = int(calls[planner.name] / sum(calls.values()) * budget)
            checks.extend(planner.checks(case, Share(own, alarms, confidence, seed, budget)))
        if tracing:
            checks.append(TraceCheck(case, replace(first, calls=traced_calls(case, budget), significance=beside)))
    refuse_twins("check", [check.id for check in checks])
    return checks
