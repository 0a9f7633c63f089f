"""Differences of neighbouring outputs, summed: for outputs that each add a noise of their own to the one before.

Of prefix sums of noisy numbers every output holds all noise so far, and its own part is the difference to the one
before. Where neighbours go together, the first output and all differences are taken for independent and summed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.columns import learn_parts
from hdp_audit.distinguishers.distinguisher import Candidate, Sample
from hdp_audit.distinguishers.scores import learn_score
from hdp_audit.distinguishers.steps import Parts, Score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

FEWEST = 1 << 9  # draws below which nothing is said of neighbours
TOGETHER = 0.3  # correlation of neighbours, on average, from which on their differences are looked at
MOST_OUTPUTS = 64
LOOKED_AT = 1 << 12  # draws that tell whether neighbours go together
POOLED = 1 << 18  # numbers that a score is learned from, at most


def differences(sample: Sample) -> Iterator[Candidate]:
    """Sums over the first output and all differences, each by itself or all alike; none where neighbours disagree."""
    outputs = sample.columns - 1  # the last of the columns is the outcome
    if not 3 <= outputs <= MOST_OUTPUTS or sample.coins.size < FEWEST:
        return
    if sample.outputs.shape[1] < sample.columns + outputs - 1:
        return  # columns without their differences
    if _together(sample.outputs[-LOOKED_AT:, :outputs]) < TOGETHER:
        return
    own = np.array([0, *range(sample.columns, sample.columns + outputs - 1)])
    parts = learn_parts(sample.outputs[:, own], sample.coins)
    yield Candidate(tuple((int(own[column]), score) for column, score in parts))
    shared = shared_score(sample.outputs[:, own], sample.coins, sample.cells)
    yield Candidate(tuple((int(own[column]), score) for column, score in shared))


def shared_score(outputs: Floats, coins: Coins, cells: int) -> Parts:
    """One score for all columns, each about its own middle and in its own direction: what none tells clearly alone."""
    most = max(POOLED // outputs.shape[1], 1)
    outputs, coins = outputs[-most:], coins[-most:]
    middles = np.median(outputs, axis=0)
    above = (outputs > middles).astype(np.float64)
    signs = np.where(above[coins].mean(axis=0) >= above[~coins].mean(axis=0), 1.0, -1.0)
    pooled = ((outputs - middles) * signs).T.reshape(-1)
    score = learn_score(pooled, np.tile(coins, outputs.shape[1]), cells)
    return tuple((column, _turned(score, middles[column], signs[column])) for column in range(outputs.shape[1]))


def _turned(score: Score, middle: float, sign: float) -> Score:
    if sign > 0:
        return replace(score, points=score.points + middle)
    points = middle - score.points[::-1]
    edges = np.nextafter(points, np.inf) if score.steps else points  # steps begin at their points, from below
    return replace(score, points=edges, values=score.values[::-1])


def _together(outputs: Floats) -> float:
    """The average correlation of ranks of neighbours."""
    ranks = outputs.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable").astype(np.float64)
    ranks -= 0.5 * (len(ranks) - 1)
    return float(np.mean(ranks[:, :-1] * ranks[:, 1:]) / np.mean(ranks**2))
