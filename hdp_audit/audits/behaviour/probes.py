"""What a mechanism is tried on before anything is said of its promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.behaviour.moving import Contrast
from hdp_audit.audits.case import Case
from hdp_audit.search.pairs import Base, Data, NeighbourPair, bases
from hdp_audit.search.tiers import MOST_TELLING, group_of, named_tiers, tier_group
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

NEARBY = 12
MOST_GROUPS = 2  # that are moved in a short game
MOST_PAIRS = 8  # of a custom task, between whose datasets an output should move


@dataclass(frozen=True, eq=False)
class Probes:
    """Datasets, and how the mechanism is opened anew."""

    opened: Callable[[], Subject]
    datasets: list[Any]  # tried first
    before: tuple[Any, Any]  # as different as can be: does a later output tell which of them was there?
    after: Any  # of that later output
    unseen: list[Any]  # that no other check uses
    nearby: list[Any]  # nor these, each a little above the one before; none where data have no order
    pairs: list[NeighbourPair]  # of users to whom something was promised
    groups: list[list[NeighbourPair]]  # one claim each: users of a tier, or a pair that was given
    contrasts: list[Contrast]  # between which an output should move


def probes_of(case: Case) -> Probes:
    """Nothing need move where privacy is not claimed or `inert` is allowed."""
    if case.pairs is not None:
        found = custom_probes(case.subject, case.datasets, case.neighbours)
    else:
        found = default_probes(case.subject, case.demands.values, case.categories)
    if case.privacy is None:
        found = replace(found, pairs=[], groups=[])
    return found if case.privacy is not None and case.inert == "report" else replace(found, contrasts=[])


def default_probes(opened: Callable[[], Subject], epsilon: Floats, categories: int | None) -> Probes:
    """For a mean or frequencies; never the user's own data, as what fails here is shown."""
    known = bases(epsilon.size, categories)
    first, middle, last = known[:3]
    promised = np.flatnonzero(np.isfinite(epsilon))
    group = group_of(epsilon, promised, MOST_TELLING, 0, "probes") if promised.size else promised
    return Probes(
        opened,
        [base.data for base in known],
        (first.data, last.data),
        middle.data,
        _unseen(epsilon.size, categories),
        [np.full(epsilon.size, 0.5 + 1e-6 * step) for step in range(1, NEARBY)] if categories is None else [],
        [base.pair(group) for base in known] if group.size else [],
        _groups(epsilon, known),
        _contrasts(known),
    )


def _groups(epsilon: Floats, known: list[Base]) -> list[list[NeighbourPair]]:
    """Users of the strictest tiers and of the laxest, on the first base datasets."""
    groups = [tier_group(epsilon, tier, 0) for tier in named_tiers(epsilon)]
    chosen = groups if len(groups) <= MOST_GROUPS else [*groups[: MOST_GROUPS - 1], groups[-1]]
    return [[base.pair(group) for base in known[:2]] for group in chosen]


def _unseen(users: int, categories: int | None) -> list[Data]:
    rng = stream(0, "unseen")
    return [rng.random(users) if categories is None else rng.integers(categories, size=users) for _ in range(2)]


def _contrasts(known: list[Base]) -> list[Contrast]:
    """Everybody at one end and at the other; then all base datasets that differ."""
    everybody, ends = np.arange(known[0].data.size), (known[0], known[2])
    differing = list({base.data.tobytes(): base for base in reversed(known)}.values())[::-1]
    chosen = [ends, differing] if len(differing) > 2 else [ends]
    return [Contrast(tuple(one.name for one in some), tuple(one.data for one in some), everybody) for some in chosen]


def custom_probes(opened: Callable[[], Subject], datasets: list[Any], pairs: list[NeighbourPair]) -> Probes:
    """For pairs of datasets that the user gave."""
    first = pairs[0]
    contrasts = [
        Contrast((f"both datasets of {pair.base}",), (pair.first, pair.second), pair.users)
        for pair in pairs[:MOST_PAIRS]
    ]
    unseen = [pairs[at].second for at in sorted({0, len(pairs) - 1})]
    few = [[pair] for pair in pairs[:MOST_GROUPS]]
    return Probes(opened, datasets, (first.first, first.second), first.first, unseen, [], [first], few, contrasts)
