"""Everybody at once, from a single call on: each user has a coin of their own in every call, and all are bet on.

For mechanisms of which a call is dear, such as training a model, and whose output has many numbers. What the calls
prove is that somebody loses at least some times their demand; who, they do not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits import decide
from hdp_audit.audits.crowd_power import detectable_factor, largest_moves
from hdp_audit.audits.forecast import Forecast
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.sequential import Course, sequential
from hdp_audit.audits.share import ClaimTest, Outcome, Share
from hdp_audit.audits.trial import UNANSWERED
from hdp_audit.evidence.crowd import TEMPERS, Call, Odds, gained, made, path
from hdp_audit.evidence.e_process import goal, mixed
from hdp_audit.model.finding import Finding, Kind, Verdict, id_of, label_of
from hdp_audit.model.leaving import Remove
from hdp_audit.model.neighbours import Replace
from hdp_audit.model.promise import Promise
from hdp_audit.model.vector import Vector
from hdp_audit.search.decoding import Decoder
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

WHAT = "everybody"
OPENING = 0.1  # of the calls: only learned from
CONFIRMING = 1e-2
TOLD = 1.05  # times the demands: less is not worth a number
FACTORS = np.geomspace(1.0, 64.0, 121)  # of the demands, at which the evidence is looked up
ASSUMED = (
    "if noise just large enough for the demands would look like the noise seen, and is so much too small for "
    "everybody; nobody was tried alone"
)
TOO_FEW = "too few calls for a bet; increase the budget"


@dataclass(frozen=True, eq=False)
class Crowd:
    """Calls that were bet on, and what was promised."""

    promise: Promise
    calls: list[Call]
    planned: int
    significance: float
    drawn: int
    opening: int
    decoder: Decoder

    @cached_property
    def path(self) -> Floats:
        """Logarithm of the wealth against the promises as they are."""
        return path(self.calls, self.odds(1.0))

    def odds(self, factor: float) -> Odds:
        """Of promises some times as weak."""
        return Odds.of(self.promise, factor, self.planned, self.significance)

    @property
    def largest(self) -> float:
        """At any time."""
        return float(self.path.max())

    @property
    def refutes(self) -> bool:
        """Whether the promises are refuted."""
        return self.largest >= goal(self.significance)

    def factor(self, later: tuple[Crowd, ...]) -> float:
        """With the calls that came later the promises are refuted up to so many times their size; 0 where they are not.

        Wealth that is bet again is an e-process still.
        """
        calls, refuted = [*self.calls, *(call for crowd in later for call in crowd.calls)], 0.0
        for factor in FACTORS.tolist():
            if path(calls, self.odds(factor)).max() < goal(self.significance):
                break
            refuted = factor
        return refuted

    @cached_property
    def guesses(self) -> tuple[int, int, float]:
        """Right, made, and how many of these may be right."""
        return made(self.calls, self.odds(1.0))


def play(subject: Subject, calls: int, significance: float, seed: int, name: str, after: Crowd | None = None) -> Crowd:
    """Bet until the promises fall or the calls are spent; `after` another game with what that one learned."""
    promise, domain = subject.promise, subject.domain
    if not isinstance(domain, Vector):
        raise AssertionError("users have no directions of their own but in a domain of vectors")
    base = domain.apart(len(promise), stream(0, "crowd"))
    leave = isinstance(subject.neighbours, Remove)
    # where users leave, the first one stays, as most mechanisms do not take empty data
    players = np.arange(int(leave), len(promise))
    coins = subject.coins(base).only(players) if leave else subject.coins(base)
    first = base.first if isinstance(subject.neighbours, Replace) else np.zeros_like(base.data)
    fresh = Decoder.of(base.second - first, promise.strengths, stream(0, "crowd", "turned"))
    decoder = after.decoder if after is not None else fresh
    odds, judged, number = Odds.of(promise, 1.0, calls, significance), [], 0
    wealth = np.zeros(TEMPERS.size)
    opening = int(OPENING * calls) if after is None else 0
    while number < calls and mixed(wealth, -float(np.log(wealth.size))) < goal(significance):
        tossed = stream(seed, name, "coins", number).random(len(promise)) < 0.5
        tossed[: int(leave)] = True
        row = subject.draw(coins.dataset(tossed), 1, named(seed, name, "mechanism", number))[0]
        if row[-1] == 0.0:
            if number >= opening:
                order = stream(seed, name, "order", number).permutation(players)
                judged.append(decoder.read(row[:-1], tossed, order))
                wealth += gained(judged[-1], odds)
            decoder.learn(row[:-1], tossed)
        number += 1
    return Crowd(promise, judged, calls, significance, number, opening, decoder)


@dataclass(frozen=True, eq=False)
class CrowdCheck(PrivacyCheck):
    """One finding about everybody together."""

    topic: ClassVar[str] = "crowd"

    @property
    def name(self) -> str:
        """One for each case."""
        return f"privacy/{WHAT}"

    def run(self, subject: Subject) -> Outcome:
        """A game; where it refutes, another one on fresh calls."""
        share = self.share
        finding = id_of(subject.name, label_of("privacy", WHAT))
        course = sequential(
            lambda: play(subject, share.calls, share.significance, share.seed, "crowd"),
            lambda crowd: crowd.refutes,
            [lambda course: play(subject, share.calls, CONFIRMING, share.seed, "crowd/again", course.judged)],
            falls=lambda crowd: share.falls(finding, crowd.largest),
        )
        judged, again = course.judged, course.confirmation
        refuted = again is not None and again.refutes
        test = ClaimTest(finding, share.significance, judged.largest, again is not None, refuted)
        return Outcome((self._finding(subject, course, share),), tests=(test,))

    def _finding(self, subject: Subject, course: Course[Crowd], share: Share) -> Finding:
        judged, told = course.judged, subject.promise.parameter
        some = np.flatnonzero(np.isfinite(subject.epsilon))
        demand = decide.average(subject.epsilon[some])
        given = judged.calls, judged.odds, largest_moves(subject.promise), judged.significance, share.seed
        found = detectable_factor(*given, pure=subject.promise.pure)
        positive = bool((subject.epsilon[some] > 0).all())
        factor = judged.factor(course.confirmations) if positive else 0.0
        times = (lambda factor: told(factor * demand) / told(demand)) if demand else float
        verdict, message = self._decided(course, times(found), times(factor))
        return Finding.about(
            subject.name,
            "privacy",
            WHAT,
            verdict,
            message,
            users=decide.first_users(some),
            claimed=told(demand),
            detectable=told(found * demand) if np.isfinite(found) and demand else float("inf"),
            calls=sum(crowd.drawn for crowd in (judged, *course.confirmations)),
            facts=self._facts(judged),
        )

    def _facts(self, judged: Crowd) -> dict[str, object]:
        right, many, allowed = judged.guesses
        walked = [[number, round(float(log), 3)] for number, log in enumerate(judged.path.tolist())]
        counts = {"right": right, "made": many, "allowed_right": round(allowed, 1)}
        return {"wealth": walked[:: max(len(walked) // 60, 1)], "limit": goal(judged.significance), "guesses": counts}

    def _decided(self, course: Course[Crowd], found: float, loses: float) -> tuple[Verdict, str]:
        judged, again = course.judged, course.confirmation
        right, many, allowed = judged.guesses
        if again is not None and again.refutes:
            often = f", somebody at least {loses:.3g} times as much" if loses >= TOLD else ""
            return "fail", (
                f"users lose more than they demand{often}: "
                f"{right} of {many} guesses in {judged.drawn} calls were right, where the promise allows {allowed:.0f}"
            )
        if again is not None:
            return "inconclusive", "everybody: refuted once, not confirmed on new samples; increase the budget"
        if not judged.calls:
            return "inconclusive", f"everybody: {UNANSWERED if judged.drawn > judged.opening else TOO_FEW}"
        if found <= self.claim.detect:
            least = f"smallest violation detected with 80% power: {found:.3g} times the demands"
            return "pass", f"everybody: not refuted; {least}, {ASSUMED}"
        least = f"a violation by {found:.3g} times the demands would have been detected, {ASSUMED}"
        if not np.isfinite(found):
            least = "outputs tell so little of users' data that it cannot be said what would have been detected"
        return (
            "inconclusive",
            f"everybody: not refuted, but {least}; {self.claim.detect:g} was asked; increase the budget",
        )

    def forecast(self) -> Forecast | None:
        """What outputs tell of users is not known before the first call."""
        return None

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """Everybody is left open."""
        more: dict[str, Any] = {}
        return tuple(self._open(*what, why, **more) for what in self.possible())

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One finding."""
        yield "privacy", WHAT
