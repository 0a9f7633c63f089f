"""Verdicts on the bits of doubles: a leak, none that was seen, or too few calls to have seen one."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from hdp_audit.audits.counterexamples import counterexample_of
from hdp_audit.audits.decide import SHOWN, facts_of, first_users, told_by
from hdp_audit.audits.game import Game
from hdp_audit.audits.power import detectable
from hdp_audit.audits.share import Share
from hdp_audit.audits.trial import UNANSWERED, Trial
from hdp_audit.audits.verdicts_accuracy import rounded_up
from hdp_audit.evidence.binomial import loss_upper, proportion_lower
from hdp_audit.model.claim import PrivacyClaim
from hdp_audit.model.finding import Finding, Verdict
from hdp_audit.model.neighbours import Users
from hdp_audit.model.promise import Limit, Promise, PureLimit
from hdp_audit.search.bit_coins import BitCoins
from hdp_audit.search.tiers import MOST_TELLING
from hdp_audit.targets.subject import Subject

UNCONFIRMED = "the lowest bits refuted the promise once, which new samples did not confirm; increase the budget"
KEPT = (
    "the place of the lowest set bit of the outputs was not seen to tell more than the promise allows; which doubles "
    "can come out at all was not looked at"
)
LEAK = (
    "the formula may be right, but its arithmetic in doubles leaks; add noise on a grid in exact integers, as "
    "the reference mechanisms do, or round every output to a fixed grid coarser than the leak"
)
ACCEPT = 'or accept it: with floating_point = "warn" it is told and fails nothing'  # so in specs and in Python
MOST_CALLS = 10**9  # that are worth to be named


@dataclass(frozen=True)
class _Decided:
    verdict: Verdict
    message: str
    examined: bool = True


def float_finding(
    subject: Subject, claim: PrivacyClaim, bits: Trial, rounded: Game, coins: BitCoins, share: Share
) -> Finding:
    """Leaks through the bits of doubles that outputs rounded far below the noise do not show."""
    told, limit = subject.promise.parameter, bits.game.pair.limit
    claimed, lower = told(bits.game.claimed), told_by(subject.promise, bits.lower(share.confidence))
    found = detectable(limit, bits.game.answered, bits.game.wealth.significance)
    if bits.refuted:
        unclear = rounded.wealth.refutes or lower.value <= told(_at_most(rounded))
        who = _group(subject.promise, bits.game.pair.users, claimed)
        decided = _refuted(claim.floating_point, lower.value, who, unclear=unclear)
    elif bits.confirmation is not None:
        decided = _Decided("inconclusive", UNCONFIRMED)
    elif not bits.game.answered:
        decided = _Decided("inconclusive", UNANSWERED)
    elif not math.isfinite(found):
        decided = _unseen(claim, bits.game, share)
    else:
        who = coins.words(bits.game.pair.users, int(np.isfinite(subject.epsilon).sum()))
        decided = _Decided("pass", f"{KEPT}: {who}{_shared(subject.promise, bits.game.pair.users, claimed)}")
    return Finding.about(
        subject.name,
        "float",
        "bits",
        decided.verdict,
        decided.message,
        examined=decided.examined,
        users=first_users(bits.game.pair.users),
        claimed=claimed,
        lower=lower,
        detectable=told(found),
        calls=bits.calls + rounded.calls + coins.calls,
        counterexample=counterexample_of(subject, bits),
        facts=facts_of(bits) | {"moved": bits.game.pair.users.tolist()[:SHOWN], "screened": coins.users},
    )


def _group(promise: Promise, users: Users, claimed: float) -> str:
    """Whose loss it is, and what they were promised: of several, together."""
    if users.size == 1:
        return f"user {users[0]}, who was promised {_promised(promise, users, claimed)}"
    return f"{users.size} users together, who were promised {_promised(promise, users, claimed)} together"


def _shared(promise: Promise, users: Users, claimed: float) -> str:
    """Of several users, what their promises allow together."""
    return "" if users.size == 1 else f"; those moved were promised {_promised(promise, users, claimed)} together"


def _promised(promise: Promise, users: Users, claimed: float) -> str:
    return f"{promise.symbol} = {claimed:.6g}{promise.beside(users)}"


def _refuted(how: str, lower: float, who: str, *, unclear: bool) -> _Decided:
    """A leak; whether it is one of the arithmetic alone is said only where rounded outputs tell less."""
    loses = f"a loss of {lower:.3g} of {who}"
    if unclear:
        why = "but rounded outputs may tell as much: mend the formula first, or give it more calls"
        return _Decided("inconclusive", f"bits prove {loses}, {why}")
    leak = f"the lowest bits of the outputs prove {loses}: {LEAK}"
    if how == "fail":
        return _Decided("fail", f"{leak}; {ACCEPT}")
    return _Decided("pass", f"only a warning, as the claim asks: {leak}")


def _unseen(claim: PrivacyClaim, game: Game, share: Share) -> _Decided:
    """So few calls would have refuted no leak whatever: a demand beyond them counts as `beyond` says."""
    needed = _least(game.pair.limit, game.wealth.significance)
    budget = math.ceil(share.budget * needed / game.answered)
    more = f"that takes a budget of about {rounded_up(budget)}" if budget < MOST_CALLS else "no budget is enough"
    message = f"not examined: {game.answered} judged calls would have refuted no leak through the lowest bits; {more}"
    if claim.floating_point == "warn" or (game.claimed >= MOST_TELLING and claim.beyond == "report"):
        return _Decided("pass", message, examined=False)
    return _Decided("inconclusive", message)


def _least(limit: Limit, significance: float) -> int:
    """Judged calls in which some loss is refuted with probability 0.8."""
    sizes = np.unique(np.geomspace(1, MOST_CALLS, 400).astype(np.int64)).tolist()
    place = bisect_left(sizes, True, key=lambda calls: math.isfinite(detectable(limit, calls, significance)))
    return int(sizes[min(place, len(sizes) - 1)])


def _at_most(game: Game) -> float:
    """The largest strength that the guesses of a game's rules are compatible with, at 95% confidence."""
    right, made, drawn = game.wealth.every
    if isinstance(game.pair.limit, PureLimit):
        return float(loss_upper(right, made, 0.05))
    most = 1.0 - float(proportion_lower(drawn - right, drawn, 0.025))
    least = float(proportion_lower(made - right, drawn, 0.025))
    return float(game.pair.limit.shown_by(most, least)) if least > 0 else float("inf")
