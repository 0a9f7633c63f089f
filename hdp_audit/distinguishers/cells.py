"""Outputs of one coordinate counted in cells, by coin: all that a score is learned from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """Outputs of one coordinate counted in quantile cells and atoms, by coin."""

    edges: Floats
    centres: Floats
    ones: Floats
    zeros: Floats

    @property
    def size(self) -> float:
        """How many outputs were counted."""
        return float(self.ones.sum() + self.zeros.sum())

    @property
    def spread(self) -> float:
        """The width of the middle nine tenths; 1 for constant outputs."""
        ends = self.quantile(np.array([0.05, 0.95]))
        return float(ends[1] - ends[0]) or 1.0

    def quantile(self, levels: Floats) -> Floats:
        """Pooled quantiles, to a cell."""
        return np.interp(levels * self.size, np.cumsum(self.ones + self.zeros), self.centres)

    @property
    def inner(self) -> slice | None:
        """The cells between what was clipped, which many outputs at the lowest or highest value tell; None if none."""
        used = np.flatnonzero(self.ones + self.zeros)
        low, high = int(used[0]), int(used[-1])
        start, stop = low + self._is_atom(low), high + 1 - self._is_atom(high)
        return slice(start, stop) if low < start < stop or start < stop <= high else None

    def within(self, part: slice) -> Cells:
        """Some of the cells alone."""
        edges = self.edges[part.start : part.stop - 1]
        return Cells(edges, self.centres[part], self.ones[part], self.zeros[part])

    def _is_atom(self, cell: int) -> bool:
        return 0 < cell < self.edges.size and bool(self.edges[cell] == np.nextafter(self.edges[cell - 1], np.inf))

    def gain(self, score: Floats) -> float:
        """Log-likelihood of the coins under the score, over a fair coin."""
        return float(gains(score[None, :], self.ones, self.zeros)[0])


def gains(scores: Floats, ones: Floats, zeros: Floats) -> Floats:
    """Log-likelihood of the coins over a fair coin, for many scores, one a row."""
    total = ones + zeros
    lost = np.log1p(np.exp(-np.abs(scores)))
    misfit = np.maximum(-scores, 0.0) @ ones + np.maximum(scores, 0.0) @ zeros
    return np.log(2.0) * total.sum() - misfit - lost @ total


def counted(outputs: Floats, coins: NDArray[np.bool_], cells: int) -> Cells:
    """Counts in cells that hold about equally many outputs."""
    edges = cell_edges(outputs, cells)
    index = np.searchsorted(edges, outputs, side="right")
    size = edges.size + 1
    ones = np.bincount(index[coins], minlength=size).astype(np.float64)
    total = np.bincount(index, minlength=size).astype(np.float64)
    used = np.maximum(total, 1.0)
    centres = np.bincount(index, weights=outputs, minlength=size) / used
    # an empty cell has no centre of its own; the next edge keeps the centres in order
    centres = np.where(total > 0, centres, np.append(edges, edges[-1:]))
    return Cells(edges, centres, ones, total - ones)


def cell_edges(outputs: Floats, cells: int) -> Floats:
    """Quantiles as edges; a value that several outputs share gets a cell of its own."""
    ordered = np.sort(outputs)
    edges = ordered[np.linspace(0, ordered.size - 1, cells + 1).astype(int)]
    edges = edges[np.append(True, edges[1:] > edges[:-1])]
    shared = np.searchsorted(ordered, edges, side="right") - np.searchsorted(ordered, edges, side="left") > 1
    if not shared.any():
        return edges
    return np.unique(np.concatenate([edges, np.nextafter(edges[shared], np.inf)]))
