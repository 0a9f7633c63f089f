"""What was promised to whom, as a report tells it: each tier with what its promise means, and users by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

import numpy as np

from hdp_audit.audits.case import Case
from hdp_audit.model.domain import Range, Unit
from hdp_audit.model.finding import Finding, label_of
from hdp_audit.model.names import Names
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
    groups = [(label_of("privacy", f"tier/{tier.name}"), tier.users) for tier in named_tiers(case.promise)]
    public = np.flatnonzero(np.isinf(case.promise.strengths))
    groups += [(PUBLIC, public)] if public.size else []
    names = None if case.demands.tiers is None else Names.of(case.demands.tiers)
    codes = None if names is None else names.codes()
    return tuple(_summary(case, finding, users, _names(names, codes, users)) for finding, users in groups)


def _summary(case: Case, finding: str, users: Users, names: tuple[str, ...]) -> TierSummary:
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
        names=names,
    )


def _names(names: Names | None, codes: Users | None, users: Users) -> tuple[str, ...]:
    """What their tiers are called, in the order of the users."""
    if names is None or codes is None:
        return ()
    numbers, places = np.unique(codes[users], return_index=True)
    called = (names[at] for at in numbers[np.argsort(places)].tolist())
    found = list(islice((name for name in called if name), MOST_NAMES + 1))
    return (*found[:MOST_NAMES], *(["..."] if len(found) > MOST_NAMES else []))


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
