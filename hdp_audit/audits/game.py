"""The anytime game on one set of users: several pairs of datasets, one wealth.

Every arm is a pair of datasets that differ in the same users, so one claim holds for all of them and all bets go into
one wealth, whichever arm a bet was made on. Arms that pay little are dropped; the rule of the rest is learned again on
all its draws so far before each block, and judged on the next ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.chosen import Choice
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.witness import Witness, learn_witness
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.chunks import BATCH, Mixed
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

OPENING = 0.01  # share of the calls that an arm starts with, unjudged
SHORTEST, LONGEST = 40, 100  # of an opening
LEAST = 16  # calls for each arm: with fewer, there are fewer arms
BLOCK = 1 << 15
MOMENTS = 64  # of a block, at which the claim may fall: wealth that fell back by its end was there all the same
EARLY = 0.4  # of the way to where the claim should fall: a look too early costs little, calls are spent for good
HASTY = 1 << 12  # draws of a round up to which the next one is twice as long, if nothing was won
TURN = BATCH // 2  # draws of a chunk, at most, before the datasets change turns: each chunk has two turns or more
LEARNED_FROM = 1 << 17  # draws that a rule is learned from, at most
LEARNED, LEAST_LEARNED = 1 << 24, 1 << 10  # numbers of these draws, at most: of wide outputs fewer are kept
DRAWN = 1 << 22  # numbers that are drawn at once


@dataclass(frozen=True)
class Game:
    """What was played: the best pair, its rule, and how often the bets were right."""

    pair: NeighbourPair
    witness: Witness
    features: Features
    wealth: Wealth
    calls: int
    judged: int  # calls that were bet on
    path: tuple[tuple[int, float], ...]  # (calls, log wealth) after each block
    seen: tuple[Floats, Coins]  # what the rule was learned from and judged by
    failed: int = 0  # calls that gave no output

    @property
    def claimed(self) -> float:
        """What the demands of the users allow together."""
        return self.wealth.claimed

    @property
    def largest(self) -> float:
        """Logarithm of the largest wealth at the end of any block: 1 over it is a p-value at any time."""
        return max(log for _, log in self.path)

    @property
    def answered(self) -> int:
        """Calls that were bet on and gave an output: only these could have shown too little noise."""
        return int(self.judged * (1.0 - self.failed / max(self.calls, 1)))


@dataclass
class Arm:
    """One pair of datasets and what was seen of it."""

    subject: Subject
    pair: NeighbourPair
    seed: int
    name: str
    number: int  # among the arms of its game: two arms never share a stream, whatever they are called
    bits: bool
    measuring: bool
    room: int = field(default_factory=lambda: LEARNED)  # numbers that it keeps to learn from, at most
    tables: list[Floats] = field(default_factory=list)
    tossed: list[Coins] = field(default_factory=list)
    features: Features | None = None
    witness: Witness | None = None
    drawn: int = 0
    failed: int = 0
    won: float = 0.0  # logarithm of what its bets made of the wealth
    choice: Choice = field(default_factory=Choice)

    def draw(self, size: int, later: int = 0) -> tuple[Floats, Coins]:
        """`size` calls on datasets chosen by fair coins, kept to learn from, as far as it is that much.

        Of wide outputs, of which `later` ones will be learned from, only what the rule reads is made.
        """
        names = (self.name, self.number, self.drawn)
        table, coins = draw_round(self.subject, self.pair, size, self.seed, *names)
        self.drawn += size
        self.failed += int(np.count_nonzero(table[:, -1]))
        if self.features is None:
            self.features = Features.fitted(table, bits=self.bits)
        most = _kept(self.features, self.room)
        read = None if self.witness is None or most == LEARNED_FROM or later < most else self.witness.reads()
        if read is not None:
            return self.features.only(table, read), coins
        seen = self.features(table)
        self.tables.append(seen)
        self.tossed.append(coins)
        while sum(map(len, self.tossed[1:])) >= most:
            del self.tables[0], self.tossed[0]
        return seen, coins

    @property
    def seen(self) -> tuple[Floats, Coins]:
        """The last draws, as many as are learned from."""
        most = LEARNED_FROM if self.features is None else _kept(self.features, self.room)
        if len(self.tables) > 1 or len(self.tossed[0]) > most:
            self.tables, self.tossed = [_last(self.tables, most)], [_last(self.tossed, most)]
        return self.tables[0], self.tossed[0]

    def learn(self, judged: int, wealth: Wealth) -> None:
        """The best rule for `judged` further draws."""
        table, coins = self.seen
        features = self.features
        if features is not None:
            known = self.witness.joint if self.witness is not None else None
            chosen = self.choice.of(table, coins, features.independent, wealth.limit, self.drawn)
            given = max(judged, 1), wealth.significance, features.independent, wealth.limit, known, features.grids
            self.witness = learn_witness(table, coins, *given, chosen, measuring=self.measuring)

    def bet(self, wealth: Wealth, size: int, later: int = 0) -> Wealth:
        """What the rule makes of a wealth by fresh draws, up to where the claim falls, unless a loss is measured."""
        witness = self.witness
        if witness is None:
            raise AssertionError("a bet before anything was learned")
        table, coins = self.draw(size, later)
        if self.measuring:
            return wealth.after(*witness.counts(table, coins), size, witness.bet, assured=witness.assured)
        moments = np.unique(np.ceil(np.arange(1, MOMENTS + 1) * (size / MOMENTS)).astype(np.int64))
        counts = witness.counts_until(table, coins, moments)
        return wealth.along(*counts, moments, witness.bet, assured=witness.assured)

    @property
    def prospects(self) -> tuple[float, float]:
        """What the rule expects to gain against the claim, and the lower bound that it expects to give."""
        return (self.witness.growth, self.witness.predicted) if self.witness else (0.0, -np.inf)


@dataclass
class Stake:
    """Where all arms put their bets: one wealth, and how it came about."""

    wealth: Wealth
    calls: int
    path: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.path.append((self.calls, 0.0))

    def bet(self, arm: Arm, size: int) -> bool:
        """Bets on so many draws of an arm; True as soon as the claim falls, which is looked for on the way."""
        while size > 0:
            block = min(
                size, BLOCK, max(DRAWN // (arm.subject.width + 1), SHORTEST), self._until_the_next_look(arm.drawn)
            )
            before = self.wealth.log
            self.wealth = arm.bet(self.wealth, block, size - block)
            arm.won += self.wealth.log - before
            self.calls, size = self.calls + block, size - block
            self.path.append((self.calls, self.wealth.log))
            if self.wealth.refutes:
                return True
        return False

    def _until_the_next_look(self, drawn: int) -> int:
        """EARLY on the way to where the claim would fall at the recent pace, a 64th to a quarter of what was drawn.

        Half of it where nothing was won yet.
        """
        now, log = self.path[-1]
        before, earlier = next(point for point in self.path if point[0] >= now // 2)
        pace = (log - earlier) / max(now - before, 1)
        if log <= 0 or pace <= 0:
            return max(drawn // 2, SHORTEST)
        needed = EARLY * (self.wealth.goal - log) / pace
        return max(int(np.clip(needed, drawn // 64, drawn // 4)), SHORTEST)


def _kept(features: Features, room: int) -> int:
    """Draws that a rule is learned from, at most."""
    return min(LEARNED_FROM, max(room // features.width, LEAST_LEARNED))


def _last(tables: list[NDArray[Any]], most: int) -> NDArray[Any]:
    """The last rows of all; each table is let go of as soon as it is copied, and nothing of the rows before is held."""
    held = sum(map(len, tables))
    size, over, end = min(held, most), max(held - most, 0), 0
    found = np.empty_like(tables[0], shape=(size, *tables[0].shape[1:]))
    while tables:
        rows = tables.pop(0)
        rows, over = rows[over:], max(over - len(rows), 0)
        found[end : end + len(rows)] = rows
        end += len(rows)
    return found


def draw_round(subject: Subject, pair: NeighbourPair, size: int, seed: int, *names: str | int) -> tuple[Floats, Coins]:
    """`size` calls on datasets chosen by fair coins; coins and either dataset take streams of their own.

    Single calls are made in the coins' order, so that a mechanism which changes with time tells nothing about a coin.
    Batches cannot be, so they need outputs that do not change with time, which the behaviour check tests; as it cannot
    see everything, the datasets take turns (first, second, second, first), the one that begins drawn by lot: then a
    steady drift favours neither. A row has a call's outputs and, in its last column, whether and how the call failed.
    """
    coins = stream(seed, "coins", *names).random(size) < 0.5
    if not subject.has_batches:
        return subject.draw_mixed(pair.first, pair.second, coins, named(seed, "mixed", *names)), coins
    spans = subject.spans(size, batches=True)
    parts = zip(spans, named(seed, *names).turns("chunk"), strict=False)
    return subject.drawn([Sides(own, pair.first, pair.second, coins[start:end]) for (start, end), own in parts]), coins


class Sides(Mixed):
    """One call for each coin, in batches for either dataset; these take turns."""

    def made(self, subject: Subject) -> Floats:
        """In the order of the coins where batches cannot be trusted any more."""
        names = self.stream.names
        if not subject.has_batches:
            return subject.mixed(self.first, self.second, self.tossed, stream(self.stream.seed, "mixed", *names))
        seed, table = self.stream.seed, np.empty((self.size, subject.width + 1))
        sides = [(self.first, stream(seed, "first", *names)), (self.second, stream(seed, "second", *names))]
        turn = int(stream(seed, "turns", *names).integers(2))
        for part in np.array_split(np.arange(self.size), 2 * -(-self.size // (2 * TURN))):
            for side in (turn, 1 - turn):
                data, rng = sides[side]
                rows = part[self.tossed[part] == bool(side)]
                table[rows] = subject.same(data, rows.size, rng)
            turn = 1 - turn
        return table


def play(
    subject: Subject,
    pairs: list[NeighbourPair],
    calls: int,
    significance: float,
    seed: int,
    name: str,
    *,
    bits: bool = False,
    measuring: bool = False,
    after: Game | None = None,
) -> Game:
    """Bet until the claim falls or the calls are spent; if `measuring`, for the largest bound, to the last call.

    Where it comes `after` another game on the same pair, it starts with what that one saw; its bets are on fresh draws.
    How far bits go beyond what rounded outputs tell takes all calls to say, so they are always measured. All pairs
    must have one claim, as their bets share one wealth.
    """
    measuring = measuring or bits
    pairs = pairs[: max(calls // LEAST, 1)]
    limit = pairs[0].limit
    if any(pair.limit != limit for pair in pairs):
        raise ValueError("pairs of different claims in one game")
    arms = [Arm(subject, pair, seed, name, number, bits, measuring) for number, pair in enumerate(pairs)]
    opening, spent = opening_of(calls, len(arms)), 0
    for arm in arms:
        if after is not None:
            arm.features, arm.witness = after.features, after.witness
            arm.tables, arm.tossed = [after.seen[0]], [after.seen[1]]
        else:
            arm.draw(opening)
            spent += opening
    horizon = int((calls - spent) * limit.guess_share)
    stake = Stake(Wealth(limit, max(horizon, 1), significance), spent)
    for arm, size in _rounds(arms, stake, opening, calls - spent):
        if stake.bet(arm, size) and not measuring:
            break
    # the arm that won most is the one to confirm: a weak one may have made the last bet
    best = max(arms, key=lambda arm: arm.won if stake.wealth.refutes else arm.drawn)
    if best.witness is None:
        best.learn(1, stake.wealth)
    if best.witness is None or best.features is None:
        raise AssertionError("an arm without draws")
    judged, failed = stake.calls - spent, sum(arm.failed for arm in arms)
    path = tuple(stake.path)
    return Game(best.pair, best.witness, best.features, stake.wealth, stake.calls, judged, path, best.seen, failed)


def opening_of(calls: int, arms: int) -> int:
    """Calls that each arm starts with: twice as many where the first thing to do is to choose among arms."""
    twice = min(arms, 2)
    usual = min(int(twice * OPENING * calls), twice * LONGEST, calls // (4 * arms))
    return max(usual, min(twice * SHORTEST, calls // (2 * arms)), 1)


def _rounds(arms: list[Arm], stake: Stake, opening: int, calls: int) -> Iterator[tuple[Arm, int]]:
    """(arm, draws) of each round: the better half of the arms, then of these, and at last the best.

    Rules are learned again before each round; short rounds grow faster while there is nothing to win.
    """
    left, size, alive = calls, opening, list(arms)
    while left > 0:
        for arm in alive:
            arm.learn(left // len(alive), stake.wealth)
        if len(alive) > 1:
            alive = sorted(alive, key=lambda arm: arm.prospects, reverse=True)[: (len(alive) + 1) // 2]
        for arm in alive:
            yield arm, min(size, left)
            left -= min(size, left)
        size += size // 2 if stake.wealth.log > 0 or size > HASTY else size


def shortened(path: tuple[tuple[int, float], ...], most: int = 60) -> list[list[float]]:
    """At most so many points of a path, the last among them, for display."""
    keep = np.unique(np.linspace(0, len(path) - 1, min(most, len(path))).astype(int))
    return [[path[i][0], round(path[i][1], 3)] for i in keep]
