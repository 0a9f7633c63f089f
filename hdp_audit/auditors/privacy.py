"""The privacy auditor: every demand tier by groups, every user by their own coin.

Every accusation confirmed on fresh draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.independence import shared_noise
from hdp_audit.attacks.pairs import Bases, Users, group_size, pair_on, tiers
from hdp_audit.attacks.screening import screen
from hdp_audit.auditors.decide import (
    behaviour_finding,
    beyond_finding,
    public_finding,
    tier_finding,
    user_finding,
)
from hdp_audit.auditors.game import Game, play
from hdp_audit.auditors.share import Outcome, Share
from hdp_audit.evidence.binomial import largest_provable
from hdp_audit.model.claim import PrivacyClaim
from hdp_audit.model.finding import Finding
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import WORDS, Failure, Subject

Floats = NDArray[np.float64]

MOST_SUSPECTS = 8
PILOT = 0.3  # share of a tier's calls spent on all base datasets alike, before the best one gets the rest
SCREENING = 0.3  # share of the budget for everybody's own coin and the suspects' games


def privacy_checks(epsilon: Floats, claim: PrivacyClaim | None, share: Share) -> dict[str, Share]:
    """The checks of one subject by name: every tier, everybody's own coin, and their parts of the share."""
    del claim
    groups = tiers(epsilon)
    if not groups:
        return {"privacy/public": share}
    each = Share(
        int(share.calls * (1.0 - SCREENING) / len(groups)),
        0.6 * share.significance / len(groups),
        share.confidence,
        share.seed,
    )
    users = Share(int(share.calls * SCREENING), 0.4 * share.significance, share.confidence, share.seed)
    named = {f"privacy/tier/{number}": each for number in range(len(groups))}
    return {**named, "privacy/users": users}


def run_privacy(
    name: str, subject: Subject, claim: PrivacyClaim, share: Share, data: NDArray[Any] | None = None
) -> Outcome:
    """One check by its name."""
    match name.split("/"):
        case ["behaviour"]:
            found = list(_behaviour(subject, share))
            return Outcome(tuple(found), details={"trusts_batches": not found})
        case ["privacy", "tier", number]:
            tier = tiers(subject.epsilon)[int(number)]
            finding = _audit_tier(subject, claim, tier, share)
            return Outcome((finding, *_failures(subject)))
        case ["privacy", "users"]:
            return Outcome((*_public(subject), *_named_users(subject, share)))
        case ["privacy", "public"]:
            return Outcome(tuple(_public(subject)))
        case _:
            raise AssertionError(name)


def _failures(subject: Subject) -> list[Finding]:
    return [behaviour_finding(subject, f"call/{kind:g}", _words(failure)) for kind, failure in subject.failures.items()]


def _words(failure: Failure) -> str:
    return f"the mechanism {WORDS[failure.kind]}: {failure.message}"


def _behaviour(subject: Subject, share: Share) -> Iterator[Finding]:
    """Batches whose outputs share noise are a finding of their own; after that nothing but single calls is believed."""
    _, data, _, _ = list(Bases(subject.epsilon.size, subject.categories))[-1]
    wrong = shared_noise(subject, data, share.seed, share.significance)
    if wrong is not None:
        yield behaviour_finding(subject, "independence", wrong)


def _public(subject: Subject) -> Iterator[Finding]:
    public = np.flatnonzero(np.isinf(subject.epsilon))
    if public.size:
        yield public_finding(subject, public)


def _audit_tier(subject: Subject, claim: PrivacyClaim, tier: Users, share: Share) -> Finding:
    calls, significance = share.calls, share.significance
    demand = float(subject.epsilon[tier].mean())
    if demand > largest_provable(calls, significance):
        return beyond_finding(subject, tier, calls, significance)
    members = stream(share.seed, "group", str(demand)).permutation(tier)[: group_size(demand, tier.size)]
    pairs = [pair_on(base, data, members, a, b) for base, data, a, b in Bases(subject.epsilon.size, subject.categories)]
    each = significance / (2 * len(pairs))
    pilot = max(int(PILOT * calls / len(pairs)), 200)
    games = []
    for pair in pairs:
        games.append(play(subject, pair, pilot, each, share.seed, f"tier/{demand!r}/{pair.base}"))
        if games[-1].wealth.refutes(each):
            return _confirmed(subject, claim, share, tier, games[-1], each)
    best = max(games, key=lambda game: game.wealth.log)
    rest = calls - sum(game.calls for game in games)
    final = play(
        subject, best.pair, max(int(0.8 * rest), 400), 0.5 * significance, share.seed, f"tier/{demand!r}/final"
    )
    if final.wealth.refutes(0.5 * significance):
        return _confirmed(subject, claim, share, tier, final, each)
    return tier_finding(subject, claim.detect, share.confidence, tier, final, 0.5 * significance, confirmation=None)


def _confirmed(
    subject: Subject, claim: PrivacyClaim, share: Share, tier: Users, game: Game, significance: float
) -> Finding:
    """A refuted claim is tried once more on fresh draws, by a rule learned anew."""
    again = play(subject, game.pair, 4 * game.calls, significance, share.seed, f"confirm/{game.pair.base}/{tier[0]}")
    return tier_finding(subject, claim.detect, share.confidence, tier, game, significance, confirmation=again)


def _named_users(subject: Subject, share: Share) -> Iterator[Finding]:
    calls = share.calls // 2
    base, data, first, second = next(iter(Bases(subject.epsilon.size, subject.categories)))
    low, high = np.full_like(data, first), np.full_like(data, second)
    found = screen(subject, low, high, calls, share.seed)
    suspects = found.suspects(MOST_SUSPECTS)
    significance = share.significance / MOST_SUSPECTS
    for user in suspects.tolist():
        pair = pair_on(base, data, np.array([user]), first, second)
        game = play(subject, pair, calls // MOST_SUSPECTS, significance, share.seed, f"user/{user}")
        if game.wealth.refutes(significance):
            again = play(subject, pair, 4 * game.calls, significance, share.seed, f"user/{user}/confirm")
            if again.wealth.refutes(significance):
                yield user_finding(subject, share.confidence, user, again, significance)
