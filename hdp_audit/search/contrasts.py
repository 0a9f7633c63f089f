"""How well few outputs tell two datasets apart, for many pairs of datasets at once.

Outputs of all datasets are counted in common cells of each column. For each pair the best simple event (up to a cell,
or a cell) says what a bet on it would gain against what the pair's users may lose together. It chooses what is worth
more calls, and proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.cells import cell_edges
from hdp_audit.distinguishers.features import Features
from hdp_audit.evidence.bets import growth
from hdp_audit.model.promise import Limit

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

CELLS = 48
MOST_COLUMNS = 48  # that are looked at: where there are more, the ones that differ most between datasets
HELD = 1 << 20  # numbers at once
CAUTION = 1.0  # standard errors by which a rate is taken to be worse than it seems


@dataclass(frozen=True, eq=False)
class Counted:
    """For each column, how many outputs of each dataset (a row) lie in each cell."""

    cells: list[Floats]
    sizes: Floats  # outputs of each dataset

    @classmethod
    def of(cls, outputs: Floats, sizes: Places) -> Counted:
        """So many outputs of each dataset, in cells that hold about equally many of all datasets together."""
        whole, owner = Features.fitted(outputs)(outputs), np.repeat(np.arange(sizes.size), sizes)
        found = [_cells(whole[:, column], owner, sizes.size) for column in _telling(whole, sizes)]
        return cls(found, sizes.astype(np.float64))

    def gains(self, first: Places, second: Places, limit: Limit) -> Floats:
        """For each pair of rows, nats in a call that a bet on the best event gains against the limit."""
        best = np.zeros(first.size)
        for cells in self.cells:
            step = max(HELD // (8 * cells.shape[1]), 1)
            for start in range(0, first.size, step):
                part = slice(start, start + step)
                one, other = (cells[rows[part]] / self.sizes[rows[part], None] for rows in (first, second))
                drawn = self.sizes[first[part]] + self.sizes[second[part]]
                best[part] = np.maximum(best[part], _best_event(one, other, drawn, limit))
        return best


def _best_event(one: Floats, other: Floats, drawn: Floats, limit: Limit) -> Floats:
    """Events are cells and all cells up to one; a rule guesses on the event alone, or outside it as well."""
    pairs = [(one, other), (np.cumsum(one, axis=1), np.cumsum(other, axis=1))]
    inside = np.concatenate([each[0] for each in pairs], axis=1), np.concatenate([each[1] for each in pairs], axis=1)
    total = drawn[:, None]
    gained = np.zeros(one.shape[0])
    for yes, no in (inside, inside[::-1]):
        for right, wrong, sides in (
            (0.5 * yes, 0.5 * no, 1),
            (0.5 * (1.0 - yes), 0.5 * (1.0 - no), 1),
            (0.5 * (yes + 1.0 - no), 0.5 * (no + 1.0 - yes), 2),
        ):
            made = right + wrong
            worse = CAUTION * np.sqrt(np.maximum(right * wrong, 0.0) / np.maximum(made, 1e-12) / total)
            sure = np.clip(right - worse, 0.0, made)
            found = growth(sure * total, made * total, int(drawn.max()), limit, sides) / total
            gained = np.maximum(gained, found.max(axis=1))
    return gained


def _cells(outputs: Floats, owner: Places, datasets: int) -> Floats:
    edges = cell_edges(outputs, CELLS)
    place = np.searchsorted(edges, outputs, side="right")
    counted = np.bincount(owner * (edges.size + 1) + place, minlength=datasets * (edges.size + 1))
    return counted.reshape(datasets, edges.size + 1).astype(np.float64)


def _telling(whole: Floats, sizes: Places) -> list[int]:
    """The columns that vary; of many, those whose means differ most."""
    varied = np.flatnonzero(np.ptp(whole, axis=0) > 0)
    if varied.size <= MOST_COLUMNS:
        return list(map(int, varied))
    starts, step = np.append(0, np.cumsum(sizes)[:-1]), max(HELD // len(whole), 1)
    means = []
    for first in range(0, varied.size, step):
        ranks = np.argsort(np.argsort(whole[:, varied[first : first + step]], axis=0), axis=0).astype(np.float64)
        means.append(np.add.reduceat(ranks, starts, axis=0) / sizes[:, None])
    apart = np.concatenate(means, axis=1).std(axis=0)
    return list(map(int, varied[np.argsort(-apart, kind="stable")[:MOST_COLUMNS]]))
