"""The worst dataset that can be found: built from the weights, extremes, random search, the user's own data.

Candidates run in rounds; each round drops the better half. What is found is judged on fresh draws only, so choosing
costs nothing of the false-alarm budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.claimed import estimator_of
from hdp_audit.audits.coarse import rounded
from hdp_audit.audits.measure import draw_errors
from hdp_audit.errors import InvalidInput
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.model.vocabulary import NormName
from hdp_audit.search.probing import demand_groups, probed_weights
from hdp_audit.search.worst_case import OWN_DATA, Instance, biased, extremes, random_groups
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject, estimated

Floats = NDArray[np.float64]

PROBING = 0.25  # of the calls of a search, for a black box
RANDOM = 4


@dataclass(frozen=True, eq=False)
class Metered:
    """What is measured on a dataset: permuted or not, error quantile or mean square, in which norm."""

    setting: str
    metric: str
    beta: float
    norm: NormName = "linf"

    def __call__(self, errors: Floats) -> float:
        """The sample's figure."""
        if not errors.size:
            return 0.0
        return Quantile(errors, self.beta, 0.5).measured if self.metric == "pac" else float((errors**2).mean())


@dataclass(frozen=True, eq=False)
class Search:
    """The worst dataset found with the errors it was chosen by, every dataset tried, and the weights that guided it.

    `told` is the worst that may be described in full: the user's own data never are.
    """

    worst: Instance
    errors: Floats
    told: Instance
    tried: tuple[dict[str, Any], ...]
    weights: Floats
    known: bool


def find_worst(subject: Subject, meter: Metered, calls: int, seed: int, own: NDArray[Any] | None) -> Search:
    """Spend about `calls` on the search."""
    known = estimator_of(subject)
    if known is None:
        weights = probed_weights(subject, int(PROBING * calls), seed)
        calls -= int(PROBING * calls)
    else:
        weights = known.weights
    listed = _candidates(subject, weights, known is not None, seed, own)
    place, errors = _halving(subject, meter, listed, calls, seed)
    figures = [meter(each) for each in errors]
    order = sorted(range(len(listed)), key=lambda at: (-errors[at].size, -figures[at]))
    tried = tuple(_tried(listed[at], figures[at], errors[at].size) for at in order)
    told = next(listed[at] for at in [place, *order] if not listed[at].own)
    return Search(listed[place], errors[place], told, tried, weights, known is not None)


def _tried(dataset: Instance, measured: float, trials: int) -> dict[str, Any]:
    return {"dataset": dataset.name, "measured": rounded(measured) if dataset.own else measured, "trials": trials}


def _candidates(subject: Subject, weights: Floats, known: bool, seed: int, own: NDArray[Any] | None) -> list[Instance]:
    rng, task = stream(seed, subject.name, "datasets"), estimated(subject)
    listed = [*biased(weights, task, "" if known else "estimated "), *extremes(weights.size, task, rng)]
    if not known:
        listed += random_groups(demand_groups(subject.epsilon), task, RANDOM, rng)
    if own is not None:
        if own.shape != subject.epsilon.shape:
            raise InvalidInput(f"{OWN_DATA} have shape {own.shape}; give one datum for each of {weights.size} users")
        listed.append(Instance.of(OWN_DATA, own, task, own=True))
    return listed


def _halving(
    subject: Subject, meter: Metered, listed: list[Instance], calls: int, seed: int
) -> tuple[int, list[Floats]]:
    """The place of the worst, and everybody's errors."""
    left = list(range(len(listed)))
    errors: list[Floats] = [np.zeros(0) for _ in listed]
    rounds = max(int(np.ceil(np.log2(len(listed)))), 1)
    for turn in range(rounds):
        size = max(calls // (rounds * len(left)), 1)
        for place in left:
            apart = named(seed, subject.name, "search", meter.setting, meter.metric, turn, place)
            fresh = draw_errors(subject, listed[place], meter.setting, size, apart, meter.norm)
            errors[place] = np.concatenate([errors[place], fresh])
        left = sorted(left, key=lambda place: -meter(errors[place]))[: max(len(left) // 2, 1)]
    return left[0], errors
