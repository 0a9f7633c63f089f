"""Is the error as small as claimed, on the worst data that can be found?

Search for bad data, judge the worst on fresh draws until the bound is refuted or a tolerable excess would have been
seen, and confirm a refutation once more on fresh draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.check import Check
from hdp_audit.audits.claimed import claimed_bound, estimator_of, problem_of
from hdp_audit.audits.coarse import Coarse
from hdp_audit.audits.fairness import category_bias, free_privacy, influence
from hdp_audit.audits.forecast import Forecast
from hdp_audit.audits.measure import draw_errors, largest_error
from hdp_audit.audits.sequential import drawn_until, looks, sequential
from hdp_audit.audits.share import ClaimTest, Outcome, Share
from hdp_audit.audits.verdicts_accuracy import (
    JUDGED,
    Evidence,
    Judged,
    accuracy_finding,
    excluded,
    figure_scale,
    further_calls,
    in_units,
    where,
)
from hdp_audit.audits.worst_data import Metered, Search, find_worst
from hdp_audit.evidence.bounded_mean import BoundedMean, best_stake
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.finding import Finding, Kind, id_of, label_of
from hdp_audit.model.units import Translated
from hdp_audit.search.worst_case import Instance
from hdp_audit.targets.standard import in_standard_terms, scale_of
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from hdp_audit.theory.exact_mean import GAUSSIAN, LAPLACE, error_quantile, mean_square
from hdp_audit.theory.guarantee import Estimator, Gaussian, Laplace

Floats = NDArray[np.float64]

SEARCH = 0.15  # of the calls: a race; JUDGED are spent on its winner, and an accusation is confirmed beyond them
FIRST_LOOK = 2000
BIAS_CALLS = 2000


@dataclass(frozen=True, eq=False)
class AccuracyCheck(Check):
    """One finding: the claimed error, on the worst data that can be found."""

    topic: ClassVar[str] = "accuracy"
    needs_every_call: ClassVar[bool] = True
    forecast_calls: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """One for each case."""
        return "accuracy"

    @property
    def claim(self) -> AccuracyClaim:
        """What is asked of it."""
        return self.case.accuracy or AccuracyClaim()

    def run(self, subject: Subject) -> Outcome:
        """Search, judge, confirm."""
        terms = in_standard_terms(subject)
        found = audit_accuracy(terms, self._claimed(subject), self.share, self._own(subject), scale_of(subject))
        subject.calls = terms.calls
        return found

    def _claimed(self, subject: Subject) -> AccuracyClaim:
        """With a number as the standard task has it."""
        claim = self.claim
        if isinstance(claim.bound, str):
            return claim
        return replace(claim, bound=claim.bound / figure_scale(claim.metric, scale_of(subject)))

    def _own(self, subject: Subject) -> NDArray[Any] | None:
        """The user's own data as those of the standard task."""
        data, task = self.case.data, subject.task
        return task.inside(data) if data is not None and isinstance(task, Translated) else data

    def forecast(self) -> Forecast:
        """From a few hundred calls."""
        from hdp_audit.audits.foresight import foresee_accuracy

        subject = self.case.subject()
        terms, own = in_standard_terms(subject), self._own(subject)
        foreseen = foresee_accuracy(terms, self._claimed(subject), self.share, own)
        has = "which this budget has" if foreseen.enough else "which this budget lacks"
        calls = foreseen.calls * self.share.budget / max(self.share.calls, 1)
        if foreseen.enough and calls > self.share.budget:
            has = "but here the error is so far from the bound that this budget is enough"
        cost = further_calls(calls, 1.0)
        told = f"accuracy: to see an error of {self.claim.tolerance:g} × the bound costs {cost} calls, {has}"
        return Forecast(foreseen.enough, sentence=told)

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """The claim is left open."""
        return tuple(self._open(*what, why, metric=self.claim.metric) for what in self.possible())

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One finding."""
        yield where(self.claim)


def audit_accuracy(
    subject: Subject,
    claim: AccuracyClaim | None,
    share: Share,
    data: NDArray[Any] | None = None,
    scale: float = 1.0,
) -> Outcome:
    """One finding: the claim, judged on the worst dataset tried; figures are told times the scale of errors."""
    claim = claim or AccuracyClaim()
    bound, source = claimed_bound(subject, claim)
    before = subject.calls
    meter = Metered(claim.setting, claim.metric, claim.beta, claim.norm)
    found = find_worst(subject, meter, int(SEARCH * share.calls), share.seed, data)
    test = ErrorTest(subject, claim, bound, found, share)
    course = sequential(
        partial(test.judged, "judge"),
        lambda judged: judged.evidence.refutes(bound),
        [lambda _course: test.judged("confirm")],
        falls=lambda judged: share.falls(id_of(subject.name, label_of(*where(claim))), judged.largest),
    )
    details = _details(subject, claim, found, share, scale)
    exact = exact_opinion(estimator_of(subject), found.worst, claim)
    calls, per = subject.calls - before, figure_scale(claim.metric, scale)
    finding = accuracy_finding(subject, claim, bound, source, course, exact, share, calls, per)
    confirmed = course.confirmation is not None and course.confirmation.evidence.refutes(bound)
    tried, level = course.confirmation is not None, share.significance / 2
    tests = (ClaimTest(finding.id, level, course.judged.largest, tried, confirmed),)
    return Outcome((finding,), subject.calls, details=details, tests=tests)


@dataclass(frozen=True, eq=False)
class ErrorTest:
    """What a dataset is judged by; all of it is fixed before the first draw that counts."""

    subject: Subject
    claim: AccuracyClaim
    bound: float
    found: Search
    share: Share

    def judged(self, phase: str) -> Judged:
        """Draw in doubling steps; stop when refuted, or when a tolerable excess would have been seen."""
        claim, dataset = self.claim, self.found.worst
        turns = named(self.share.seed, self.subject.name, "accuracy", claim.setting, claim.metric, phase).turns()

        def enough(seen: Evidence) -> bool:
            seen_enough = phase == "judge" and excluded(seen, claim.tolerance, self.bound)
            return seen.refutes(self.bound) or seen_enough

        errors, evidence, largest = drawn_until(
            looks(int(JUDGED * self.share.calls), FIRST_LOOK),
            lambda size: draw_errors(self.subject, dataset, claim.setting, size, next(turns), claim.norm),
            self.evidence,
            lambda seen: seen.log_wealth(self.bound),
            enough,
        )
        figures = errors if claim.metric == "pac" else errors**2
        told = Coarse(evidence) if dataset.own else evidence
        return Judged(dataset.name, told, int((figures > self.bound).sum()), largest)

    def evidence(self, errors: Floats) -> Evidence:
        """Both ends of the interval share the significance."""
        if self.claim.metric == "pac":
            return Quantile(errors, self.claim.beta, self.share.significance / 2)
        return BoundedMean(errors**2, self.share.significance / 2, self._top, self._aim)

    @cached_property
    def _top(self) -> float:
        return largest_error(self.subject, self.found.worst, self.claim.norm) ** 2

    @cached_property
    def _aim(self) -> float | None:
        """The search's draws say which bet would show a tolerable excess soonest."""
        return best_stake(self.found.errors**2, self.claim.tolerance, self.share.significance / 2)


