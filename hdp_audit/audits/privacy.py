"""The privacy auditor: every demand tier by groups, every user by their own coin, the bits of doubles by themselves.

Every accusation is confirmed and measured on fresh draws, beyond the budget: only who is about to be accused pays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from hdp_audit.audits import decide
from hdp_audit.audits.fairness import measured_free_privacy
from hdp_audit.audits.game import Game, play
from hdp_audit.audits.power import detectable_loss
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.audits.trial import Trial
from hdp_audit.evidence.binomial import largest_provable
from hdp_audit.model.bound import Bound
from hdp_audit.model.claim import PrivacyClaim
from hdp_audit.model.finding import Finding
from hdp_audit.model.subject import UserFigures
from hdp_audit.search.bit_coins import whom_bits_tell
from hdp_audit.search.pairs import MOST_TELLING, NeighbourPair, Tier, Users, bases, named_tiers, tiers
from hdp_audit.search.screening import Screening, Sides, foreseen_error, screen, standing_out
from hdp_audit.targets.reference import Audited
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]
Data = NDArray[Any]

MOST_SUSPECTS = 8
LEAST_TRIAL = 400  # calls for each of them, however small the budget
# Parts of the calls, and of the false-alarm budget; what is not looked at leaves its part to the others.
CALLS = {"tiers": 0.7, "users": 0.2, "float": 0.1}
ALARMS = {"tiers": 0.55, "users": 0.35, "float": 0.1}
SCREENING = 0.5  # of the users' part; the rest tries suspects
EVERYBODY = 1 / 6  # of the calls about bits, to find whom they tell
FLOAT_GROUP = 1.0  # Σε of the users whose bits are looked at
BY_CHANCE = 1e-3  # that any user of a correct mechanism is shown above the loss that would name them
CONFIRMING = 1e-2  # of both confirmations together: they guard against accidents, the first game keeps the promise


def privacy_checks(epsilon: Floats, claim: PrivacyClaim | None, share: Share, pairs: int = 0) -> dict[str, Share]:
    """The checks of one subject by name, with their parts of the share."""
    if pairs:
        return {f"privacy/pair/{i}": _part(share, 1 / pairs, 1 / pairs) for i in range(pairs)}
    groups = tiers(epsilon)
    if not groups:
        return {"privacy/public": share}
    looked_at = ["tiers", "users"] + ["float"] * (claim is None or claim.floating_point != "off")
    calls, alarms = (
        {part: of[part] / sum(of[each] for each in looked_at) for part in looked_at} for of in (CALLS, ALARMS)
    )
    each = calls["tiers"] * share.calls / len(groups)
    reachable = [float(epsilon[tier].mean()) <= largest_provable(int(each), share.significance) for tier in groups]
    among = max(sum(reachable), 1)
    named = {
        # beyond: nothing is tried, so no alarm can be raised
        f"privacy/tier/{i}": _part(share, calls["tiers"] / among, alarms["tiers"] / among if within else 0.0)
        for i, within in enumerate(reachable)
    }
    return named | {f"privacy/{part}": _part(share, calls[part], alarms[part]) for part in looked_at[1:]}


def _part(share: Share, calls: float, alarms: float) -> Share:
    return replace(share, calls=int(calls * share.calls), significance=alarms * share.significance)


def run_privacy(name: str, subject: Subject, claim: PrivacyClaim, share: Share, own: Data | None = None) -> Outcome:
    """One check by its name."""
    match name.split("/"):
        case ["privacy", "tier", number]:
            finding = _audit_tier(subject, claim, named_tiers(subject.epsilon)[int(number)], share, own)
            return Outcome((finding,))
        case ["privacy", "users"]:
            findings, figures = _audit_users(subject, claim, share)
            known = isinstance(subject.mechanism, Audited)
            details = {} if known else {"free_privacy": measured_free_privacy(figures)}
            return Outcome((*_public(subject), *findings), figures=figures, details=details)
        case ["privacy", "float"]:
            return Outcome((_audit_bits(subject, claim, share),))
        case _:
            return Outcome(tuple(_public(subject)))


def audit_pair(number: int, subject: Subject, claim: PrivacyClaim, share: Share, pair: NeighbourPair) -> Outcome:
    """A pair of datasets that the user gave."""
    trial = _tried(subject, [pair], share, f"pair/{number}")
    return Outcome((decide.pair_finding(subject, share.confidence, number, trial, claim.detect),))


def _tried(subject: Subject, pairs: list[NeighbourPair], share: Share, name: str, *, bits: bool = False) -> Trial:
    """A game, and where it refutes the claim once more on fresh draws; then how large the loss is."""
    game = play(subject, pairs, share.calls, share.significance, share.seed, name, bits=bits)
    if not game.wealth.refutes:
        return Trial(game)

    def once_more(calls: int, significance: float, what: str, *, measuring: bool = False) -> Game:
        named, last = f"{name}/{what}", trial.games[-1]
        return play(
            subject, [game.pair], calls, significance, share.seed, named, bits=bits, measuring=measuring, after=last
        )

    trial = Trial(game)
    # an early refutation may have been lucky: where twice its calls do not confirm it, all calls of the check get a try
    for calls in (max(2 * game.calls, 2000), share.calls):
        what = f"confirmation/{len(trial.confirmations)}"
        trial = replace(trial, confirmations=(*trial.confirmations, once_more(calls, CONFIRMING / 2, what)))
        if trial.refuted:
            break
    if bits or not trial.refuted or trial.games[-1].witness.together:
        return trial
    calls = min(2 * trial.calls, max(share.calls, 1))
    return replace(trial, sized=once_more(calls, share.significance, "extent", measuring=True))


def _public(subject: Subject) -> Iterator[Finding]:
    public = np.flatnonzero(np.isinf(subject.epsilon))
    if public.size:
        yield decide.public_finding(subject, public)


def _exact(subject: Subject, users: Users) -> Bound | None:
    """The average exact loss of these users, where the mechanism is the suite's own and so can be believed.

    None where one of them loses more than they demand: then an average would hide it.
    """
    if not isinstance(subject.mechanism, Audited):
        return None
    losses = np.asarray(subject.mechanism.privacy_loss)[users]
    if (losses > subject.epsilon[users]).any():
        return None
    return Bound.upper(decide.average(losses), "exact loss of the reference mechanism")


def group_of(epsilon: Floats, members: Users, telling: float, seed: int, name: str) -> Users:
    """Members in random order until their demands sum to where a wrong noise scale shows best; all who demand 0."""
    order = stream(seed, "group", name).permutation(members)
    enough = int(np.searchsorted(np.cumsum(epsilon[order]), telling)) + 1
    return np.sort(order[:enough])


def tier_group(epsilon: Floats, tier: Tier, seed: int) -> Users:
    """Who of a tier is moved."""
    return group_of(epsilon, tier.users, MOST_TELLING, seed, f"tier/{tier.number}")


def _audit_tier(subject: Subject, claim: PrivacyClaim, tier: Tier, share: Share, own: Data | None) -> Finding:
    if not share.significance:
        return decide.beyond_finding(subject, claim, tier, share, _exact(subject, tier.users))
    members = tier_group(subject.epsilon, tier, share.seed)
    pairs = [base.pair(members) for base in bases(subject.epsilon.size, subject.categories, own)]
    trial = _tried(subject, pairs, share, f"tier/{tier.number}")
    if trial.again is None and _too_large(decide.average(subject.epsilon[members]), claim, share):
        return decide.beyond_finding(subject, claim, tier, share, _exact(subject, tier.users))
    return decide.tier_finding(subject, claim, share.confidence, tier, trial, _exact(subject, members))


def _too_large(demand: float, claim: PrivacyClaim, share: Share) -> bool:
    """A demand so large that even `detect` times it could not be told from it in these calls."""
    return demand >= MOST_TELLING and detectable_loss(demand, share.calls, share.significance) > claim.detect * demand


def _audit_bits(subject: Subject, claim: PrivacyClaim, share: Share) -> Finding:
    """The lowest set bits of outputs around 0, where doubles are finest, and the same pair with rounded outputs.

    Whoever the bits seem to tell when everybody has a coin is moved; else a few by lot.
    """
    base = bases(subject.epsilon.size, subject.categories)[0]
    coins = whom_bits_tell(subject, Sides.of(base), int(EVERYBODY * share.calls), share.seed)
    users = group_of(subject.epsilon, _careful(subject.epsilon), FLOAT_GROUP, share.seed, "float")
    pair = base.pair(users if coins.told is None else np.array([coins.told]))
    left = share.calls - coins.calls
    bits = _tried(subject, [pair], replace(share, calls=left * 2 // 3), "float/bits", bits=True)
    rounded = play(subject, [pair], left // 3, share.significance, share.seed, "float/rounded")
    return decide.float_finding(subject, claim.floating_point, bits, rounded, coins, share.confidence)


def _careful(epsilon: Floats) -> Users:
    """Users whose demands lie above 0 and leave bits something to show; else all above 0; else everybody."""
    positive = np.isfinite(epsilon) & (epsilon > 0)
    kinds = (np.flatnonzero(kind) for kind in (positive & (epsilon <= FLOAT_GROUP), positive, np.ones_like(positive)))
    return next(kind for kind in kinds if kind.size)


def _audit_users(subject: Subject, claim: PrivacyClaim, share: Share) -> tuple[list[Finding], UserFigures]:
    """Everybody by their own coin; the most suspicious by games of their own, the worst with half of the calls left."""
    calls = int(SCREENING * share.calls)
    base = bases(subject.epsilon.size, subject.categories)[0]
    sides = Sides.of(base)
    seen = screen(subject, sides.first, sides.second, calls, share.seed)
    each = share.significance / MOST_SUSPECTS
    left, findings = share.calls - calls, []
    for user in seen.suspects(MOST_SUSPECTS).tolist():
        own = replace(share, calls=max(left // 2, LEAST_TRIAL), significance=each)
        pairs = [some.pair(np.array([user])) for some in bases(subject.epsilon.size, subject.categories)[:2]]
        trial = _tried(subject, pairs, own, f"user/{user}")
        left -= trial.game.calls
        if trial.refuted:
            exact = _exact(subject, np.array([user]))
            findings.append(decide.user_finding(subject, share.confidence, user, trial, exact))
    figures = _figures(subject, seen, (share.calls - calls) // 2, each)
    findings.extend(_single(subject, claim, figures))
    return findings, figures


def _figures(subject: Subject, seen: Screening, calls: int, significance: float) -> UserFigures:
    """A user is nameable where they would stand out from all others, and a game would convict them.

    A block's average says something of a member only if it could not look like that member's broken promise.
    """
    n, epsilon = subject.epsilon.size, subject.epsilon
    exact = subject.mechanism.privacy_loss if isinstance(subject.mechanism, Audited) else np.full(n, np.nan)
    nameable = np.maximum(
        _nameable(epsilon, seen.single_error(), calls, significance), seen.chance(epsilon, _standing(n))
    )
    estimate, error = (np.where(seen.asked <= nameable, values, np.nan) for values in seen.losses())
    return UserFigures(
        demand=epsilon,
        exact=np.asarray(exact),
        estimate=estimate,
        error=error,
        nameable=nameable,
        shared_by=np.where(np.isnan(estimate), np.nan, seen.members),
    )


def _nameable(epsilon: Floats, error: float, calls: int, significance: float) -> Floats:
    return np.maximum(epsilon + error * _standing(epsilon.size), _convictable(epsilon, calls, significance))


def _standing(users: int) -> float:
    """Standard errors off at which one of so many stands out, and which no correct mechanism's shows by chance."""
    return float(max(1.0 + standing_out(users, MOST_SUSPECTS), norm.isf(BY_CHANCE / users)))


