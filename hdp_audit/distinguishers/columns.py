"""Which columns of the outputs speak, and how: the score of each by itself, summed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.ramps import shared_ramp
from hdp_audit.distinguishers.scores import learn_score
from hdp_audit.distinguishers.steps import Parts, Score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

CONVINCING = 5.0  # nats that a coordinate must gain to be heard beside a better one
PROMISING = 4  # columns that are learned in detail, whatever they seem to tell
MOST_COLUMNS = 20  # of those that clearly tell something
CELLS = 16  # in which columns are compared before
HELD = 1 << 20  # numbers that are sorted together


def learn_parts(
    outputs: Floats, coins: Coins, independent: int | None = None, among: NDArray[np.int64] | None = None
) -> Parts:
    """Which columns speak, and how; those among all are looked at, if they are given."""
    first = outputs.shape[1] if independent is None else independent
    cells = cells_for(outputs.shape[0])
    together, alone = (
        sorted(
            ((column, learn_score(outputs[:, column], coins, cells)) for column in columns),
            key=_evidence,
            reverse=True,
        )
        for columns in promising(outputs, coins, first, among)
    )
    parts = (together[0], *(part for part in together[1:] if _evidence(part) > CONVINCING))
    if alone and _evidence(alone[0]) > sum(_evidence(part) for part in parts):
        return (alone[0],)
    shared = shared_ramp(outputs, coins, parts)
    return parts if shared is None else tuple(_moved(part, shared) for part in parts)


def cells_for(draws: int) -> int:
    """In how many cells a column is learned."""
    return int(np.clip(2.0 * draws**0.4, 8, 400))


def said_once(parts: Parts, coins: Coins) -> Parts:
    """Parts learned on chosen rows, whose coins are not fair: that is said by the first part, and by no other again."""
    ones = int(np.count_nonzero(coins))
    odds = float(np.log((ones + 0.5) / (coins.size - ones + 0.5)))
    by_that = ones * odds - coins.size * float(np.logaddexp(0.0, odds) - np.log(2.0))
    first, *others = parts
    own = (part for part in others if _evidence(part) > CONVINCING + by_that)
    return (first, *((column, replace(score, values=score.values - odds)) for column, score in own))


def _moved(part: tuple[int, Score], shared: Score) -> tuple[int, Score]:
    """The shared ramp about this coordinate's own middle, in its own direction."""
    column, own = part
    values = shared.values * np.sign(own.values[1])
    return column, Score(own.points.mean() + shared.points, values, evidence=own.evidence)


def promising(
    outputs: Floats, coins: Coins, first: int, among: NDArray[np.int64] | None = None
) -> tuple[list[int], list[int]]:
    """The columns worth learning: of the first ones, and of the later ones what tells clearly more than any first."""
    varied, telling = _varied(outputs, among), 0
    if varied.size > PROMISING:
        differences = np.zeros(outputs.shape[1])
        looked_at = slice(None) if among is None else among
        differences[looked_at] = compared(outputs[:, looked_at], coins)[0]
        varied = varied[np.argsort(-differences[varied], kind="stable")]
        best = differences[:first].max()
        # χ² is about twice a log-likelihood
        varied = varied[(varied < first) | (differences[varied] > best + 2.0 * CONVINCING)]
        telling = int(np.count_nonzero(differences[:first] > CELLS + 4.0 * CONVINCING))
    together, alone = varied[varied < first].tolist(), varied[varied >= first].tolist()
    return together[: max(PROMISING, min(telling, MOST_COLUMNS))] or [0], alone[:PROMISING]


def _varied(outputs: Floats, among: NDArray[np.int64] | None) -> NDArray[np.int64]:
    if among is None:
        return np.flatnonzero(np.ptp(outputs, axis=0) > 0)
    return among[np.ptp(outputs[:, among], axis=0) > 0]


def compared(outputs: Floats, coins: Coins) -> tuple[Floats, Floats]:
    """χ² of the coins in a few cells of each column, and how far their order moves with the coin, squared.

    Equal outputs stay in the order of the draws: a fair one.
    """
    starts = np.linspace(0, coins.size, min(CELLS, coins.size), endpoint=False).astype(int)
    total = np.diff(starts, append=coins.size)
    step = max(HELD // coins.size, 1)
    places = np.arange(starts.size) - 0.5 * (starts.size - 1)
    found, moved = [], []
    for first in range(0, outputs.shape[1], step):
        columns = np.ascontiguousarray(outputs[:, first : first + step].T)
        ones = np.diff(_ones_before(columns, coins, starts), append=np.count_nonzero(coins), axis=1)
        beyond = 2.0 * ones - total
        found.append(np.ascontiguousarray((beyond**2 / total).T).sum(axis=0))
        moved.append((beyond @ places) ** 2)
    return np.concatenate(found), np.concatenate(moved)


def _ones_before(columns: Floats, coins: Coins, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many ones came with the so many smallest numbers of each column; of equal ones the first come first.

    A stable sort says the same in five times as long.
    """
    ordered, of_ones = np.sort(columns, axis=1), np.sort(columns[:, coins], axis=1)
    found = np.empty((len(columns), starts.size), dtype=np.int64)
    for number, counts in enumerate(found):
        at = ordered[number, starts]
        left, counts[:] = starts - ordered[number].searchsorted(at), of_ones[number].searchsorted(at)
        some = left > 0
        for value in dict.fromkeys(at[some].tolist()):
            equal, here = np.cumsum(coins[columns[number] == value]), (at == value) & some
            counts[here] += equal[left[here] - 1]
    return found


def _evidence(part: tuple[int, Score]) -> float:
    return part[1].evidence
