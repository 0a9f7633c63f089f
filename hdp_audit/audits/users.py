"""Every user by their own coin; the most suspicious by games of their own, or one who may lose least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from hdp_audit.audits import decide
from hdp_audit.audits.claim_test import claim_test
from hdp_audit.audits.exact import exact_loss, known_losses
from hdp_audit.audits.fairness import measured_free_privacy
from hdp_audit.audits.forecast import Forecast
from hdp_audit.audits.power import detectable
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.public import public_findings
from hdp_audit.audits.share import ClaimTest, Outcome, Share
from hdp_audit.audits.trial import Trial
from hdp_audit.model.claim import PrivacyClaim
from hdp_audit.model.domain import Base
from hdp_audit.model.finding import Finding, Kind, id_of, label_of
from hdp_audit.model.promise import Promise
from hdp_audit.model.subject import UserFigures
from hdp_audit.search.screening import Screening, foreseen_error, screen, standing_out
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.white_box import white_box

Floats = NDArray[np.float64]

MOST_SUSPECTS = 8
LEAST_TRIAL = 400  # calls for each of them, however small the budget
SCREENING = 0.5  # of the calls; the rest tries suspects
BY_CHANCE = 1e-3  # that any user of a correct mechanism is shown above the loss that would name them


@dataclass(frozen=True, eq=False)
class UsersCheck(PrivacyCheck):
    """A finding for each user who is named, and everybody's own figures."""

    topic: ClassVar[str] = "users"

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/users"

    @property
    def expected_calls(self) -> int:
        """About half of those who are tried alone take the least that a trial takes."""
        return max(self.share.calls, MOST_SUSPECTS // 2 * LEAST_TRIAL)

    def run(self, subject: Subject) -> Outcome:
        """Coins, games, figures."""
        findings, figures, tests = audit_users(subject, self.claim, self.share)
        known = white_box(subject.mechanism)
        details = {} if known is not None else {"free_privacy": measured_free_privacy(figures)}
        return Outcome((*public_findings(subject), *findings), figures=figures, details=details, tests=tests)

    def forecast(self) -> Forecast | None:
        """From which factor on one user alone would be named, where that was asked for."""
        asked = self.claim.detect_single
        if asked == "report":
            return None
        found = foreseen_single(self.case.promise, self.case.task.opposed, self.share)
        if found is None:
            return None
        named = f"from {found:.3g} times their demand on" if found < float("inf") else "never"
        has = "has" if found <= asked else "lacks"
        told = f"one user alone is named {named}; detect_single = {asked:g}, which this budget {has}"
        return Forecast(found <= asked, sentence=told)

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """Of everybody together."""
        demands = self.case.promise.strengths
        if np.isinf(demands).any():
            yield "privacy", "public"
        if self.claim.detect_single != "report" and (np.isfinite(demands) & (demands > 0)).any():
            yield "privacy", "single"

    def left_open(self, finding: str, why: str) -> Finding | None:
        """Of a user nothing is said before they are named."""
        demands = self.case.promise.strengths
        for user, what in enumerate(map(alone, range(demands.size))):
            if finding == id_of(self.case.name, label_of(*what)):
                more: dict[str, Any] = {
                    "scope": "user",
                    "users": (user,),
                    "claimed": self.case.promise.parameter(float(demands[user])),
                }
                return self._open(*what, f"user {user}: {why}", **more)
        return None

    def possible_alone(self) -> Iterator[tuple[Kind, str]]:
        """Every user to whom something was promised."""
        promised = np.flatnonzero(np.isfinite(self.case.promise.strengths))
        return map(alone, promised.tolist())


def alone(user: int) -> tuple[Kind, str]:
    """What a finding about one user is called."""
    return "privacy", f"user/{user}"


def audit_users(
    subject: Subject, claim: PrivacyClaim, share: Share
) -> tuple[list[Finding], UserFigures, tuple[ClaimTest, ...]]:
    """Everybody by their own coin; the most suspicious by games of their own, the worst with half of the calls left.

    Where nobody is suspicious one user gets all of them: a leak that hardly ever happens moves nobody's average.
    """
    calls = int(SCREENING * share.calls)
    bases = subject.bases()[:2]
    seen = screen(subject, subject.coins(bases[0]), calls, share.seed)
    each, suspects = share.significance / MOST_SUSPECTS, seen.suspects(MOST_SUSPECTS).tolist()
    left, trials = share.calls - calls, []
    for user in suspects:
        own = replace(share, calls=max(left // 2, LEAST_TRIAL), significance=each)
        trials.append((user, _tried(subject, user, bases, own)))
        left -= trials[-1][1].game.calls
    if not suspects and left >= LEAST_TRIAL:  # other draws said which of the two it is, so no alarm is added
        own, tried = replace(share, calls=left), least_demanding(subject.promise, share.seed)
        trials = [(user, _tried(subject, user, bases[:1], own)) for user in tried]
    findings = [
        decide.user_finding(subject, share.confidence, user, trial, exact_loss(subject, np.array([user])))
        for user, trial in trials
        if trial.confirmation is not None
    ]
    figures = _figures(subject, seen, (share.calls - calls) // 2, each)
    findings.extend(_single(subject, claim, figures))
    return findings, figures, tuple(trial.test for _, trial in trials)


def _tried(subject: Subject, user: int, bases: list[Base], share: Share) -> Trial:
    """A game on one user alone."""
    pairs = [subject.pair(base, np.array([user])) for base in bases]
    return claim_test(subject, pairs, share, f"user/{user}", alone(user))


def least_demanding(promise: Promise, seed: int) -> list[int]:
    """One of those who may lose least, but something: a rare sign that betrays anybody for certain wins most on them.

    Nobody stands out where only such signs tell, and in a group each of them wins log(1 + e^−Σε) alone.
    """
    promised = np.where(promise.strengths > 0, promise.strengths, np.inf)
    least = np.flatnonzero(np.isfinite(promised) & (promised == promised.min()))
    return stream(seed, "least demanding").permutation(least)[:1].tolist()


def _figures(subject: Subject, seen: Screening, calls: int, significance: float) -> UserFigures:
    """From `detectable_loss_alone` on a user stands out from all others, and a game confirms it.

    A block's average says something of a member only if it could not look like that member's broken promise.
    """
    n, epsilon, promise = subject.epsilon.size, subject.epsilon, subject.promise
    known = known_losses(subject)
    exact = np.full(n, np.nan) if known is None else known
    detectable_loss_alone = np.maximum(
        _detectable_alone(promise, seen.single_error(), calls, significance), seen.chance(epsilon, _standing(n))
    )
    if isinstance(subject.mechanism, Encoded):  # of outputs of any kind no law of noise can be assumed
        detectable_loss_alone = np.full(n, np.inf)
    estimate, error = (np.where(seen.asked <= detectable_loss_alone, values, np.nan) for values in seen.losses())
    return _told(
        promise,
        UserFigures(
            demand=epsilon,
            exact=np.asarray(exact),
            estimate=estimate,
            error=error,
            detectable_loss_alone=detectable_loss_alone,
            shared_by=np.where(np.isnan(estimate), np.nan, seen.members),
        ),
    )


def _told(promise: Promise, figures: UserFigures) -> UserFigures:
    """Strengths as the parameter that is printed."""
    told = promise.parameters
    if promise.pure:
        return figures
    size = np.abs(figures.estimate)
    return replace(
        figures,
        demand=told(figures.demand),
        exact=told(figures.exact),
        estimate=np.copysign(told(size), figures.estimate),
        error=told(size + figures.error) - told(size),
        detectable_loss_alone=told(figures.detectable_loss_alone),
    )


def _detectable_alone(promise: Promise, error: float, calls: int, significance: float) -> Floats:
    seen = promise.strengths + error * _standing(len(promise))
    return np.maximum(seen, _confirmable(promise, calls, significance))


def _standing(users: int) -> float:
    """Standard errors off at which one of so many stands out, and which no correct mechanism's shows by chance."""
    return float(max(1.0 + standing_out(users, MOST_SUSPECTS), -ndtri(BY_CHANCE / users)))


def foreseen_single(promise: Promise, frequencies: bool, share: Share) -> float | None:
    """The factor from which on one user alone would be named, whoever it is; None where nobody can be.

    What `privacy/single` will say of noise like Laplace's, before any call.
    """
    calls = int(SCREENING * share.calls)
    epsilon = promise.strengths
    error = foreseen_error(epsilon.size, calls, frequencies)
    figures = _detectable_alone(promise, error, (share.calls - calls) // 2, share.significance / MOST_SUSPECTS)
    some = np.flatnonzero(np.isfinite(epsilon) & (epsilon > 0))
    told = promise.parameters
    return float((told(figures[some]) / told(epsilon[some])).max()) if some.size else None


def _confirmable(promise: Promise, calls: int, significance: float) -> Floats:
    """The loss at which a game of so many calls refutes one user's promise; between 64 demands straight lines."""
    epsilon = promise.strengths
    finite = epsilon[np.isfinite(epsilon)]
    if not finite.size:
        return np.full(epsilon.size, np.inf)
    knots = np.unique(np.quantile(finite, np.linspace(0, 1, 64)))
    likely = promise.group(np.flatnonzero(np.isfinite(epsilon))[:1])
    found = np.array([detectable(likely.at(float(knot)), calls, significance) for knot in knots])
    return np.where(np.isfinite(epsilon), np.interp(np.minimum(epsilon, knots[-1]), knots, found), np.inf)


def _single(subject: Subject, claim: PrivacyClaim, figures: UserFigures) -> Iterator[Finding]:
    if claim.detect_single == "report":
        return
    some = np.flatnonzero(np.isfinite(subject.epsilon) & (subject.epsilon > 0))
    if some.size:
        factors = figures.detectable_loss_alone[some] / figures.demand[some]
        hardest = int(np.argmax(factors))
        yield decide.single_finding(subject, float(claim.detect_single), float(factors[hardest]), int(some[hardest]))