def foreseen_single(epsilon: Floats, frequencies: bool, share: Share) -> float | None:
    """The factor from which on one user alone would be named, whoever it is; None where nobody can be.

    What `privacy/single` will say of noise like Laplace's, before any call.
    """
    calls = int(SCREENING * share.calls)
    error = foreseen_error(epsilon.size, calls, frequencies)
    figures = _nameable(epsilon, error, (share.calls - calls) // 2, share.significance / MOST_SUSPECTS)
    some = np.flatnonzero(np.isfinite(epsilon) & (epsilon > 0))
    return float((figures[some] / epsilon[some]).max()) if some.size else None


def _convictable(epsilon: Floats, calls: int, significance: float) -> Floats:
    """The loss at which a game of so many calls convicts one user; between 64 demands straight lines."""
    finite = epsilon[np.isfinite(epsilon)]
    if not finite.size:
        return np.full(epsilon.size, np.inf)
    knots = np.unique(np.quantile(finite, np.linspace(0, 1, 64)))
    found = np.array([detectable_loss(float(knot), calls, significance) for knot in knots])
    return np.where(np.isfinite(epsilon), np.interp(np.minimum(epsilon, knots[-1]), knots, found), np.inf)


def _single(subject: Subject, claim: PrivacyClaim, figures: UserFigures) -> Iterator[Finding]:
    if claim.detect_single == "report":
        return
    some = np.flatnonzero(np.isfinite(subject.epsilon) & (subject.epsilon > 0))
    if some.size:
        factors = figures.nameable[some] / subject.epsilon[some]
        hardest = int(np.argmax(factors))
        yield decide.single_finding(subject, float(claim.detect_single), float(factors[hardest]), int(some[hardest]))
