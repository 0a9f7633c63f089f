"""What a mechanism is tried on before anything is said of its promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.behaviour.moving import Contrast
from hdp_audit.audits.case import Case
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base
from hdp_audit.model.made import Made
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.search.tiers import MOST_TELLING, group_of, named_tiers, tier_group
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]
Users = NDArray[np.int64]

MOST_GROUPS = 2  # that are moved in a short game
MOST_PAIRS = 8  # of a custom task, between whose datasets an output should move


@dataclass(frozen=True, eq=False)
class Probes:
    """Datasets, and how the mechanism is opened anew."""

    opened: Callable[[], Subject]
    datasets: list[Dataset]  # tried first
    before: tuple[Dataset, Dataset]  # as different as can be: does a later output tell which of them was there?
    after: Dataset  # of that later output
    unseen: list[Dataset]  # that no other check uses
    nearby: Sequence[Dataset]  # nor these, each a little above the one before; none where data have no order
    pairs: Sequence[NeighbourPair]  # of users to whom something was promised
    groups: list[Sequence[NeighbourPair]]  # one claim each: users of a tier, or a pair that was given
    contrasts: list[Contrast]  # between which an output should move


def probes_of(case: Case) -> Probes:
    """Nothing need move where privacy is not claimed or `inert` is allowed."""
    found = default_probes(case) if case.pairs is None else custom_probes(case)
    if case.privacy is None:
        found = replace(found, pairs=[], groups=[])
    return found if case.claims_something_moves else replace(found, contrasts=[])


def default_probes(case: Case) -> Probes:
    """For a mean or frequencies; never the user's own data, as what fails here is shown."""
    known, epsilon, domain = case.bases(), case.promise.strengths, case.domain
    first, middle, last = (case.dataset(base.data) for base in known[:3])
    promised = np.flatnonzero(np.isfinite(epsilon))
    group = group_of(epsilon, promised, MOST_TELLING, 0, "probes") if promised.size else promised
    rng = stream(0, "unseen")
    return Probes(
        case.subject,
        case.datasets,
        (first, last),
        middle,
        [case.dataset(domain.unseen(epsilon.size, rng)) for _ in range(2)],
        Made(case.dataset, domain.nearby(epsilon.size)),
        Made(partial(_pair, case, group), known) if group.size else [],
        _groups(case, known),
        _contrasts(case, known),
    )


def _groups(case: Case, known: list[Base]) -> list[Sequence[NeighbourPair]]:
    """Users of the strictest tiers and of the laxest, on the first base datasets."""
    epsilon = case.promise.strengths
    tiers = named_tiers(case.promise)
    chosen = tiers if len(tiers) <= MOST_GROUPS else [*tiers[: MOST_GROUPS - 1], tiers[-1]]
    groups = [tier_group(epsilon, tier, 0) for tier in chosen]
    return [Made(partial(_pair, case, group), known[:2]) for group in groups]


def _pair(case: Case, group: Users, base: Base) -> NeighbourPair:
    return case.pair(base, group)


def _contrasts(case: Case, known: list[Base]) -> list[Contrast]:
    """Everybody at one end and at the other; then all base datasets that differ."""
    everybody, ends = np.arange(len(case.demands)), (known[0], known[2])
    differing = list({blake2b(base.data.tobytes()).digest(): base for base in reversed(known)}.values())[::-1]
    chosen = [ends, differing] if len(differing) > 2 else [ends]
    return [
        Contrast(tuple(one.name for one in some), tuple(case.dataset(one.data) for one in some), everybody)
        for some in chosen
    ]


def custom_probes(case: Case) -> Probes:
    """For pairs of datasets that the user gave."""
    pairs = case.given
    first = pairs[0]
    contrasts = [
        Contrast((f"both datasets of {pair.base}",), (pair.first, pair.second), pair.users)
        for pair in pairs[:MOST_PAIRS]
    ]
    unseen = [pairs[at].second for at in sorted({0, len(pairs) - 1})]
    few: list[Sequence[NeighbourPair]] = [[pair] for pair in pairs[:MOST_GROUPS]]
    before = first.first, first.second
    return Probes(case.subject, case.datasets, before, first.first, unseen, [], [first], few, contrasts)
