"""The only maker of privacy verdicts: from a played game to a finding that can be defended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hdp_audit.attacks.pairs import NeighbourPair, Users
from hdp_audit.attacks.words import Vocabulary, event_words
from hdp_audit.auditors.game import Game, shortened
from hdp_audit.auditors.power import detectable_loss
from hdp_audit.auditors.share import Share
from hdp_audit.evidence.binomial import largest_provable, loss_upper
from hdp_audit.model.bound import Bound
from hdp_audit.model.claim import PrivacyClaim
from hdp_audit.model.finding import Evidence, Finding, Verdict
from hdp_audit.sampling.custom import Encoded
from hdp_audit.sampling.subject import Subject

SHOWN = 200  # users listed in a finding
UNANSWERED = "no call of the mechanism gave an output, so nothing was audited"


@dataclass(frozen=True)
class Trial:
    """A game, and a second one on fresh draws where the first refuted the claim."""

    game: Game
    again: Game | None = None

    @property
    def refuted(self) -> bool:
        """Twice."""
        return self.again is not None and self.again.wealth.refutes


def tier_finding(
    subject: Subject, claim: PrivacyClaim, confidence: float, tier: Users, trial: Trial, exact: Bound | None
) -> Finding:
    """Fail if refuted twice; pass if a tier off by `detect` would have been seen; else inconclusive."""
    demand = float(subject.epsilon[tier].mean())
    game = trial.game
    size = game.pair.users.size
    found = _seen(game) / size
    lower = Bound.lower(game.wealth.loss_lower / size, "game/wealth", confidence)
    verdict: Verdict
    if trial.refuted:
        verdict, message = "fail", _accusation(game, demand, lower.value)
    elif trial.again is not None:
        verdict, message = "inconclusive", f"ε = {demand:g}: refuted once, but not on fresh draws; run again with more"
    elif not game.answered:
        verdict, message = "inconclusive", f"ε = {demand:g}: {UNANSWERED}"
    elif found <= claim.detect * demand or (demand == 0 and np.isfinite(found)):
        verdict = "pass"
        message = f"ε = {demand:g}: not refuted; a loss of {found:.3g} a user would have been, with probability 0.8"
    else:
        verdict = "inconclusive"
        message = (
            f"ε = {demand:g}: not refuted, but {_least(found)} a user would have been seen with probability 0.8, and "
            f"{claim.detect * demand:.3g} was asked; {_remedy(game)}"
        )
    calls = game.calls + (trial.again.calls if trial.again else 0)
    return Finding(
        id=f"{subject.name}/privacy/tier/{demand:g}",
        subject=subject.name,
        kind="privacy",
        verdict=verdict,
        evidence="tested",
        message=message,
        users=tuple(tier.tolist()[:SHOWN]),
        claimed=demand,
        lower=lower,
        upper=exact,
        detectable=found,
        calls=calls,
        witness=witness_of(trial),
    )


def _seen(game: Game) -> float:
    """The loss that the calls which were answered would have shown."""
    return detectable_loss(game.claimed, game.answered, game.wealth.significance)


def _least(found: float) -> str:
    return f"only a loss of {found:.3g}" if np.isfinite(found) else "no loss"


def _remedy(game: Game) -> str:
    """What would give it more power."""
    if 2 * game.failed > game.calls:
        return f"{game.failed} of {game.calls} calls gave no output"
    return "give it more calls"


def _accusation(game: Game, demand: float, lower: float) -> str:
    (right, made), size = game.wealth.shown, game.pair.users.size
    who = "a user who demands" if size == 1 else f"{size} users who demand"
    each = "loses" if size == 1 else "each lose"
    return (
        f"{who} ε = {demand:g} {each} at least {lower:.3g}{'' if size == 1 else ' on average'}: {right} of "
        f"{made} guesses were right, where the promise allows {_allowed(game):.2%}"
    )


def user_finding(subject: Subject, confidence: float, user: int, trial: Trial, exact: Bound | None) -> Finding:
    """A named user whose claim was refuted on two sets of fresh draws."""
    game = trial.game
    bound = Bound.lower(game.wealth.loss_lower, "game/wealth", confidence)
    right, made = game.wealth.shown
    return Finding(
        id=f"{subject.name}/privacy/user/{user}",
        subject=subject.name,
        kind="privacy",
        verdict="fail",
        evidence="tested",
        message=(
            f"user {user} demands ε = {subject.epsilon[user]:g} and loses at least {bound.value:.3g}: "
            f"{right} of {made} guesses were right, where the promise allows {_allowed(game):.2%}"
        ),
        users=(user,),
        claimed=float(subject.epsilon[user]),
        lower=bound,
        upper=exact,
        detectable=_seen(game),
        calls=game.calls + (trial.again.calls if trial.again else 0),
        witness=witness_of(trial),
    )


def pair_finding(subject: Subject, confidence: float, number: int, trial: Trial, detect: float) -> Finding:
    """A pair of datasets that the user gave, and the users in whom they differ."""
    game = trial.game
    found = _seen(game)
    lower = Bound.lower(game.wealth.loss_lower, "game/wealth", confidence)
    right, made = game.wealth.shown
    verdict: Verdict
    if trial.refuted:
        verdict = "fail"
        message = (
            f"pair {number} may lose {game.claimed:g} and loses at least {lower.value:.3g}: {right} of "
            f"{made} guesses were right, where the promise allows {_allowed(game):.2%}"
        )
    elif trial.again is not None:
        verdict, message = "inconclusive", f"pair {number}: refuted once, but not on fresh draws; run again with more"
    elif not game.answered:
        verdict, message = "inconclusive", f"pair {number}: {UNANSWERED}"
    elif found <= detect * game.claimed or (game.claimed == 0 and np.isfinite(found)):
        verdict = "pass"
        message = f"pair {number}: not refuted; a loss of {found:.3g} would have been, with probability 0.8"
    else:
        verdict = "inconclusive"
        message = (
            f"pair {number}: not refuted, but {_least(found)} would have been seen with probability 0.8, and "
            f"{detect * game.claimed:.3g} was asked; {_remedy(game)}"
        )
    return Finding(
        id=f"{subject.name}/privacy/pair/{number}",
        subject=subject.name,
        kind="privacy",
        verdict=verdict,
        evidence="tested",
        message=message,
        users=tuple(game.pair.users.tolist()[:SHOWN]),
        claimed=game.claimed,
        lower=lower,
        detectable=found,
        calls=game.calls + (trial.again.calls if trial.again else 0),
        witness=witness_of(trial, _vocabulary(subject)),
    )


def _vocabulary(subject: Subject) -> Vocabulary:
    mechanism = subject.mechanism
    if not isinstance(mechanism, Encoded):
        return Vocabulary()
    return Vocabulary(mechanism.symbols, mechanism.seen, tuple(subject.failures))


def beyond_finding(subject: Subject, claim: PrivacyClaim, tier: Users, share: Share, exact: Bound | None) -> Finding:
    """A demand above what so many calls can certify: proved where the exact loss is known, else said."""
    demand = float(subject.epsilon[tier].mean())
    calls = share.calls
    most = largest_provable(calls, share.significance or 1.0 - share.confidence)
    proved = exact is not None and exact.value <= float(subject.epsilon[tier].max())
    evidence: Evidence = "proved" if proved else "tested"
    verdict: Verdict = "pass" if proved or claim.beyond == "report" else "inconclusive"
    message = (
        f"ε = {demand:g} is beyond {calls} calls, which could show no loss above {most:.3g}: not refuted, not certified"
    )
    if proved and exact is not None:
        message = (
            f"ε = {demand:g}: the exact loss is {exact.value:.6g}, which is a theorem; too large for {calls} calls"
        )
    return Finding(
        id=f"{subject.name}/privacy/tier/{demand:g}",
        subject=subject.name,
        kind="privacy",
        verdict=verdict,
        evidence=evidence,
        message=message,
        users=tuple(tier.tolist()[:SHOWN]),
        claimed=demand,
        upper=exact,
        detectable=float("inf"),
        witness={"beyond": True, "largest": most},
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
        users=tuple(public.tolist()[:SHOWN]),
        claimed=float("inf"),
    )


def single_finding(subject: Subject, factor: float, worst: float, user: int) -> Finding:
    """Whether one user alone, off by `factor`, would have been named: asked for by `detect_single`."""
    seen = worst <= factor
    return Finding(
        id=f"{subject.name}/privacy/single",
        subject=subject.name,
        kind="privacy",
        verdict="pass" if seen else "inconclusive",
        evidence="tested",
        message=f"one user alone would have been named from {worst:.3g} times their demand on (hardest: user {user})",
        users=(user,),
        claimed=float(subject.epsilon[user]),
        detectable=worst * float(subject.epsilon[user]),
    )


def float_finding(subject: Subject, how: str, bits: Trial, rounded: Game, confidence: float) -> Finding:
    """Leaks through the bits of doubles that outputs rounded far below the noise do not show."""
    game = bits.game
    lower = Bound.lower(game.wealth.loss_lower, "game/wealth", confidence)
    verdict: Verdict = "pass"
    message = "the lowest bits of the outputs tell no more than the promise allows"
    plain = float(loss_upper(rounded.wealth.right, rounded.wealth.made, 0.05))
    if not game.answered and not bits.refuted:
        verdict, message = "inconclusive", UNANSWERED
    elif bits.refuted and lower.value <= plain:
        verdict = "inconclusive"
        message = (
            f"bits prove a loss of {lower.value:.3g} where {game.claimed:g} was promised, but rounded outputs may tell "
            "as much: mend the formula first, or give it more calls"
        )
    elif bits.refuted:
        verdict = "fail" if how == "fail" else "pass"
        message = (
            f"the lowest bits of the outputs prove a loss of {lower.value:.3g} where {game.claimed:g} was promised: "
            "the formula may be right, but its arithmetic in doubles leaks; add noise on a grid in exact integers, as "
            "the reference mechanisms do, or round every output to a fixed grid coarser than the leak"
        )
    return Finding(
        id=f"{subject.name}/float/bits",
        subject=subject.name,
        kind="float",
        verdict=verdict,
        evidence="tested",
        message=message,
        users=tuple(game.pair.users.tolist()[:SHOWN]),
        claimed=game.claimed,
        lower=lower,
        detectable=_seen(game),
        calls=game.calls + rounded.calls + (bits.again.calls if bits.again else 0),
        witness=witness_of(bits),
    )


def witness_of(trial: Trial, known: Vocabulary | None = None) -> dict[str, object]:
    """What a person needs to check the accusation by hand."""
    game = trial.game
    found: dict[str, object] = {
        "base": game.pair.base,
        "users": game.pair.users.tolist()[:SHOWN],
        "group": int(game.pair.users.size),
        "group_claimed": game.claimed,
        "first": _side(game.pair, game.pair.before),
        "second": _side(game.pair, game.pair.after),
        "event": event_words(game.witness, game.features, known),
        "right": game.wealth.shown[0],
        "guesses": game.wealth.shown[1],
        "allowed": _allowed(game),
        "wealth": shortened(game.path),
        "limit": float(-np.log(game.wealth.significance)),
        "noticeable": float(-np.log(game.wealth.significance) / max(game.judged, 1)),
    }
    if trial.again is not None:
        again = trial.again.wealth
        found["confirmation"] = {"right": again.shown[0], "guesses": again.shown[1], "refuted": again.refutes}
    return found


def _side(pair: NeighbourPair, words: str) -> str:
    """One of the two datasets; a dataset that the user gave is only named."""
    if pair.given:
        return f"{words} of {pair.base}"
    return f"{pair.base}, and {'this user' if pair.users.size == 1 else 'these users'} at {words}"


def _allowed(game: Game) -> float:
    return float(1.0 / (1.0 + np.exp(-game.claimed)))
