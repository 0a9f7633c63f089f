"""Weighted sums of outputs, for noise that outputs share and for small changes of many outputs.

Prefix sums of noisy counts, a noise that one output gives away about another, twenty outputs that each change by
little: single outputs tell next to nothing, their best weighted sum all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.distinguisher import Candidate, Columns, Joint, Naming, Sample
from hdp_audit.distinguishers.regions import between_words
from hdp_audit.distinguishers.scores import learn_score
from hdp_audit.distinguishers.steps import Score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

FEWEST = 1 << 9  # draws below which weights are mostly luck
FEWEST_SIGNS = 1 << 7  # draws below which signs are
SIGNS = 3.0  # nats that their choice costs
MOST_OUTPUTS = 64  # outputs that are weighed: more take memory, and every weight is a number to be learned
TAIL = 1e-3  # what lies farther out counts as if it lay there, so that one far value has no say in the weights
HELD = 1 << 21  # numbers of chosen columns that weights are learned from, at most: some ten thousand draws
SHARED = 1e-12  # of an output's squared width: noise of less variance is rounding


@dataclass(frozen=True)
class Projection(Joint):
    """A score of Σ weight·output; weights have as many digits as are printed."""

    columns: tuple[int, ...]
    weights: Floats
    score: Score

    def __call__(self, outputs: Floats) -> Floats:
        """The score of each row."""
        return self.score(outputs[:, self.columns] @ self.weights)

    def reads(self) -> tuple[int, ...]:
        """The columns that it looks at."""
        return self.columns

    def words(self, low: float, high: float, name: Naming) -> tuple[str, str]:
        """With all weights."""
        terms = zip(self.weights.tolist(), self.columns, strict=True)
        total = ", ".join(f"{weight:.6g} x {name(column)}" for weight, column in terms)
        return between_words(f"the sum of {total}", "that sum", self.score, low, high)

    def plain(self, formula: Naming) -> tuple[str, Score]:
        """The weighted sum."""
        terms = zip(self.weights.tolist(), self.columns, strict=True)
        return " + ".join(f"{weight!r} * ({formula(column)})" for weight, column in terms), self.score


def projections(sample: Sample) -> Iterator[Candidate]:
    """The best weighted sum; each weight fits some luck, and of signs alone there is less to be had."""
    together = None if sample.chosen is None else sample.chosen.together
    line = best_projection(sample.outputs, sample.coins, sample.columns, sample.cells, together)
    if line is not None:
        yield Candidate(line, price=line.weights.size)
    wide = sample.chosen is not None
    signs = None if wide else sum_of_signs(sample.outputs, sample.coins, sample.columns, sample.cells)
    if signs is not None:
        yield Candidate(signs, price=SIGNS)


def sum_of_signs(outputs: Floats, coins: Coins, columns: int, cells: int) -> Projection | None:
    """All outputs, each up or down as its mean goes, as wide as another: for many that each tell alike, and little."""
    varied = np.flatnonzero(np.ptp(outputs[:, :columns], axis=0) > 0)
    if coins.size < FEWEST_SIGNS or not 3 <= varied.size <= MOST_OUTPUTS:
        return None
    if not 1 < np.count_nonzero(coins) < coins.size - 1:
        return None
    low, high = np.quantile(outputs[:, varied], [TAIL, 1.0 - TAIL], axis=0)
    held = np.clip(outputs[:, varied], low, high)
    weights = np.sign(held[coins].mean(axis=0) - held[~coins].mean(axis=0)) / np.maximum(held.std(axis=0), 1e-300)
    weights = np.array([float(f"{weight:.2g}") for weight in weights / (np.abs(weights).max() or 1.0)])
    chosen = tuple(varied.tolist())
    return Projection(chosen, weights, learn_score(outputs[:, chosen] @ weights, coins, cells))


def best_projection(
    outputs: Floats, coins: Coins, columns: int, cells: int, among: Columns | None = None
) -> Projection | None:
    """Fisher's linear discriminant of the first columns, on which the two datasets' means are farthest apart.

    None for a single output or too few draws. Among given columns it is learned from no more than HELD numbers.
    """
    if among is None:
        among = np.arange(columns)
    else:
        most = HELD // max(among.size, 1)
        outputs, coins = outputs[-most:], coins[-most:]
    varied = among[np.ptp(outputs[:, among], axis=0) > 0]
    if coins.size < FEWEST or varied.size < 2 or not 1 < np.count_nonzero(coins) < coins.size - 1:
        return None
    low, high = np.quantile(outputs[:, varied], [TAIL, 1.0 - TAIL], axis=0)
    wide = high > low
    if np.count_nonzero(wide) < 2:
        return None
    varied, low, high = varied[wide], low[wide], high[wide]
    spread = high - low
    held = np.clip(outputs[:, varied], low, high) / spread
    difference = held[coins].mean(axis=0) - held[~coins].mean(axis=0)
    if varied.size > MOST_OUTPUTS:
        kept = np.sort(np.argsort(-np.abs(difference) / held.std(axis=0), kind="stable")[:MOST_OUTPUTS])
        varied, spread, held, difference = varied[kept], spread[kept], held[:, kept], difference[kept]
    inside = sum(np.cov(held[side], rowvar=False) for side in (coins, ~coins))
    weights = np.linalg.solve(inside + SHARED * np.eye(varied.size), difference) / spread
    weights = np.array([float(f"{weight:.6g}") for weight in weights / (np.abs(weights).max() or 1.0)])
    chosen = tuple(varied.tolist())
    return Projection(chosen, weights, learn_score(outputs[:, chosen] @ weights, coins, cells))
