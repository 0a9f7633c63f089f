"""Which pairs of datasets are worth a game: many proposals in few calls, then fewer in more.

A dataset is called so many times whatever pairs it belongs to, so pairs that share one cost little. What is seen here
is learned from and never bet on: it may be chosen from at will.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset, Keys
from hdp_audit.model.domain import Base
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.model.promise import Limit
from hdp_audit.search.contrasts import Counted
from hdp_audit.search.digits import has_digits
from hdp_audit.search.effects import effects
from hdp_audit.search.ladder import PREFIX, Ladder
from hdp_audit.search.proposals import Proposal, ladders, proposals
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

FIRST_LOOK = 56  # calls on a dataset at first, at least
DATASETS = 600  # at most
CELLS = 1 << 23  # numbers of all datasets together, at most: of a million users few are made
PAIRS = 2000  # looked at, at most
NUMBERS = 1 << 23  # of all outputs that are looked at: where outputs are wide, more calls are left for games
# Of the calls; the rest is for games.
PARTS = {"first": 0.25, "effects": 0.06, "named": 0.08, "ladders": 0.1, "offspring": 0.06, "second": 0.14}
CLOSER = 3  # times as many calls on datasets for which something speaks already
STEPS = 2  # of a ladder that are narrowed down at once
MOST_ALLOWED = 0.25  # of a step of a ladder, against which changes are compared
KEPT, FINALISTS = 24, 6
PARENTS = 3  # of each kind, whose data, users and values are combined anew
AMONG = 2  # finalists that may share their users and their dataset


@dataclass(eq=False)
class Seen:
    """A dataset, and the outputs that it gave."""

    dataset: Dataset
    tables: list[Floats] = field(default_factory=list)
    rounds: int = 0

    @property
    def table(self) -> Floats:
        """All of them."""
        if len(self.tables) > 1:
            self.tables = [np.concatenate(self.tables)]
        return self.tables[0]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A proposal, and which of the datasets are its pair."""

    proposal: Proposal
    limit: Limit
    first: int
    second: int

    @property
    def fine(self) -> bool:
        """Whether users are moved to or from a number with all its digits."""
        return has_digits(self.proposal.base.first) or has_digits(self.proposal.base.second)


@dataclass(frozen=True, eq=False)
class Finalist:
    """A pair, with outputs and labels to learn from."""

    pair: NeighbourPair
    table: Floats
    coins: Coins


@dataclass(eq=False)
class Exploration:
    """What was tried, dataset by dataset."""

    subject: Subject
    seed: int
    seen: list[Seen] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    tried: list[Candidate] = field(default_factory=list)
    calls: int = 0
    _keys: Keys = field(default_factory=Keys)
    _known: dict[bytes, int] = field(default_factory=dict)
    _paired: set[tuple[int, int]] = field(default_factory=set)

    def take(self, proposed: Iterable[Proposal], datasets: int, size: int) -> None:
        """So many new datasets at most, with so many calls on each."""
        most, before = len(self.seen) + datasets, len(self.seen)
        for proposal in proposed:
            if len(self.seen) >= most or len(self.candidates) >= PAIRS:
                break
            pair = self.subject.pair(proposal.base, proposal.users)
            if not np.isfinite(pair.limit.strength):
                continue
            first, second = (self.place(one) for one in (pair.first, pair.second))
            if first != second and (first, second) not in self._paired:
                self._paired.update([(first, second), (second, first)])
                self.candidates.append(Candidate(proposal, pair.limit, first, second))
                self.tried.append(self.candidates[-1])
        self.draw(range(before, len(self.seen)), size)

    def known(self, base: Base, size: int) -> int:
        """Have so many calls on a dataset, if there are none; 1 if it is new."""
        before = len(self.seen)
        self.place(self.subject.dataset(base.data))
        self.draw(range(before, len(self.seen)), size)
        return len(self.seen) - before

    def place(self, dataset: Dataset) -> int:
        """Which of those seen it is; it is one of them from now on."""
        key = self._keys(dataset)
        if key not in self._known:
            self._known[key] = len(self.seen)
            self.seen.append(Seen(dataset))
        return self._known[key]

    def draw(self, places: Iterable[int], size: int) -> None:
        """More calls on these."""
        for place in places if size else ():
            one = self.seen[place]
            own = named(self.seed, "search", "dataset", place, one.rounds)
            one.tables.append(self.subject.draw(one.dataset, size, own))
            one.rounds += 1
            self.calls += size

    def gains(self, candidates: list[Candidate]) -> Floats:
        """What a bet on each would gain in a call."""
        if not candidates:
            return np.zeros(0)
        used = sorted({place for each in candidates for place in (each.first, each.second)})
        rows = {place: row for row, place in enumerate(used)}
        raw = [self.seen[place].table for place in used]
        counted = Counted.of(np.concatenate(raw), np.array([len(table) for table in raw]))
        found = np.zeros(len(candidates))
        for limit in {each.limit for each in candidates}:
            which = [i for i, each in enumerate(candidates) if each.limit == limit]
            first, second = (
                np.array([rows[place] for place in places])
                for places in zip(*((candidates[i].first, candidates[i].second) for i in which), strict=True)
            )
            found[which] = counted.gains(first, second, limit)
        return found

    def best(self, most: int) -> list[Candidate]:
        """Those that promise most, of all users and datasets some; and one between numbers that have all digits.

        What the digits tell is not seen here, and values that move outputs farther would push them out.
        """
        if not self.candidates:
            return []
        gains = self.gains(self.candidates)
        ranked = [self.candidates[i] for i in np.argsort(-gains, kind="stable")]
        kept: list[Candidate] = []
        for allowed in (AMONG, most):
            for one in ranked:
                alike = sum(_alike(one, other) for other in kept)
                if len(kept) < most and one not in kept and alike < allowed:
                    kept.append(one)
        fine = (one for one in ranked if one.fine)
        return kept if any(one.fine for one in kept) else [*kept, *islice(fine, 1)]