def exact_opinion(estimator: Estimator | None, dataset: Instance, claim: AccuracyClaim) -> float | None:
    """The largest error on this dataset by the exact law of clip(θ + noise), where θ is one number; None elsewhere."""
    if claim.norm != "linf":
        return None
    if estimator is None or estimator.reach or not isinstance(estimator.noise, Laplace | Gaussian) or dataset.own:
        return None  # an exact figure of the user's own data would tell of them
    if claim.setting != "correlated" and estimator.spread > 1e-18:
        return None
    k, weights = dataset.truth.size, estimator.weights
    sums = [weights @ dataset.data] if k == 1 else np.bincount(dataset.data, weights=weights, minlength=k)
    theta = np.asarray(sums) + estimator.share * estimator.missing
    shape = LAPLACE if isinstance(estimator.noise, Laplace) else GAUSSIAN
    if claim.metric == "pac":
        return error_quantile(theta, dataset.truth, estimator.noise.scale, claim.beta, shape)
    return mean_square(theta, dataset.truth, estimator.noise.scale, shape)


def _details(subject: Subject, claim: AccuracyClaim, found: Search, share: Share, scale: float) -> dict[str, Any]:
    """Plain tables for the report: what was tried, how free privacy and influence fall on demands, and biases."""
    own = named(share.seed, subject.name, "bias", claim.setting)
    size = max(min(BIAS_CALLS, share.calls // 50), 2)
    problem = problem_of(subject, claim.setting, claim.metric, claim.beta)
    tried = in_units(found.tried[:32], figure_scale(claim.metric, scale), ("measured",))
    biases = category_bias(subject, found.told, problem.setting.value, size, own)
    return {
        "accuracy": [{"setting": claim.setting, "metric": claim.metric, **row} for row in tried],
        "bias": in_units(biases, scale, ("bias", "standard_error", "unclipped")),
        "influence": influence(subject.epsilon, found.weights, known=found.known),
        "free_privacy": free_privacy(subject),
    }
