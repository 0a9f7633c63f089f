"""Will so many calls be enough? What a check of accuracy can be expected to see, from a few hundred calls.

The law of the errors is measured on the worst of a few datasets; how many such errors a verdict takes follows from it.
An estimate: where a budget is just about enough, the run decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.accuracy import ErrorTest
from hdp_audit.audits.claimed import claimed_bound
from hdp_audit.audits.measure import draw_errors
from hdp_audit.audits.share import Share
from hdp_audit.audits.verdicts_accuracy import JUDGED, largest_bound
from hdp_audit.audits.worst_data import Metered, find_worst
from hdp_audit.evidence import proportion
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

PILOT = 400  # calls to find a bad dataset, and as many again on it
TAIL = 4.0  # the law above a quantile is told by so many times the errors that exceed it


@dataclass(frozen=True)
class Foreseen:
    """Whether a check will come to a verdict, and the calls of a check that certainly does; inf where none do."""

    enough: bool
    calls: float


def foresee_accuracy(subject: Subject, claim: AccuracyClaim, share: Share, data: NDArray[Any] | None) -> Foreseen:
    """Whether an error of tolerance × the bound would be seen, or the bound falls anyway."""
    bound, _ = claimed_bound(subject, claim)
    meter = Metered(claim.setting, claim.metric, claim.beta, claim.norm)
    found = find_worst(subject, meter, PILOT, share.seed, data)
    own = named(share.seed, subject.name, "accuracy", "pilot")
    errors = draw_errors(subject, found.worst, claim.setting, PILOT, own, claim.norm)
    test = ErrorTest(subject, claim, bound, found, share)
    draws, unsure = int(JUDGED * share.calls), 1.0 + _unsure(errors, claim)
    needed = _draws(errors, claim, test)
    repeated = test.evidence(np.resize(errors, max(draws, 1)))  # as if the law were that of these errors
    below = repeated.refutes_from_below(claim.tolerance * bound / unsure)
    told = bound >= largest_bound(claim, found.worst.truth.size) or below or repeated.refutes(bound * unsure)
    return Foreseen(told or needed <= draws, needed / JUDGED)


def _draws(errors: Floats, claim: AccuracyClaim, test: ErrorTest) -> float:
    """Draws at which tolerance × the bound is refuted with probability 0.8."""
    if claim.metric != "pac":
        return test.evidence(errors).draws_needed(claim.tolerance)
    quantile, beyond = _tail(errors, claim.beta)
    # Few errors lie between the quantile and a little below it, too few to be counted.
    steps = (1.0 - 1.0 / claim.tolerance) * quantile / beyond if beyond > 0 else np.inf
    rate = min(claim.beta * float(np.exp(min(steps, 700.0))), 1.0)
    return proportion.draws_needed(claim.beta, rate, test.share.significance / 2)


def _unsure(errors: Floats, claim: AccuracyClaim) -> float:
    """The standard error of the measured figure, as a share of it."""
    if claim.metric != "pac":
        squares = errors**2
        return float(squares.std() / np.sqrt(errors.size) / squares.mean()) if squares.any() else 0.0
    quantile, beyond = _tail(errors, claim.beta)
    return beyond * float(np.sqrt((1.0 - claim.beta) / (claim.beta * errors.size))) / quantile if quantile > 0 else 0.0


def _tail(errors: Floats, beta: float) -> tuple[float, float]:
    """The (1−β)-quantile, and the mean of an exponential law like that of the errors around and above it."""
    start = float(np.quantile(errors, 1.0 - min(TAIL * beta, 0.5)))
    above = errors[errors > start] - start
    return Quantile(errors, beta, 0.5).measured, float(above.mean()) if above.size else 0.0
