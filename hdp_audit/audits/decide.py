"""The only maker of privacy verdicts: from a played game to a finding that can be defended."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.counterexamples import counterexample_of
from hdp_audit.audits.encoded import as_read
from hdp_audit.audits.game import shortened
from hdp_audit.audits.leaked import curve_of, delta_of
from hdp_audit.audits.power import rarest_refutable
from hdp_audit.audits.share import Share
from hdp_audit.audits.trial import Trial
from hdp_audit.evidence.binomial import largest_provable
from hdp_audit.model.bound import Bound
from hdp_audit.model.claim import PrivacyClaim
from hdp_audit.model.finding import Finding, Verdict
from hdp_audit.model.neighbours import Users
from hdp_audit.model.promise import Promise
from hdp_audit.search.tiers import Tier
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

SHOWN = 200  # users listed in a finding


def tier_finding(
    subject: Subject, claim: PrivacyClaim, confidence: float, tier: Tier, trial: Trial, exact: Bound | None
) -> Finding:
    """A tier of demands, some of its users moved together; all figures are averages over those who were moved."""
    moved, told = trial.game.pair.users, subject.promise.parameter
    size = moved.size
    demand, found = told(average(subject.epsilon[moved])), told(trial.detectable / size)
    lower = Bound.lower(told(trial.lower(confidence).value / size), "game/wealth", confidence)
    who = "a user who demands" if size == 1 else f"{size} users who demand"
    loses = f"loses at least {lower.value:.3g}" if size == 1 else f"each lose at least {lower.value:.3g} on average"
    verdict, message = trial.decided(tier.words, f"{who} {tier.words} {loses}", found, claim.detect * demand, " a user")
    verdict, message, unread = as_read(subject, trial, tier.words, verdict, message)
    return Finding.about(
        subject.name,
        "privacy",
        f"tier/{tier.name}",
        verdict,
        message,
        scope="tier",
        users=first_users(tier.users),
        claimed=demand,
        lower=lower,
        upper=exact,
        detectable=found,
        calls=trial.calls,
        counterexample=counterexample_of(subject, trial),
        facts=facts_of(trial) | curve_of(trial) | unread,
    )


def user_finding(
    subject: Subject, confidence: float, user: int, trial: Trial, exact: Bound | None, what: str | None = None
) -> Finding:
    """A named user, whose claim was refuted once: fail where new samples confirm it, else inconclusive."""
    promise = subject.promise
    demand, lower = promise.parameter(float(subject.epsilon[user])), told_by(promise, trial.lower(confidence))
    found = promise.parameter(trial.detectable)
    promised = f"{promise.symbol} = {demand:g}{promise.beside(np.array([user]))}"
    accusation = f"user {user} demands {promised} and loses at least {lower.value:.3g}"
    verdict, message = trial.decided(f"user {user}", accusation, found, demand)
    return Finding.about(
        subject.name,
        "privacy",
        what or f"user/{user}",
        verdict,
        message,
        scope="user",
        users=(user,),
        claimed=demand,
        lower=lower,
        upper=exact,
        detectable=found,
        calls=trial.calls,
        counterexample=counterexample_of(subject, trial),
        facts=facts_of(trial) | delta_of(trial),
    )


def search_finding(subject: Subject, confidence: float, trial: Trial, exact: Bound | None) -> Finding:
    """Whom a search found on datasets of its own: one user, or several who were moved together, on average."""
    promise, moved = subject.promise, trial.game.pair.users
    size = moved.size
    demand = promise.parameter(average(promise.strengths[moved]))
    lower = Bound.lower(promise.parameter(trial.lower(confidence).value / size), "game/wealth", confidence)
    found = promise.parameter(trial.detectable / size)
    promised = f"{promise.symbol} = {demand:g}{promise.beside(moved)}"
    who = f"user {moved[0]} demands {promised} and" if size == 1 else f"{size} users demand {promised} on average and"
    accusation = f"{who} {'loses' if size == 1 else 'each lose'} at least {lower.value:.3g}"
    verdict, message = trial.decided("search", accusation, found, demand)
    return Finding.about(
        subject.name,
        "privacy",
        "search",
        verdict,
        message,
        scope="user",
        users=first_users(moved),
        claimed=demand,
        lower=lower,
        upper=exact,
        detectable=found,
        calls=trial.calls,
        counterexample=counterexample_of(subject, trial),
        facts=facts_of(trial) | delta_of(trial),
    )


def pair_finding(subject: Subject, confidence: float, number: int, trial: Trial, detect: float) -> Finding:
    """A pair of datasets that the user gave, and the users in whom they differ."""
    promise = subject.promise
    claimed, lower = promise.parameter(trial.game.claimed), told_by(promise, trial.lower(confidence))
    found, name = promise.parameter(trial.detectable), trial.game.pair.base
    accusation = f"{name} may lose {claimed:g} and loses at least {lower.value:.3g}"
    verdict, message = trial.decided(name, accusation, found, detect * claimed)
    verdict, message, unread = as_read(subject, trial, name, verdict, message)
    return Finding.about(
        subject.name,
        "privacy",
        f"pair/{number}",
        verdict,
        message,
        scope="pair",
        users=first_users(trial.game.pair.users),
        claimed=claimed,
        lower=lower,
        detectable=found,
        calls=trial.calls,
        counterexample=counterexample_of(subject, trial),
        facts=facts_of(trial) | curve_of(trial) | unread,
    )


def beyond_finding(subject: Subject, claim: PrivacyClaim, tier: Tier, share: Share, exact: Bound | None) -> Finding:
    """A demand above what so many calls can certify: proved where the exact loss of every user is known, else said."""
    demand, calls = subject.promise.parameter(average(subject.epsilon[tier.users])), share.calls
    most = largest_provable(calls, share.significance or 1.0 - share.confidence)
    spent = "a single call" if calls == 1 else f"{calls} calls"
    message = f"{tier.words} is beyond {spent}, which could show no loss above {most:.3g}: not refuted, not certified"
    if exact is not None:
        message = f"{tier.words}: the exact loss is {exact.value:.6g}, which is a theorem; too large for {calls} calls"
    return Finding.about(
        subject.name,
        "privacy",
        f"tier/{tier.name}",
        "pass" if exact is not None or claim.beyond == "report" else "inconclusive",
        message,
        "proved" if exact is not None else "tested",
        scope="tier",
        examined=exact is not None,
        users=first_users(tier.users),
        claimed=demand,
        upper=exact,
        detectable=float("inf"),
        facts={"largest": most},
    )


def public_finding(subject: Subject, public: Users) -> Finding:
    """ε = ∞ promises nothing, so there is nothing to audit; said, so that nobody misses it."""
    symbol = subject.promise.symbol
    message = f"{public.size} users are public ({symbol} = ∞): nothing was promised, nothing was audited"
    users, demand = first_users(public), float("inf")
    return Finding.about(
        subject.name, "privacy", "public", "pass", message, "proved", users=users, claimed=demand, examined=False
    )


def single_finding(subject: Subject, factor: float, worst: float, user: int) -> Finding:
    """Whether one user alone, off by `factor`, would have been named: asked for by `detect_single`."""
    demand = subject.promise.parameter(float(subject.epsilon[user]))
    message = f"one user alone would have been named from {worst:.3g} times their demand on (hardest: user {user})"
    if not math.isfinite(worst):
        message = f"from which loss on one user alone would have been named cannot be said (hardest: user {user})"
    verdict: Verdict = "pass" if worst <= factor else "inconclusive"
    return Finding.about(
        subject.name,
        "privacy",
        "single",
        verdict,
        message,
        users=(user,),
        claimed=demand,
        detectable=worst * demand,
    )


def told_by(promise: Promise, bound: Bound) -> Bound:
    """A bound on a strength as one on the parameter that is printed."""
    return replace(bound, value=promise.parameter(bound.value))


def first_users(users: Users) -> tuple[int, ...]:
    """The first of them."""
    return tuple(users.tolist()[:SHOWN])


def average(values: Floats) -> float:
    """Their mean; where all are equal that very number, which a rounded sum might miss."""
    return float(values[0]) if (values == values[0]).all() else math.fsum(values.tolist()) / values.size


def facts_of(trial: Trial) -> dict[str, object]:
    """How the evidence grew, and how rare a leak it would have refuted."""
    game = trial.game
    return {
        "wealth": shortened(game.path),
        "limit": float(-np.log(game.wealth.significance)),
        "rarest_refutable": rarest_refutable(game.pair.limit, game.answered, game.wealth.significance),
    }
