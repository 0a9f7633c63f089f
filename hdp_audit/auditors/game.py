"""One game on one pair of datasets.

Learn a witness on some draws, then bet on fresh ones until the claim falls or the calls are spent.
"""

from __future__ import annotations

from dataclasses import dataclass

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

TRAINING = 0.1  # share of the calls that teach the witness
LEAST_TRAINING = 400
BLOCK = 1 << 15


@dataclass(frozen=True)
class Game:
    """What was played: the pair, the rule, and how often it was right."""

    pair: NeighbourPair
    claimed: float
    witness: Witness
    wealth: Wealth
    calls: int
    trained: int  # calls that taught the witness and were not judged


def draw_round(subject: Subject, pair: NeighbourPair, size: int, seed: int, *names: str | int) -> tuple[Floats, Coins]:
    """`size` calls on datasets chosen by fair coins; coins and mechanism take independent streams."""
    coins = stream(seed, "coins", *names).random(size) < 0.5
    rng = stream(seed, "mechanism", *names)
    ones = int(coins.sum())
    table = np.empty((size, subject.width + 1))
    table[~coins] = subject.draw(pair.first, size - ones, rng)
    table[coins] = subject.draw(pair.second, ones, rng)
    return table, coins


def play(subject: Subject, pair: NeighbourPair, calls: int, significance: float, seed: int, name: str) -> Game:
    """Train on the first calls, judge the rest in blocks, and stop as soon as the claim is refuted."""
    claimed = pair.claimed(subject.epsilon)
    trained = min(max(int(TRAINING * calls), LEAST_TRAINING), calls // 2)
    table, coins = draw_round(subject, pair, trained, seed, name, "train")
    features = Features.fitted(table)
    witness = learn_witness(features(table), coins, calls - trained, significance, features.independent)
    wealth, spent, block = Wealth(claimed), trained, 1024
    while spent < calls and not wealth.refutes(significance):
        size = min(block, calls - spent)
        table, coins = draw_round(subject, pair, size, seed, name, "judge", spent)
        wealth = wealth.after(*witness.counts(features(table), coins))
        spent += size
        block = min(2 * block, BLOCK)
    return Game(pair, claimed, witness, wealth, spent, trained)
