"""What a search tries: whose datum moves, between which two values, and what everybody else has.

A proposal is a base dataset with two values, and the users who are moved between them; the neighbour relation makes a
pair of datasets of it. Single users show what a group hides (an alarm, a maximum, a parity), values inside the domain
what its ends hide (an imputed value, a special code, one category of many), and counts what lies at a threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.domain import Base, Data, Domain
from hdp_audit.model.promise import Promise
from hdp_audit.search.ladder import PREFIX, Ladder
from hdp_audit.search.tiers import Tier, named_tiers, tier_group
from hdp_audit.targets.streams import stream

Users = NDArray[np.int64]
Generator = np.random.Generator

VALUES = 10  # of a datum, every two of which a user is moved between
MOST_VALUES = 64  # to which a user is moved from one end
LADDERS = 2


@dataclass(frozen=True, eq=False)
class Proposal:
    """These users, between the two values of this base."""

    base: Base
    users: Users


def proposals(domain: Domain, promise: Promise, seed: int, own: Data | None = None) -> Iterator[Proposal]:
    """From every stream of proposals in turn, the ones most worth trying first."""
    rng = stream(seed, "search", "proposals")
    singles, groups = movable(promise, seed)
    if not singles:
        return
    values, wide = domain.values(VALUES, rng), domain.values(MOST_VALUES, rng)
    bases = list(settings(domain, len(promise), values, rng, own))
    first, *others = singles
    streams = [(counts(ladder), turns) for ladder, turns in zip(ladders(domain, promise, seed), (6, 2), strict=False)]
    streams += [(sweep(base, first, values), 3 if number < 2 else 1) for number, base in enumerate(bases)]
    streams += [(stars(base, first, wide), turns) for base, turns in zip(bases[:2], (6, 2), strict=True)]
    streams += [(sweep(base, who, values[:4]), 1) for who in others for base in bases[:2]]
    streams += [(sweep(base, who, values[:6]), 1) for who in groups for base in bases[:2]]
    streams += [(stars(base, who, wide), 1) for who in groups[:1] for base in bases[:1]]
    yield from in_turn(streams)


def in_turn(streams: list[tuple[Iterator[Proposal], int]]) -> Iterator[Proposal]:
    """So many of each stream in every round, until all have ended."""
    while streams:
        going = []
        for proposed, turns in streams:
            taken = list(islice(proposed, turns))
            yield from taken
            if len(taken) == turns:
                going.append((proposed, turns))
        streams = going


def movable(promise: Promise, seed: int) -> tuple[list[Users], list[Users]]:
    """(single users, groups): of those who demand most first, as they show a leak most clearly."""
    tiers = named_tiers(promise)
    positive = [tier for tier in tiers if promise.strengths[tier.users].max() > 0]
    zero = [tier for tier in tiers if promise.strengths[tier.users].max() == 0]
    ordered: list[Tier] = [*positive[:1], *zero, *positive[:0:-1][:2]]
    alone = [int(stream(seed, "search", "user", tier.number).choice(tier.users)) for tier in ordered]
    promised = np.flatnonzero(np.isfinite(promise.strengths)).tolist()
    listed = dict.fromkeys([*alone, *promised[:1], *promised[-1:]])
    groups = [tier_group(promise.strengths, tier, seed) for tier in ordered]
    return [np.array([user]) for user in listed], [group for group in groups if group.size > 1]


def settings(domain: Domain, users: int, values: list[Any], rng: Generator, own: Data | None = None) -> Iterator[Base]:
    """What everybody else may have: the user's own data, all at one value, anything, and what the domain adds."""
    low, high = values[0], values[1]
    if own is not None:
        yield Base("the data given", domain.typed(own), low, high, private=True)
    yield Base(f"{PREFIX}everybody at {domain.shown(low)}", domain.everybody(users, low), low, high)
    yield Base(f"{PREFIX}data by lot", domain.typed(domain.random(users, rng)), low, high)
    for value in values[1:3]:
        yield Base(f"{PREFIX}everybody at {domain.shown(value)}", domain.everybody(users, value), low, high)
    for name, data in domain.arrangements(users, rng):
        yield Base(f"{PREFIX}{name}", domain.typed(data), low, high)


def sweep(base: Base, users: Users, values: list[Any]) -> Iterator[Proposal]:
    """Between every two of the values."""
    for second, first in sorted(combinations(range(len(values)), 2), key=max):
        yield _moved(base, users, values[second], values[first])


def stars(base: Base, users: Users, values: list[Any]) -> Iterator[Proposal]:
    """From one value to every other one."""
    for value in values[1:]:
        yield _moved(base, users, values[0], value)


def ladders(domain: Domain, promise: Promise, seed: int) -> list[Ladder]:
    """For the first user, from the first value to each of the next two."""
    rng = stream(seed, "search", "ladders")
    singles, _ = movable(promise, seed)
    first, *others = domain.values(LADDERS + 1, rng)
    order = rng.permutation(len(promise))
    return [Ladder(domain, user, order[order != user[0]], first, value) for user in singles[:1] for value in others]


def counts(ladder: Ladder) -> Iterator[Proposal]:
    """From one value to another that so many others have: a rule about counts shows at its threshold alone."""
    for count in ladder.usual():
        yield Proposal(ladder.base(count), ladder.user)


def _moved(base: Base, users: Users, first: Any, second: Any) -> Proposal:
    return Proposal(replace(base, first=first, second=second, spread=0), users)
