"""The only maker of verdicts: from a played game to a finding that can be defended."""

from __future__ import annotations

import numpy as np

from hdp_audit.attacks.pairs import Users
from hdp_audit.auditors.game import Game
from hdp_audit.auditors.power import detectable_loss
from hdp_audit.evidence.binomial import largest_provable
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Finding, Verdict
from hdp_audit.sampling.subject import Subject


def tier_finding(
    subject: Subject,
    detect: float,
    confidence: float,
    tier: Users,
    game: Game,
    significance: float,
    confirmation: Game | None,
) -> Finding:
    """Fail if refuted twice; pass if a tier off by `detect` would have been seen; else inconclusive."""
    demand = float(subject.epsilon[tier].mean())
    size = game.pair.users.size
    judged = game.calls - game.trained
    found = detectable_loss(game.claimed, judged, significance)
    shown = confirmation or game
    bound = Bound.lower(shown.wealth.loss_lower(significance) / size, "game/wealth", confidence)
    verdict: Verdict
    if confirmation is not None and confirmation.wealth.refutes(significance):
        verdict = "fail"
        message = (
            f"{size} users who demand ε = {demand:g} each lose at least {bound.value:.3g} on average: "
            f"{shown.wealth.right} of {shown.wealth.made} guesses were right, "
            f"where the promise allows {_allowed(game):.1%}"
        )
    elif confirmation is not None:
        verdict, message = "inconclusive", f"ε = {demand:g}: refuted once, but not on fresh draws"
    elif found / size <= detect * demand or (demand == 0 and np.isfinite(found)):
        verdict = "pass"
        message = (
            f"ε = {demand:g}: an ideal witness would have seen a loss of {found / size:.3g} a user with probability 0.8"
        )
    else:
        verdict = "inconclusive"
        message = f"ε = {demand:g}: even an ideal witness needs a loss of {found / size:.3g} a user; give it more calls"
    return Finding(
        id=f"{subject.name}/privacy/tier/{demand:g}",
        subject=subject.name,
        kind="privacy",
        verdict=verdict,
        evidence="tested",
        message=message,
        users=tuple(game.pair.users.tolist()),
        claimed=demand,
        lower=bound,
        detectable=found / size,
        calls=game.calls + (confirmation.calls if confirmation else 0),
        witness=witness_of(shown),
    )


def user_finding(subject: Subject, confidence: float, user: int, game: Game, significance: float) -> Finding:
    """A named user whose claim was refuted on two sets of fresh draws."""
    bound = Bound.lower(game.wealth.loss_lower(significance), "game/wealth", confidence)
    return Finding(
        id=f"{subject.name}/privacy/user/{user}",
        subject=subject.name,
        kind="privacy",
        verdict="fail",
        evidence="tested",
        message=f"user {user} demands ε = {subject.epsilon[user]:g} and loses at least {bound.value:.3g}",
        users=(user,),
        claimed=float(subject.epsilon[user]),
        lower=bound,
        detectable=detectable_loss(game.claimed, game.calls - game.trained, significance),
        calls=game.calls,
        witness=witness_of(game),
    )


def beyond_finding(subject: Subject, tier: Users, calls: int, significance: float) -> Finding:
    """A demand above what so many calls could ever refute: nothing was tried, so nothing passed."""
    demand = float(subject.epsilon[tier].mean())
    most = largest_provable(calls, significance)
    return Finding(
        id=f"{subject.name}/privacy/tier/{demand:g}",
        subject=subject.name,
        kind="privacy",
        verdict="inconclusive",
        evidence="tested",
        message=f"ε = {demand:g}: not tried, as {calls} calls could show no loss above {most:.3g}",
        users=tuple(tier.tolist()[:200]),
        claimed=demand,
        detectable=float("inf"),
    )


def public_finding(subject: Subject, public: Users) -> Finding:
    """ε = ∞ promises nothing, so there is nothing to audit; said, so that nobody misses it."""
    return Finding(
        id=f"{subject.name}/privacy/public",
        subject=subject.name,
        kind="privacy",
        verdict="pass",
        evidence="proved",
        message=f"{public.size} users are public (ε = ∞): nothing was promised, nothing was audited",
        users=tuple(public.tolist()[:200]),
        claimed=float("inf"),
    )


def behaviour_finding(subject: Subject, what: str, message: str) -> Finding:
    """The mechanism did something that no mechanism may do."""
    return Finding(
        id=f"{subject.name}/behaviour/{what}",
        subject=subject.name,
        kind="behaviour",
        verdict="error",
        evidence="tested",
        message=message,
    )


def witness_of(game: Game) -> dict[str, object]:
    """What a person needs to check the accusation by hand."""
    return {
        "base": game.pair.base,
        "users": game.pair.users.tolist()[:200],
        "right": game.wealth.right,
        "guesses": game.wealth.made,
        "low": _number(game.witness.low),
        "high": _number(game.witness.high),
        "columns": [column for column, _ in game.witness.parts],
    }


def _allowed(game: Game) -> float:
    return float(1.0 / (1.0 + np.exp(-game.claimed)))


def _number(value: float) -> float | str:
    return value if np.isfinite(value) else str(value)
