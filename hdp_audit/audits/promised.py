"""What was promised to whom, as a report tells it: each tier with what its promise means, and users by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from hdp_audit.audits.case import Case
from hdp_audit.model.domain import Range, Unit
from hdp_audit.model.finding import Finding, label_of
from hdp_audit.model.neighbours import Users
from hdp_audit.model.promise import Promise
from hdp_audit.model.telling import TierSummary, guessed_right, true_positives
from hdp_audit.search.tiers import named_tiers

MOST_NAMES = 3  # of a tier, by its owner
MOST_IDS = 2000  # of users whom findings name
PUBLIC = label_of("privacy", "public")


def tier_summaries(case: Case) -> tuple[TierSummary, ...]:
    """Every tier of finite demands, and public users, to whom nothing was promised."""
    if case.privacy is None:
        return ()
    told = [_summary(case, label_of("privacy", f"tier/{tier.name}"), tier.users) for tier in named_tiers(case.promise)]
    public = np.flatnonzero(np.isinf(case.promise.strengths))
    return (*told, *([_summary(case, PUBLIC, public)] if public.size else []))


def _summary(case: Case, finding: str, users: Users) -> TierSummary:
    """By the user who was promised least."""
    promise: Promise = case.promise
    strengths = promise.strengths[users]
    weakest = promise.group(users[[int(np.argmax(strengths))]])
    told, delta = promise.parameter, promise.columns.get("delta")
    public = bool(np.isinf(strengths).any())
    return TierSummary(
        finding=finding,
        users=int(users.size),
        smallest=told(float(strengths.min())),
        largest=told(float(strengths.max())),
        right=1.0 if public else guessed_right(weakest),
        detected=1.0 if public else true_positives(weakest),
        delta=None if delta is None or public else float(delta[users].max()),
        names=_names(case.demands.tiers, users),
    )


def _names(tiers: tuple[str, ...] | None, users: Users) -> tuple[str, ...]:
    if tiers is None:
        return ()
    found = dict.fromkeys(name for user in users.tolist() if (name := tiers[user]))
    return (*list(found)[:MOST_NAMES], *(["..."] if len(found) > MOST_NAMES else []))


def reach_of(case: Case) -> tuple[float, float] | None:
    """What a datum may be, in the user's own units; None where that is no number."""
    if not isinstance(case.domain, (Unit, Range)):
        return None
    low, high = case.domain.ends()
    return float(low), float(high)


def ids_of(case: Case, findings: Iterable[Finding]) -> Mapping[int, str]:
    """The ids of users whom findings name, where the demands have ids."""
    ids, named = case.demands.ids, dict[int, None]()
    if ids is None:
        return {}
    for finding in findings:
        moved = () if finding.counterexample is None else finding.counterexample.users
        traced = () if finding.traced is None else (finding.traced.user,)
        named.update(dict.fromkeys((*finding.users, *moved, *traced)))
    return {user: ids[user] for user in list(named)[:MOST_IDS] if 0 <= user < len(ids)}
