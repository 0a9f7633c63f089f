"""Everybody's loss on one base dataset: one call a user, or a few for all where the answer is a sum over users."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base, Domain
from hdp_audit.model.neighbours import NeighbourPair, Neighbours, Values
from hdp_audit.model.promise import Promise
from hdp_audit.tracing.coordinates import Coordinates
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.execution import EPSILON, ULPS, Execution
from hdp_audit.tracing.measure import Measure, Pure
from hdp_audit.tracing.readers import Reader, reader_of

ONE_BY_ONE = 2_000  # users who are moved one by one where the answer is no sum
MOST_USERS = 20_000  # who are asked alone
QUARTERS = 4  # of all users, who have to add up: beyond some count there may be something else
SMALL = 4  # users of a block that are moved one by one
MOST_MOVES = 2_000  # calls until blocks are given up, and everybody is asked
ROUNDING = 1e-13  # of the size of what is read: by so much a sum over users may be off
Users = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Everyone:
    """Traced losses; NaN for whom nothing is known. `summed`: one linear answer, checked, stands for all users."""

    losses: Floats
    summed: bool
    error: float = 0.0  # relative, by rounding


@dataclass(frozen=True, eq=False)
class Question:
    """A mechanism, what was promised, and the datasets that differ in a user."""

    execution: Execution
    promise: Promise
    domain: Domain
    neighbours: Neighbours
    measure: Measure = field(default_factory=Pure)

    def pair(self, base: Base, *users: int) -> NeighbourPair:
        """Two datasets that differ in these users."""
        return self.neighbours.pair(self.domain, base, np.array(users, dtype=np.int64), self.promise)

    def sides(self, base: Base) -> Values | None:
        """Everybody's two values; None where users leave, or have other values each."""
        coins = None if base.spread else self.neighbours.coins(self.domain, base, self.promise)
        return coins if isinstance(coins, Values) else None


def everyone(question: Question, base: Base, rng: np.random.Generator) -> Everyone | None:
    """None where outputs do not follow their noise in a line, so that nothing is known of a user from one call."""
    first = question.pair(base, 0).first
    run = question.execution.run(first)
    where = Coordinates(run.draws, question.measure)
    if not run.draws:
        return Everyone(_without_noise(question, base, rng), False)
    reader = reader_of(question.execution, first, where, run) if len(where) else None
    if reader is None:
        return None
    answers = _Answers(question, base, reader)
    changes = answers.summed(rng) if answers.sides is not None else None
    if changes is not None:
        return Everyone(reader.losses(changes, question.measure), True, _error(reader, changes))
    users = np.arange(len(question.promise))
    most = ONE_BY_ONE // reader.calls
    if users.size > most:
        users = np.sort(rng.choice(users, most, replace=False))
    losses = np.full(len(question.promise), np.nan)
    changes = np.array([answers.alone(int(user)) for user in users])
    for other in reader.elsewhere():
        again = _Answers(question, base, other)
        sure = [again.near(again.alone(int(user)), change) for user, change in zip(users, changes, strict=True)]
        changes[~np.array(sure)] = np.nan
    losses[users] = reader.losses(changes, question.measure.of(users))
    return Everyone(losses, False, _error(reader, changes))


def _error(reader: Reader, changes: Floats) -> float:
    """Relative, of the smallest change that is no rounding itself."""
    found = np.abs(changes[np.isfinite(changes)])
    found = found[found > ROUNDING * reader.size]
    return float(ULPS * EPSILON * reader.size / found.min()) if found.size else 0.0


def _without_noise(question: Question, base: Base, rng: np.random.Generator) -> Floats:
    """Nothing, or everything."""
    losses = np.full(len(question.promise), np.nan)
    users = np.arange(losses.size)
    for user in users if users.size <= ONE_BY_ONE else rng.choice(users, ONE_BY_ONE, replace=False):
        pair = question.pair(base, int(user))
        first, second = (question.execution.run(each) for each in (pair.first, pair.second))
        losses[user] = 0.0 if first.same_output(second) else np.inf
    return losses


