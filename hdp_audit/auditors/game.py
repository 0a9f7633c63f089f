"""The anytime game on one set of users: several pairs of datasets, one wealth.

Every arm is a pair of datasets that differ in the same users, so one claim holds for all of them and all bets go into
one wealth, whichever arm a bet was made on. Arms that pay little are dropped; the rule of the rest is learned again on
all its draws so far before each block, and judged on the next ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.features import Features
from hdp_audit.attacks.pairs import NeighbourPair
from hdp_audit.attacks.witness import Witness, learn_witness
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import Subject

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

OPENING = 0.01  # share of the calls that an arm starts with, unjudged
SHORTEST, LONGEST = 100, 1000  # opening, at least and at most
BLOCK = 1 << 15
LEARNED_FROM = 1 << 17  # draws that a rule is learned from, at most


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
    failed: int = 0  # calls that gave no output

    @property
    def claimed(self) -> float:
        """What the demands of the users allow together."""
        return self.wealth.claimed

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
    bits: bool
    tables: list[Floats] = field(default_factory=list)
    tossed: list[Coins] = field(default_factory=list)
    features: Features | None = None
    witness: Witness | None = None
    drawn: int = 0
    failed: int = 0

    def draw(self, size: int) -> tuple[Floats, Coins]:
        """`size` calls on datasets chosen by fair coins, kept to learn from."""
        names = (self.name, self.pair.base, self.drawn)
        table, coins = draw_round(self.subject, self.pair, size, self.seed, *names)
        self.drawn += size
        self.failed += int(np.count_nonzero(table[:, -1]))
        if self.features is None:
            self.features = Features.fitted(table, bits=self.bits)
        seen = self.features(table)
        self.tables.append(seen)
        self.tossed.append(coins)
        return seen, coins

    def learn(self, judged: int, significance: float) -> None:
        """The best rule for `judged` further draws."""
        table = np.concatenate(self.tables)[-LEARNED_FROM:]
        coins = np.concatenate(self.tossed)[-LEARNED_FROM:]
        self.tables, self.tossed = [table], [coins]
        features = self.features
        if features is not None:
            self.witness = learn_witness(table, coins, max(judged, 1), significance, features.independent)

    def bet(self, size: int) -> tuple[int, int]:
        """(right, made) of the rule on fresh draws."""
        witness = self.witness
        if witness is None:
            return 0, 0
        return witness.counts(*self.draw(size))

    @property
    def promise(self) -> float:
        """The lower bound that the rule expects to give."""
        return self.witness.predicted if self.witness else -np.inf


def draw_round(subject: Subject, pair: NeighbourPair, size: int, seed: int, *names: str | int) -> tuple[Floats, Coins]:
    """`size` calls on datasets chosen by fair coins; coins and either dataset take streams of their own.

    Single calls are made in the coins' order, so that a mechanism which changes with time tells nothing about a coin.
    """
    coins = stream(seed, "coins", *names).random(size) < 0.5
    if not subject.has_batches:
        return subject.draw_mixed(pair.first, pair.second, coins, stream(seed, "mixed", *names)), coins
    ones = int(coins.sum())
    table = np.empty((size, subject.width + 1))
    table[~coins] = subject.draw(pair.first, size - ones, stream(seed, "first", *names))
    table[coins] = subject.draw(pair.second, ones, stream(seed, "second", *names))
    return table, coins


def play(
    subject: Subject,
    pairs: list[NeighbourPair],
    calls: int,
    significance: float,
    seed: int,
    name: str,
    *,
    bits: bool = False,
) -> Game:
    """Bet until the claim falls or the calls are spent."""
    claimed = pairs[0].claimed(subject.epsilon)
    arms = [Arm(subject, pair, seed, name, bits) for pair in pairs]
    opening = max(min(int(OPENING * calls), LONGEST, calls // (4 * len(arms))), min(SHORTEST, calls // (2 * len(arms))))
    for arm in arms:
        arm.draw(opening)
    spent = opening * len(arms)
    horizon = int((calls - spent) * guess_share(claimed))
    wealth = Wealth(claimed, max(horizon, 1), significance)
    judged, path, last = 0, [(spent, 0.0)], arms[0]
    for arm, size in _blocks(arms, opening, calls - spent, significance):
        promising = arm.witness is not None and arm.witness.assured > claimed
        wealth = wealth.after(*arm.bet(size), promising=promising)
        judged, last = judged + size, arm
        path.append((spent + judged, wealth.log))
        if wealth.refutes and not bits:  # how far bits go beyond what rounded outputs tell takes all calls to say
            break
    # the arm whose bet refuted the claim is the one to confirm
    best = last if wealth.refutes else max(arms, key=lambda arm: arm.drawn)
    if best.witness is None:
        best.learn(1, significance)
    if best.witness is None or best.features is None:
        raise AssertionError("an arm without draws")
    failed = sum(arm.failed for arm in arms)
    return Game(best.pair, best.witness, best.features, wealth, spent + judged, judged, tuple(path), failed)


def _blocks(arms: list[Arm], opening: int, calls: int, significance: float) -> Iterator[tuple[Arm, int]]:
    """(arm, size) of each block: all arms, then the better half, and at last the best; rules are learned in between."""
    left, size, alive = calls, opening, list(arms)
    while left > 0:
        for arm in alive:
            arm.learn(left // len(alive), significance)
        if len(alive) > 1 and size > opening:
            alive = sorted(alive, key=lambda arm: -arm.promise)[: (len(alive) + 1) // 2]
        for arm in alive:
            todo = min(size, left)
            while todo > 0:
                block = min(todo, BLOCK, max(arm.drawn // 4, SHORTEST))
                yield arm, block
                todo -= block
                left -= block
        size *= 2


def guess_share(loss: float) -> float:
    """(1 + e^{−loss})/2: how often Laplace noise of that loss gives an output with the full likelihood ratio."""
    return float(0.5 * (1.0 + np.exp(-loss)))


def shortened(path: tuple[tuple[int, float], ...], most: int = 60) -> list[list[float]]:
    """At most so many points of a path, the last among them, for display."""
    keep = np.unique(np.linspace(0, len(path) - 1, min(most, len(path))).astype(int))
    return [[path[i][0], round(path[i][1], 3)] for i in keep]
