"""Whether accuracy and optimality are within a budget: a few hundred calls, and a sentence."""

from __future__ import annotations

from hdp_audit.audits.foresight import Foreseen, foresee_accuracy
from hdp_audit.audits.optimality import foresee_optimality
from hdp_audit.audits.verdicts_accuracy import further_calls
from hdp_audit.engine import Check
from hdp_audit.model import AccuracyClaim, OptimalityClaim


def foresee(check: Check) -> Foreseen:
    """What a check of accuracy or optimality can be expected to see; runs where the mechanism may run."""
    case = check.case
    if check.name == "accuracy":
        return foresee_accuracy(case.subject(), case.accuracy or AccuracyClaim(), check.share, case.data)
    enough = foresee_optimality(case.subject(), case.optimality or OptimalityClaim(), check.share)
    return Foreseen(enough, float("nan"))


def sentence(check: Check, foreseen: Foreseen, budget: int) -> str:
    """For a person."""
    has = "which this budget has" if foreseen.enough else "which this budget lacks"
    if check.name == "optimality":
        return f"optimality: enough calls to refute somebody who answers the exact truth are needed, {has}"
    claim = check.case.accuracy or AccuracyClaim()
    calls = foreseen.calls * budget / max(check.share.calls, 1)
    if foreseen.enough and calls > budget:
        has = "but here the error is so far from the bound that this budget is enough"
    return (
        f"accuracy: to see an error of {claim.tolerance:g} × the bound costs {further_calls(calls, 1.0)} calls, {has}"
    )
