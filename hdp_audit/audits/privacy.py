"""Which checks a claim of privacy falls into, and what each of them may spend."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hdp_audit.audits.bits import BitsCheck
from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.crowd import CrowdCheck
from hdp_audit.audits.not_tried import NotTried
from hdp_audit.audits.pair import PairCheck
from hdp_audit.audits.pairs import PairsCheck
from hdp_audit.audits.public import PublicCheck
from hdp_audit.audits.search import SearchCheck
from hdp_audit.audits.secrecy import SecrecyCheck
from hdp_audit.audits.share import Share
from hdp_audit.audits.tier import TierCheck
from hdp_audit.audits.users import UsersCheck
from hdp_audit.evidence.binomial import largest_provable
from hdp_audit.model.vector import Vector
from hdp_audit.search.tiers import Tier, named_tiers

# Parts of the calls, and of the false-alarm budget; what is not looked at leaves its part to the others.
CALLS = {"tiers": 0.7, "users": 0.2, "float": 0.1, "demands": 0.3}
SEARCHING = 1 / 4  # of the calls, on top of them
ALARMS = {"tiers": 0.55, "users": 0.2, "search": 0.15, "float": 0.1, "demands": 0.3}


def privacy_checks(case: Case, share: Share) -> list[Check]:
    """One for each pair that was given; else for each demand tier, for all users, and for the bits of doubles."""
    if case.privacy is not None and case.privacy.trace == "only":
        return []  # plan.py has the check that traces
    return _tested(case, share)


def _tested(case: Case, share: Share) -> list[Check]:
    if case.pairs is not None:
        return [PairCheck(case, share, 0) if len(case.given) == 1 else PairsCheck(case, share)]
    groups = named_tiers(case.promise)
    if not groups:
        return [PublicCheck(case, share)]
    if share.few:
        return _few(case, groups, share)
    bits = case.privacy is None or case.privacy.floating_point != "off"
    secret = case.privacy is not None and case.privacy.demands == "secret"
    looked_at = ["tiers", "users"] + ["float"] * bits + ["demands"] * secret
    calls, alarms = _parts(CALLS, looked_at), _parts(ALARMS, [*looked_at, "search"])
    checks = _tiers(case, groups, share, calls["tiers"], alarms["tiers"])
    checks.append(UsersCheck(case, _part(share, calls["users"], alarms["users"])))
    checks.append(SearchCheck(case, _part(share, SEARCHING, alarms["search"])))
    if bits:
        checks.append(BitsCheck(case, _part(share, calls["float"], alarms["float"])))
    if secret:
        own = _part(share, calls["demands"] / len(groups), alarms["demands"] / len(groups))
        checks += [SecrecyCheck(case, own, tier) for tier in groups]
    return checks


def _parts(of: dict[str, float], looked_at: list[str]) -> dict[str, float]:
    """What is not looked at leaves its part to the others."""
    return {part: of[part] / sum(of[each] for each in looked_at) for part in looked_at}


def _few(case: Case, groups: list[Tier], share: Share) -> list[Check]:
    """All calls in one place: on everybody at once where each user has a direction of their own, else on the tiers."""
    public = (
        [PublicCheck(case, replace(share, calls=0, significance=0.0))] if np.isinf(case.promise.strengths).any() else []
    )
    asked = NotTried(case, replace(share, calls=0, significance=0.0))
    rest: list[Check] = [*public, *([asked] if list(asked.possible()) else [])]
    if isinstance(case.domain, Vector) and not case.session:
        return [CrowdCheck(case, share), *rest]
    return [*_tiers(case, groups, share, 1.0, 1.0), *rest]


def _tiers(case: Case, groups: list[Tier], share: Share, calls: float, alarms: float) -> list[Check]:
    """A demand beyond any proof in so many calls is not tried, so it can raise no alarm and takes no part of them."""
    most = largest_provable(int(calls * share.calls / len(groups)), share.significance)
    within = [float(case.promise.strengths[tier.users].mean()) <= most for tier in groups]
    among = max(sum(within), 1)
    return [
        TierCheck(case, _part(share, calls / among, alarms / among if tried else 0.0), tier)
        for tier, tried in zip(groups, within, strict=True)
    ]


def _part(share: Share, calls: float, alarms: float) -> Share:
    return replace(share, calls=int(calls * share.calls), significance=alarms * share.significance)
