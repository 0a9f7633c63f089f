"""Is the mechanism more accurate than anybody who keeps the demands can be?

On the packing datasets of the lower bounds accuracy has a limit that follows from the demands alone. A mechanism past
it is refuted without a look at its noise; otherwise its worst measured error over the lower bound says how far it can
be from the best possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from hdp_audit.audits.check import Check
from hdp_audit.audits.claimed import estimator_of, problem_of
from hdp_audit.audits.forecast import Forecast
from hdp_audit.audits.measure import draw_errors
from hdp_audit.audits.packing_games import Game, games
from hdp_audit.audits.sequential import Course, sequential
from hdp_audit.audits.share import ClaimTest, Outcome, Share
from hdp_audit.audits.verdicts_accuracy import figure_scale
from hdp_audit.audits.verdicts_optimality import (
    JUDGED,
    Played,
    Standing,
    allowed_note,
    beyond_finding,
    everybody,
    optimality_finding,
    public_finding,
    where,
)
from hdp_audit.audits.worst_data import Metered, find_worst
from hdp_audit.evidence.binomial import largest_provable
from hdp_audit.model.bound import Bound
from hdp_audit.model.claim import OptimalityClaim
from hdp_audit.model.finding import Finding, Kind, id_of, label_of
from hdp_audit.model.vocabulary import METRICS
from hdp_audit.targets.standard import in_standard_terms, scale_of
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from hdp_audit.theory.guarantee import guarantee
from hdp_audit.theory.lower import LowerBounds
from hdp_audit.theory.names import Problem

SEARCH, PILOT = 0.2, 0.15  # of a metric's calls; JUDGED are judged, the rest confirms


@dataclass(frozen=True, eq=False)
class OptimalityCheck(Check):
    """Two findings: nobody who keeps the demands can be more accurate."""

    claim: OptimalityClaim = field(default_factory=OptimalityClaim)

    topic: ClassVar[str] = "optimality"
    needs_every_call: ClassVar[bool] = True
    forecast_calls: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """One for each setting."""
        setting = self.claim.setting
        return "optimality" if setting == "correlated" else f"optimality, {setting}"

    def run(self, subject: Subject) -> Outcome:
        """Both metrics."""
        terms = in_standard_terms(subject)
        found = audit_optimality(terms, self.claim, self.share, scale_of(subject))
        subject.calls = terms.calls
        return found

    def forecast(self) -> Forecast:
        """Opens the mechanism, and calls nothing."""
        enough = foresee_optimality(in_standard_terms(self.case.subject()), self.claim, self.share)
        has = "which this budget has" if enough else "which this budget lacks"
        told = f"{self.name}: enough calls to refute somebody who answers the exact truth are needed, {has}"
        return Forecast(enough, sentence=told)

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """Both metrics are left open."""
        return tuple(self._open(*where(metric, self.claim.setting), why, metric=metric) for metric in METRICS)

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One for each metric; where everybody is public one for both."""
        setting, public = self.claim.setting, bool(np.isinf(self.case.promise.strengths).all())
        yield from [everybody(setting)] if public else [where(metric, setting) for metric in METRICS]