class _Answers:
    """What a reader reads, dataset by dataset."""

    def __init__(self, question: Question, base: Base, reader: Reader) -> None:
        self._question, self._base, self._reader = question, base, reader
        self.sides = question.sides(base)
        self._calls = 0
        self._start: Floats | None = None
        self._known: Floats | None = None  # of the base dataset itself

    def _answer(self, dataset: Dataset) -> Floats:
        self._calls += self._reader.calls
        return self._reader.read(dataset)

    def alone(self, user: int) -> Floats:
        """By how much outputs change when this user moves."""
        pair = self._question.pair(self._base, user)
        first, second = (self._unless_known(each) for each in (pair.first, pair.second))
        return first - second

    def _unless_known(self, dataset: Dataset) -> Floats:
        """Many users are in the base dataset already as they are in one of the two: it is asked once."""
        if not np.array_equal(dataset.data, self._base.data):
            return self._answer(dataset)
        if self._known is None:
            self._known = self._answer(dataset)
        return self._known

    def together(self, users: Users) -> Floats:
        """The same for several at once, with nobody else having moved."""
        if self._start is None:
            self._start = self._answer(self._with(users[:0]))
        return self._start - self._answer(self._with(users))

    def _with(self, users: Users) -> Dataset:
        assert self.sides is not None  # noqa: S101 (asked of these alone)
        data = self.sides.first.copy()
        data[users] = self.sides.second[users]
        return Dataset(data, self._question.promise)

    def summed(self, rng: np.random.Generator) -> Floats | None:
        """Each user's change, where the change of several is the sum of theirs; found block by block.

        Users are sorted by what they were promised. Within a block changes are taken to lie on a line between its ends;
        random parts of it, moved together, have to add up to the last digits, else the block is halved.
        """
        if not self._hopeful():
            return None
        strengths = self._question.promise.strengths
        finite = np.where(
            np.isfinite(strengths), strengths, 2.0 * np.nanmax(np.where(np.isinf(strengths), 0, strengths)) + 1
        )
        order, changes = np.argsort(finite, kind="stable"), np.full((finite.size, self._reader.width), np.nan)
        blocks = [order]
        while blocks:
            block = blocks.pop()
            if self._calls > MOST_MOVES + MOST_USERS:
                return None
            guess = self._guess(block, finite, changes, self._calls > MOST_MOVES)
            if guess is None:
                continue
            if self._adds_up(block, guess, rng):
                changes[block] = guess
            else:
                middle = block.size // 2
                blocks += [block[:middle], block[middle:]]
        return changes if self._linear(changes, rng) else None

    def _hopeful(self) -> bool:
        """Whether two parts of all users, moved together, change as much as both alone: a few calls save thousands."""
        order = np.random.default_rng(0).permutation(len(self._question.promise))
        one, two = order[: order.size // 8], order[order.size // 8 : order.size // 4]
        apart = self.together(one) + self.together(two)
        return order.size < ONE_BY_ONE // 100 or self._up_to(np.concatenate([one, two]), apart)

    def _guess(self, block: Users, by: Floats, changes: Floats, late: bool) -> Floats | None:
        """On a line between the ends; None where everybody was asked: in small blocks, and where lines did not help."""
        if block.size <= SMALL or late:
            for user in block:
                changes[user] = self.together(np.array([user]))
            return None
        low, high = (self.together(block[[end]]) for end in (0, -1))
        width = by[block[-1]] - by[block[0]]
        part = (by[block] - by[block[0]]) / width if width > 0 else np.zeros(block.size)
        return np.asarray(low + part[:, None] * (high - low))

    def _adds_up(self, block: Users, guess: Floats, rng: np.random.Generator) -> bool:
        taken = rng.random(block.size) < 0.5
        for part in (taken, ~taken, rng.random(block.size) < 0.5):
            if not self.near(self.together(block[part]), guess[part].sum(axis=0)):
                return False
        return True

    def near(self, found: Floats, expected: Floats) -> bool:
        """Whether rounding alone may have driven them apart."""
        size = self._reader.size + float(np.abs(found).max()) + float(np.abs(expected).max())
        return bool((np.abs(found - expected) <= ROUNDING * size).all())

    def _linear(self, changes: Floats, rng: np.random.Generator) -> bool:
        """Whether any part of all users adds up, up to all of them, and data between the ends count in proportion."""
        everybody = np.arange(changes.shape[0])
        sizes = np.unique(np.linspace(0, everybody.size, QUARTERS + 1).round().astype(np.int64))[1:]
        if not all(self._up_to(everybody[:size], changes[:size].sum(axis=0)) for size in sizes):
            return False
        for _ in range(3):
            part = everybody[rng.random(everybody.size) < rng.random()]
            if not self.near(self.together(part), changes[part].sum(axis=0)):
                return False
        return self._elsewhere(changes, rng) and self._proportional(changes, rng)

    def _up_to(self, users: Users, expected: Floats) -> bool:
        """Whether these add up, but for outputs that no noise moves any more, as where they are clipped."""
        found = self.together(users)
        if self.near(found, expected):
            return True
        readers = [self._reader, *self._reader.elsewhere()]
        read = np.array([reader.read(self._with(users)) for reader in readers])
        alive = (read != read[0]).any(axis=0)
        return self.near(found[alive], expected[alive]) if alive.any() else True

    def _elsewhere(self, changes: Floats, rng: np.random.Generator) -> bool:
        """Whether changes are the same with other noise: of every user, in one half or the other."""
        everybody = np.arange(changes.shape[0])
        for reader in self._reader.elsewhere():
            other = _Answers(self._question, self._base, reader)
            taken = rng.random(everybody.size) < 0.5
            for part in (everybody[taken], everybody[~taken]):
                if not other.near(other.together(part), changes[part].sum(axis=0)):
                    return False
        return True

    def _proportional(self, changes: Floats, rng: np.random.Generator) -> bool:
        sides, start = self.sides, self._start
        if self._base.data.dtype.kind != "f" or start is None or sides is None:
            return True
        for _ in range(3):
            part = rng.random(changes.shape[0])
            data = sides.first + (part * (sides.second - sides.first).T).T  # all numbers of a user move alike
            expected = start - part @ changes
            if not self.near(self._answer(Dataset(data, self._question.promise)), expected):
                return False
        return True
