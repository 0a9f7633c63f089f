"""Holm's step-down over the claims of a report: a refuted claim leaves its share of the significance to the others.

The largest wealth W against a claim gives the p-value 1/W, at any time (Ville), and Holm's procedure asks nothing about
how claims depend on each other. With shares s and everything planned A, the claim with the smallest p/s is refuted at
s·A/(shares that are left), then the next, until one is not (ledger: holm-step). Shares of checks without such a claim,
and of claims that were not tried, are never left to anybody.

Shares are unequal, and statsmodels knows equal ones alone: so each claim stands for as many copies as its share has
units, each with the p-value p/copies. Copies of one claim fall together, and Holm's levels of the copies are those
above (ledger: holm-copies). Units that do not fit are kept back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.share import ClaimTest, Outcome
from hdp_audit.evidence.e_process import goal
from hdp_audit.model.finding import Finding

Floats = NDArray[np.float64]

LEVEL = "step_down_level"  # the fact that says at which level a claim fell
UNREPEATED = (
    "but its evidence is past the share of the significance that other refuted claims left it, and the same calls did "
    "not give the same outputs when they were made again: let the mechanism draw all its noise from `rng`, or increase "
    "the budget"
)
FINENESS = 64  # units of the smallest share: so much, at most, is lost by rounding down


def stepped_levels(tests: Sequence[ClaimTest], planned: float) -> dict[str, float]:
    """By finding, the levels of the claims that fall only because others left them their shares.

    `planned`: the significance of the whole report, fixed before the first draw.
    """
    left = [test for test in tests if not test.refuted]
    if len(left) in (0, len(tests)) or min(test.p_value for test in left) > planned:
        return {}  # no level is ever above all that was planned
    unit = min(test.significance for test in tests) / FINENESS
    copies = np.array([int(test.significance / unit) for test in tests])
    values = np.array([0.0 if test.refuted else test.p_value for test in tests]) / copies
    whole = max(int(planned / unit), int(copies.sum()))
    rejected = _rejected(values, copies, whole, unit)
    units = {test.finding: whole - int(copies[values < value].sum()) for test, value in zip(tests, values, strict=True)}
    return {
        test.finding: unit * whole * int(count) / units[test.finding]
        for test, count, fell in zip(tests, copies, rejected, strict=True)
        if fell and not test.refuted
    }


def _rejected(values: Floats, copies: NDArray[np.int64], whole: int, unit: float) -> NDArray[np.bool_]:
    """Of each claim whether its copies are rejected; what belongs to no claim never is."""
    from statsmodels.stats.multitest import multipletests

    idle = np.ones(whole - int(copies.sum()))
    rejected = multipletests(np.append(np.repeat(values, copies), idle), alpha=unit * whole, method="holm")[0]
    return np.asarray(rejected[np.cumsum(copies) - 1])


def with_retried(
    first: Outcome, again: Outcome, levels: Mapping[str, float], left_open: Callable[[str, str], Finding | None]
) -> Outcome:
    """The first outcome, with the findings of the claims that were tried at their new levels; no other is changed.

    `left_open` makes a finding for a claim of which the first outcome says nothing (`Check.left_open`).
    """
    fell = {test.finding for test in first.tests if test.finding in levels}
    tried = {test.finding: test for test in again.tests if test.finding in fell and test.tried}
    retried = {finding.id: finding for finding in again.findings if finding.id in tried}
    lost = fell - tried.keys()
    kept = [
        _unrepeated(finding) if finding.id in lost else retried.pop(finding.id, finding) for finding in first.findings
    ]
    unsaid = sorted(lost - {finding.id for finding in kept})
    opened = [found for name in unsaid if (found := left_open(name, f"not refuted, {UNREPEATED}")) is not None]
    tests = tuple(tried.get(test.finding, test) for test in first.tests)
    return replace(first, findings=(*kept, *retried.values(), *opened), tests=tests, calls=first.calls + again.calls)


def _unrepeated(finding: Finding) -> Finding:
    """A claim whose wealth is past its level, but not when its check was run again: then draws were others."""
    return replace(finding, verdict="inconclusive", message=f"{finding.message}; {UNREPEATED}")


def with_levels(outcome: Outcome, levels: Mapping[str, float]) -> Outcome:
    """The same outcome; findings whose claims fell at a level above their own share say so."""
    own = {test.finding: test.significance for test in outcome.tests if test.tried and test.largest < test.goal}
    above = {name: level for name, level in levels.items() if name in own}
    told = (
        replace(
            finding,
            message=f"{finding.message}; wealth past 1/{above[finding.id]:.2g}, the share of the significance that it "
            f"has since other claims were refuted; before that it had {own[finding.id]:.2g}",
            facts=finding.facts | {LEVEL: above[finding.id]} | _limit(finding, above[finding.id]),
        )
        if finding.id in above
        else finding
        for finding in outcome.findings
    )
    return replace(outcome, findings=tuple(told)) if above else outcome


def _limit(finding: Finding, level: float) -> dict[str, float]:
    """What the picture of its evidence draws as the limit that refutes."""
    return {"limit": goal(level)} if "limit" in finding.facts else {}