def audit_optimality(subject: Subject, claim: OptimalityClaim | None, share: Share, scale: float = 1.0) -> Outcome:
    """Two findings: error quantile and mean squared error; told times the scale of errors."""
    claim = claim or OptimalityClaim()
    if np.isinf(subject.epsilon).all():
        return Outcome((public_finding(subject, claim.setting),), subject.calls)
    half = replace(share, calls=share.calls // 2, significance=share.significance / 2)
    findings, tests = zip(*(_audited(subject, claim, metric, half, scale) for metric in METRICS), strict=True)
    return Outcome(findings, subject.calls, tests=sum(tests, ()))


def foresee_optimality(subject: Subject, claim: OptimalityClaim, share: Share) -> bool:
    """Whether so many calls could refute somebody who answers the truth, or nothing has to be tried; calls nothing."""
    if np.isinf(subject.epsilon).all():
        return True
    half = replace(share, calls=share.calls // 2, significance=share.significance / 2)
    return all(_able(subject, claim, metric, half) for metric in METRICS)


def _able(subject: Subject, claim: OptimalityClaim, metric: str, share: Share) -> bool:
    judged_calls, largest = _judged(share)
    tried = games(subject, claim.setting, metric, share, largest)
    if not tried:
        return bool(allowed_note(subject, problem_of(subject, claim.setting, metric, claim.beta)))
    return any(game.needs <= judged_calls for game in tried)


def _judged(share: Share) -> tuple[int, float]:
    """How many calls judge, and the largest demand that they could refute."""
    calls = int(JUDGED * share.calls)
    return calls, largest_provable(max(calls, 1), share.significance / 2)


def _audited(
    subject: Subject, claim: OptimalityClaim, metric: str, share: Share, scale: float
) -> tuple[Finding, tuple[ClaimTest, ...]]:
    before = subject.calls
    problem = problem_of(subject, claim.setting, metric, claim.beta)
    judged_calls, largest = _judged(share)
    tried = games(subject, claim.setting, metric, share, largest)
    if not tried:
        return beyond_finding(subject, problem, largest, share), ()
    standing = _standing(subject, problem, share).in_units(figure_scale(metric, scale))
    # On the others so few answers could not even refute the truth.
    able = [game for game in tried if game.needs <= judged_calls]
    game = _most_telling(able or tried[:1], int(PILOT * share.calls))

    def confirm(so_far: Course[Played]) -> Played:
        left = share.calls - (subject.calls - before)
        return game.play(max(left, so_far.judged.evidence.draws), "confirm")

    course = sequential(
        lambda: game.play(judged_calls, "judge"),
        lambda played: played.evidence.refutes,
        [confirm],
        falls=lambda played: share.falls(id_of(subject.name, label_of(*where(metric, claim.setting))), played.largest),
    )
    finding = optimality_finding(subject, problem, standing, course, share, subject.calls - before, scale)
    judged, confirmation = course.judged, course.confirmation
    confirmed = confirmation is not None and confirmation.evidence.refutes
    level = judged.evidence.significance
    return finding, (ClaimTest(finding.id, level, judged.largest, confirmation is not None, confirmed),)


def _most_telling(tried: list[Game], calls: int) -> Game:
    """The one in which some first draws go farthest past what is allowed."""
    scores = [game.play(max(calls // len(tried), 8), "pilot").evidence.score for game in tried]
    return tried[int(np.argmax(scores))]


def _standing(subject: Subject, problem: Problem, share: Share) -> Standing:
    """The positive statement: worst measured error, lower bound, and what the mechanism guarantees if it is known."""
    setting = problem.setting.value
    meter = Metered(setting, problem.metric.value, problem.beta)
    calls = int(SEARCH * share.calls / 2)
    found = find_worst(subject, meter, calls, share.seed, None)
    # Fresh draws: the largest of several figures is not to be believed.
    apart = () if setting == "correlated" else (setting,)
    own = named(share.seed, subject.name, "optimality", problem.metric.value, "worst", *apart)
    measured = meter(draw_errors(subject, found.worst, meter.setting, calls, own))
    lower = _lower_bound(subject.epsilon.tobytes(), problem)
    known = estimator_of(subject)
    guaranteed = None if known is None else guarantee(known, problem)
    return Standing(lower, measured, found.worst.name, guaranteed)


@lru_cache(maxsize=64)
def _lower_bound(demands: bytes, problem: Problem) -> Bound:
    return _lower_bounds(demands, problem.categories, problem.beta).best(problem)


@lru_cache(maxsize=16)
def _lower_bounds(demands: bytes, categories: int, beta: float) -> LowerBounds:
    return LowerBounds.of(np.frombuffer(demands, dtype=np.float64), categories, beta)
