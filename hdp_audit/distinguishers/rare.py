"""Rare outputs: values and far ends that hardly ever occur, and then mostly on one of the two datasets.

Cells of a column hold many outputs each, so what happens once in a thousand calls drowns there: a datum printed as it
is, a number far away. Here every value that several outputs share, and either end, is judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.distinguisher import Candidate, Sample
from hdp_audit.distinguishers.steps import Score
from hdp_audit.evidence.bets import growth
from hdp_audit.model.promise import Limit

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

FEWEST = 1 << 9  # draws below which nothing rare was seen often enough
RARE_END, RARE_VALUE = 1 / 64, 1 / 16  # of all draws; what is more common has cells of its own
PRICE = 2.0  # nats that a region must gain against the claim, beside the choice among those that came as often
END = 12.0  # nats that always suffice for an end: it may begin anywhere


@dataclass(frozen=True)
class Region:
    """Outputs from `start` up to, without, `stop`: how many came with either coin."""

    start: float
    stop: float
    ones: float
    zeros: float


def rare(sample: Sample) -> Iterator[Candidate]:
    """The rare outputs of each column."""
    for column in sample.first.tolist():
        score = rare_score(sample.outputs[:, column], sample.coins, sample.limit)
        if score is not None:
            yield Candidate(((column, score),), price=PRICE)


def rare_score(outputs: Floats, coins: Coins, limit: Limit) -> Score | None:
    """A ratio for all rare outputs that come with one coin more often than the claim allows, 0 elsewhere."""
    if outputs.size < FEWEST:
        return None
    found = list(_regions(outputs, coins, limit))
    if not found:
        return None
    edges = np.unique([edge for region in found for edge in (region.start, region.stop) if np.isfinite(edge)])
    values = np.zeros(edges.size + 1)
    for kind in (
        [each for each in found if each.ones > each.zeros],
        [each for each in found if each.ones < each.zeros],
    ):
        ratio = np.log((sum(each.ones for each in kind) + 0.5) / (sum(each.zeros for each in kind) + 0.5))
        for region in kind:
            values[(np.append(-np.inf, edges) >= region.start) & (np.append(edges, np.inf) <= region.stop)] = ratio
    return Score(edges, values, steps=True)


def rare_gain(outputs: Floats, coins: Coins, limit: Limit) -> float:
    """Nats that the best of the regions gains; 0 where none pays."""
    if outputs.size < FEWEST:
        return 0.0
    found = [(max(each.ones, each.zeros), each.ones + each.zeros) for each in _regions(outputs, coins, limit)]
    right, made = np.array(found).reshape(-1, 2).T
    return float(growth(right, made, outputs.size, limit, 1).max(initial=0.0))


def _regions(outputs: Floats, coins: Coins, limit: Limit) -> Iterator[Region]:
    """The best low end and the best high end, if they pay, and the values between that do."""
    order = np.argsort(outputs)
    starts = np.flatnonzero(np.append(True, np.diff(outputs[order]) > 0))
    values, sizes = outputs[order[starts]], np.diff(np.append(starts, outputs.size)).astype(np.float64)
    ones = np.add.reduceat(coins[order].astype(np.float64), starts)
    low, high = -np.inf, np.inf
    for backwards in (False, True):
        turn = slice(None, None, -1) if backwards else slice(None)
        made, right = np.cumsum(sizes[turn]), np.cumsum(ones[turn])
        seen = made <= RARE_END * outputs.size
        gained = growth(np.maximum(right, made - right)[seen], made[seen], outputs.size, limit, 1)
        pays = gained > np.minimum(PRICE + np.log1p(made[seen]), END)
        if pays.any():
            best = int(np.argmax(np.where(pays, gained, 0.0)))
            edge = float(values[turn][best])
            low, high = (low, edge) if backwards else (float(np.nextafter(edge, np.inf)), high)
            start, stop = (edge, np.inf) if backwards else (-np.inf, low)
            yield Region(start, stop, float(right[best]), float(made[best] - right[best]))
    between = (sizes > 1) & (sizes <= RARE_VALUE * outputs.size) & (values >= low) & (values < high)
    values, sizes, ones = values[between], sizes[between], ones[between]
    pays = growth(np.maximum(ones, sizes - ones), sizes, outputs.size, limit, 1) > PRICE + _choice(sizes)
    for value, size, one in zip(values[pays].tolist(), sizes[pays].tolist(), ones[pays].tolist(), strict=True):
        yield Region(value, float(np.nextafter(value, np.inf)), one, size - one)


def _choice(sizes: Floats) -> Floats:
    """Nats for the choice of each value: how often it came says nothing of the coins, so frequent ones cost less."""
    as_often = sizes.size - np.searchsorted(np.sort(sizes), sizes, side="left")
    return np.log(np.minimum(as_often.astype(np.float64) ** 2, sizes.size))
