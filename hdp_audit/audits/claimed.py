"""Which number is claimed: the user's own, the theorem for a reference mechanism's weights, or a catalog name's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.targets.reference import Audited, RefusedByMechanism, build
from hdp_audit.targets.subject import Subject
from hdp_audit.theory.guarantee import Estimator, Hull, Laplace, Local, Noise, Sampled, guarantee
from hdp_audit.theory.names import Metric, Problem, Setting, Task


def problem_of(subject: Subject, setting: str, metric: str, beta: float) -> Problem:
    """The cell that a claim is about."""
    if subject.task.categories is None:
        return Problem(Task.MEAN, Setting(setting), Metric(metric), beta=beta)
    return Problem(Task.FREQUENCY, Setting(setting), Metric(metric), subject.task.categories, beta)


def estimator_of(subject: Subject) -> Estimator | None:
    """Weights and noise of a reference mechanism; None for a black box."""
    if isinstance(subject.mechanism, Audited):
        return estimator(subject.mechanism.known, subject.task.categories)
    return None


def estimator(known: Any, categories: int | None) -> Estimator:
    """A reference mechanism as the theory sees it; one with an anchor by its anchor, from which it keeps its reach."""
    anchor = getattr(known, "anchor", None)
    if anchor is not None:
        return replace(estimator(anchor, categories), reach=0.0 if known.opinion is None else float(known.reach))
    return Estimator(np.asarray(known.weights), _noise(known, categories), float(getattr(known, "share", 0.5)))


def _noise(known: Any, categories: int | None) -> Noise:
    if known.name == "sm":
        return Sampled(known.weights * known.expected_size, known.noise_scale)
    if known.name == "ldp":
        noisy = (known.weights > 0) & np.isfinite(known.privacy_loss)
        return Local(known.weights[noisy], known.privacy_loss[noisy], categories)
    if known.name.endswith("-hull") and categories is not None:
        return Hull(known.noise_scale, categories)
    return Laplace(known.noise_scale)


def claimed_bound(subject: Subject, claim: AccuracyClaim) -> tuple[float, str]:
    """(the bound, where it comes from in words)."""
    if not isinstance(claim.bound, str):
        return float(claim.bound), "the claim's own number"
    problem = problem_of(subject, claim.setting, claim.metric, claim.beta)
    if claim.bound == "explicit":
        own = estimator_of(subject)
        if own is None:
            raise InvalidInput(
                f'{subject.name}: bound = "explicit" needs the weights of a reference mechanism; '
                "give a number, or a catalog name whose theorem is claimed, such as "
                f'"{"uni" if subject.task.categories is None else "hpf-cp"}"'
            )
        return guarantee(own, problem), "theorem for the mechanism's own weights"
    try:
        known = build(
            claim.bound,
            epsilon=subject.epsilon,
            task=problem.task.value,
            categories=subject.task.categories,
            beta=claim.beta,
            setting=claim.setting,
            metric=claim.metric,
        )
    except RefusedByMechanism as why:
        raise InvalidInput(f'{subject.name}: bound = "{claim.bound}": {why}') from None
    return guarantee(estimator(known, subject.task.categories), problem), f"theorem of {claim.bound} for these demands"
