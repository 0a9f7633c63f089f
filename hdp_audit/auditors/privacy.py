"""The privacy auditor: every demand tier by groups, every user by their own coin.

Every accusation confirmed on fresh draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
from hdp_audit.evidence.binomial import largest_provable
from hdp_audit.model.finding import Finding
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import WORDS, Failure, Subject

Floats = NDArray[np.float64]

MOST_SUSPECTS = 8
PILOT = 0.3  # share of a tier's calls spent on all base datasets alike, before the best one gets the rest
SCREENING = 0.3  # share of the budget for everybody's own coin and the suspects' games


@dataclass(frozen=True)
class Plan:
    """Calls and significance, fixed before the first draw: the whole family costs 1 − confidence."""

    confidence: float
    budget: int
    seed: int
    detect: float

    @property
    def significance(self) -> float:
        """What all tests together may spend on false alarms."""
        return 1.0 - self.confidence


def audit_privacy(subject: Subject, plan: Plan) -> list[Finding]:
    """One finding a demand tier, and one for each user whom the screening names and a fresh game convicts."""
    behaviour = list(_behaviour(subject, plan))
    groups = [tier for tier in tiers(subject.epsilon) if tier.size]
    if not groups:
        return [*behaviour, *_public(subject)]
    per_tier = int(plan.budget * (1.0 - SCREENING) / len(groups))
    share = 0.5 * plan.significance / len(groups)
    findings = [_audit_tier(subject, plan, tier, per_tier, share) for tier in groups]
    failures = [
        behaviour_finding(subject, f"call/{kind:g}", _words(failure)) for kind, failure in subject.failures.items()
    ]
    return [*behaviour, *findings, *_public(subject), *_named_users(subject, plan), *failures]


def _words(failure: Failure) -> str:
    return f"the mechanism {WORDS[failure.kind]}: {failure.message}"


def _behaviour(subject: Subject, plan: Plan) -> Iterator[Finding]:
    """Batches whose outputs share noise are a finding of their own; after that nothing but single calls is believed."""
    _, data, _, _ = list(Bases(subject.epsilon.size, subject.categories))[-1]
    wrong = shared_noise(subject, data, plan.seed, 0.25 * plan.significance)
    if wrong is not None:
        subject.trusts_batches = False
        yield behaviour_finding(subject, "independence", wrong)


def _public(subject: Subject) -> Iterator[Finding]:
    public = np.flatnonzero(np.isinf(subject.epsilon))
    if public.size:
        yield public_finding(subject, public)


def _audit_tier(subject: Subject, plan: Plan, tier: Users, calls: int, significance: float) -> Finding:
    demand = float(subject.epsilon[tier].mean())
    if demand > largest_provable(calls, significance):
        return beyond_finding(subject, tier, calls, significance)
    members = stream(plan.seed, "group", str(demand)).permutation(tier)[: group_size(demand, tier.size)]
    pairs = [pair_on(base, data, members, a, b) for base, data, a, b in Bases(subject.epsilon.size, subject.categories)]
    each = significance / (2 * len(pairs))
    pilot = max(int(PILOT * calls / len(pairs)), 200)
    games = []
    for pair in pairs:
        games.append(play(subject, pair, pilot, each, plan.seed, f"tier/{demand!r}/{pair.base}"))
        if games[-1].wealth.refutes(each):
            return _confirmed(subject, plan, tier, games[-1], each)
    best = max(games, key=lambda game: game.wealth.log)
    rest = calls - sum(game.calls for game in games)
    final = play(subject, best.pair, max(int(0.8 * rest), 400), 0.5 * significance, plan.seed, f"tier/{demand!r}/final")
    if final.wealth.refutes(0.5 * significance):
        return _confirmed(subject, plan, tier, final, each)
    return tier_finding(subject, plan.detect, plan.confidence, tier, final, 0.5 * significance, confirmation=None)


def _confirmed(subject: Subject, plan: Plan, tier: Users, game: Game, significance: float) -> Finding:
    """A refuted claim is tried once more on fresh draws, by a rule learned anew."""
    again = play(subject, game.pair, 4 * game.calls, significance, plan.seed, f"confirm/{game.pair.base}/{tier[0]}")
    return tier_finding(subject, plan.detect, plan.confidence, tier, game, significance, confirmation=again)


def _named_users(subject: Subject, plan: Plan) -> Iterator[Finding]:
    calls = int(0.5 * SCREENING * plan.budget)
    base, data, first, second = next(iter(Bases(subject.epsilon.size, subject.categories)))
    low, high = np.full_like(data, first), np.full_like(data, second)
    found = screen(subject, low, high, calls, plan.seed)
    suspects = found.suspects(MOST_SUSPECTS)
    significance = 0.25 * plan.significance / MOST_SUSPECTS
    for user in suspects.tolist():
        pair = pair_on(base, data, np.array([user]), first, second)
        game = play(subject, pair, calls // MOST_SUSPECTS, significance, plan.seed, f"user/{user}")
        if game.wealth.refutes(significance):
            again = play(subject, pair, 4 * game.calls, significance, plan.seed, f"user/{user}/confirm")
            if again.wealth.refutes(significance):
                yield user_finding(subject, plan.confidence, user, again, significance)