def explore(
    subject: Subject, calls: int, seed: int, own: NDArray[Any] | None = None
) -> tuple[list[Finalist], Exploration]:
    """The finalists, and all that was tried, in so many calls or a little less."""
    found = Exploration(subject, seed)
    calls = min(calls, int(NUMBERS / sum(PARTS.values())) // (subject.width + 1))
    spent = {part: int(share * calls) for part, share in PARTS.items()}
    numbers = np.size(subject.domain.everybody(len(subject.promise), subject.domain.ends()[0]))
    datasets = min(DATASETS, spent["first"] // FIRST_LOOK, CELLS // numbers)
    if datasets < 2:
        return [], found
    size = spent["first"] // datasets
    found.take(proposals(subject.domain, subject.promise, seed, own), datasets, size)
    if not found.candidates:
        return [], found
    found.take(_effects(found, spent["effects"]), spent["named"] // (CLOSER * size), CLOSER * size)
    rungs = spent["ladders"] // size
    for ladder in ladders(subject.domain, subject.promise, seed):
        rungs -= narrow(found, ladder, rungs, size)
    found.take(_offspring(found.best(2 * PARENTS)), spent["offspring"] // size, size)
    kept = found.best(KEPT)
    places = sorted({place for each in kept for place in (each.first, each.second)})
    found.draw(places, spent["second"] // max(len(places), 1))
    found.candidates = kept
    return [_finalist(found, each) for each in found.best(FINALISTS)], found


def _effects(found: Exploration, calls: int) -> list[Proposal]:
    """On random data; what they cost counts."""
    subject, rng = found.subject, stream(found.seed, "search", "others")
    data = subject.domain.typed(subject.domain.random(len(subject.promise), rng))
    base = Base(f"{PREFIX}other data by lot", data, *subject.domain.ends())
    before = subject.calls
    proposed = list(effects(subject, base, calls, found.seed))
    found.calls += subject.calls - before
    return proposed


def narrow(found: Exploration, ladder: Ladder, datasets: int, size: int) -> int:
    """Between the rungs where outputs change most, one half-way, until a single user's step is left.

    How many datasets that took.
    """
    before = len(found.seen)
    rungs, left = ladder.rungs(), datasets
    steps = list(pairwise(rungs))
    while left > 0 and any(high - low > 1 for low, high in steps):
        for rung in sorted({rung for step in steps for rung in step}):
            left -= found.known(ladder.base(rung), size)
        changes = _changes(found, ladder, steps)
        best = np.argsort(-changes, kind="stable")[: max(min(np.count_nonzero(changes), STEPS), 1)].tolist()
        halves = ((steps[i], sum(steps[i]) // 2) for i in best)
        steps = [step for (low, high), at in halves for step in ((low, at), (at, high)) if step[0] < step[1]]
    singles = [low for low, high in steps if high - low == 1]
    found.take((Proposal(ladder.base(low), ladder.user) for low in singles), left, size)
    return len(found.seen) - before


def _changes(found: Exploration, ladder: Ladder, steps: list[tuple[int, int]]) -> Floats:
    """Against half of what everybody between may lose, as most rules lose less at most counts."""
    pairs = []
    for low, high in steps:
        first, second = (found.place(found.subject.dataset(ladder.base(rung).data)) for rung in (low, high))
        limit = found.subject.promise.group(ladder.others[low:high])
        half = limit.at(min(0.5 * limit.strength, MOST_ALLOWED))
        pairs.append(Candidate(Proposal(ladder.base(low), ladder.user), half, first, second))
    return found.gains(pairs)


def _offspring(parents: list[Candidate]) -> Iterator[Proposal]:
    """Data of one, users of another, values of a third."""
    chosen = [parent.proposal for parent in parents[:PARENTS]]
    for base, who, values in islice(product(chosen, repeat=3), 1, None):
        yield Proposal(replace(base.base, first=values.base.first, second=values.base.second), who.users)


def _finalist(found: Exploration, candidate: Candidate) -> Finalist:
    tables = [found.seen[place].table for place in (candidate.first, candidate.second)]
    coins = np.repeat([False, True], [len(table) for table in tables])
    order = stream(found.seed, "search", "order").permutation(coins.size)
    pair = found.subject.pair(candidate.proposal.base, candidate.proposal.users)
    return Finalist(pair, np.concatenate(tables)[order], coins[order])


def _alike(one: Candidate, other: Candidate) -> bool:
    same = one.proposal.users is other.proposal.users or np.array_equal(one.proposal.users, other.proposal.users)
    return bool(same) and one.proposal.base.name == other.proposal.base.name
