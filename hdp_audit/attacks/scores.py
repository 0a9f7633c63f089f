"""Scores: an estimate of the log-likelihood ratio of an output under the two datasets, one coordinate at a time.

Coordinates carry independent noise in most mechanisms at hand, so the sum of per-coordinate ratios is the optimal
score; for others it is a valid, if weaker, one: whatever the score, the judged draws decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, minimize

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """A function of one coordinate: straight between `points`, constant beyond.

    Or, if `steps`, constant from each point on.
    """

    points: Floats
    values: Floats
    steps: bool = False
    evidence: float = 0.0  # log-likelihood gained over chance, less what the fit cost

    def __call__(self, outputs: Floats) -> Floats:
        """The score of each output."""
        if self.steps:
            return self.values[np.searchsorted(self.points, outputs, side="right")]
        return np.interp(outputs, self.points, self.values)


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
    def median(self) -> float:
        """The pooled median, to a cell."""
        return float(np.interp(0.5 * self.size, np.cumsum(self.ones + self.zeros), self.centres))

    @property
    def spread(self) -> float:
        """The width of the middle nine tenths; 1 for constant outputs."""
        total = np.cumsum(self.ones + self.zeros)
        ends = np.interp([0.05 * self.size, 0.95 * self.size], total, self.centres)
        return float(ends[1] - ends[0]) or 1.0

    def gain(self, score: Floats) -> float:
        """Log-likelihood of the coins under the score, over a fair coin."""
        return float(-(self.ones * np.logaddexp(0, -score) + self.zeros * np.logaddexp(0, score)).sum()) + float(
            np.log(2.0) * (self.ones.sum() + self.zeros.sum())
        )


def learn_score(outputs: Floats, coins: NDArray[np.bool_], cells: int) -> Score:
    """The fit with most evidence.

    A step or ramp (Laplace-like noise), a monotone curve, or free cells (atoms, gaps, spikes).
    """
    fine = counted(outputs, coins, max(cells, min(outputs.size // 10, 1000)))
    coarse = counted(outputs, coins, cells)
    fits = (step(fine), symmetric_ramp(fine), ramp(fine), monotone(coarse), free(coarse))
    return max(fits, key=lambda score: score.evidence)


def counted(outputs: Floats, coins: NDArray[np.bool_], cells: int) -> Cells:
    """Counts in cells that hold about equally many outputs."""
    edges = cell_edges(outputs, cells)
    index = np.searchsorted(edges, outputs, side="right")
    size = edges.size + 1
    ones = np.bincount(index[coins], minlength=size).astype(np.float64)
    total = np.bincount(index, minlength=size).astype(np.float64)
    used = np.maximum(total, 1.0)
    centres = np.bincount(index, weights=outputs, minlength=size) / used
    return Cells(edges, centres, ones, total - ones)


def cell_edges(outputs: Floats, cells: int) -> Floats:
    """Quantiles as edges; a value that several outputs share gets a cell of its own."""
    ordered = np.sort(outputs)
    edges = np.unique(ordered[np.linspace(0, ordered.size - 1, cells + 1).astype(int)])
    shared = np.searchsorted(ordered, edges, side="right") - np.searchsorted(ordered, edges, side="left") > 1
    return np.unique(np.concatenate([edges, np.nextafter(edges[shared], np.inf)]))


def step(table: Cells) -> Score:
    """High against low at the pooled median: all that a weak signal can teach."""
    middle = table.median
    above = table.centres >= middle
    right = table.ones[above].sum() + table.zeros[~above].sum()
    height = float(np.log((right + 0.5) / (table.size - right + 0.5)))
    values = np.array([-height, height])
    return Score(np.array([middle]), values, True, table.gain(values[above.astype(int)]) - 1.0)


def symmetric_ramp(table: Cells) -> Score:
    """A ramp about the pooled median from −h to h: the exact shape for symmetric Laplace noise, 2 numbers."""
    middle, spread = table.median, table.spread
    height = float(step(table).values[1])

    def points(numbers: Floats) -> tuple[Floats, Floats]:
        half = max(abs(numbers[0]) * spread, 1e-9 * spread)
        return np.array([middle - half, middle + half]), np.array([-numbers[1], numbers[1]])

    return _most_likely(table, points, [np.array([width, 1.2 * height]) for width in (0.02, 0.1, 0.3)], cost=2.0)


def ramp(table: Cells) -> Score:
    """Constant, straight, constant, anywhere: Laplace noise with clipping, 4 numbers."""
    spread = table.spread
    rough = np.log((table.ones + 0.5) / (table.zeros + 0.5))

    def points(numbers: Floats) -> tuple[Floats, Floats]:
        start, width = numbers[0] * spread, max(abs(numbers[1]) * spread, 1e-9 * spread)
        return np.array([start, start + width]), numbers[2:]

    guesses = []
    for width in (0.05, 0.3):
        start, stop = table.median - 0.5 * width * spread, table.median + 0.5 * width * spread
        ends = [
            float(np.mean(rough[side])) if side.any() else 0.0
            for side in (table.centres <= start, table.centres >= stop)
        ]
        guesses.append(np.array([start / spread, width, *ends]))
    return _most_likely(table, points, guesses, cost=5.0)


def _most_likely(
    table: Cells, points: Callable[[Floats], tuple[Floats, Floats]], guesses: list[Floats], cost: float
) -> Score:
    """Maximum likelihood by simplex search from several guesses: few numbers, kinked curves."""

    def loss(numbers: Floats) -> float:
        return -table.gain(np.interp(table.centres, *points(numbers)))

    found = [_descend(loss, guess) for guess in guesses]
    best = min(found, key=loss)
    places, values = points(best)
    return Score(places, np.asarray(values), evidence=-loss(best) - cost)


def _descend(loss: Callable[[Floats], float], guess: Floats) -> Floats:
    sides = np.diag(np.maximum(0.3 * np.abs(guess), 0.05))
    options = {"initial_simplex": np.vstack([guess, guess + sides]), "xatol": 1e-4, "fatol": 1e-3, "maxfev": 300}
    return np.asarray(minimize(loss, guess, method="Nelder-Mead", options=options).x)


def monotone(table: Cells) -> Score:
    """The most likely rising, or falling, curve; it spends a number for each of its levels."""
    fits = []
    total = table.ones + table.zeros
    for increasing in (True, False):
        p = isotonic_regression((table.ones + 0.5) / (total + 1.0), weights=total + 1e-9, increasing=increasing).x
        score = np.log(p) - np.log1p(-p)
        cost = 4.0 + np.unique(score).size
        fits.append(Score(table.edges, score, True, table.gain(score) - cost))
    return max(fits, key=lambda score: score.evidence)


def free(table: Cells) -> Score:
    """Every cell its own ratio: finds spikes and missing values, and pays for every cell."""
    score = np.log((table.ones + 0.5) / (table.zeros + 0.5))
    return Score(table.edges, score, True, table.gain(score) - score.size)
