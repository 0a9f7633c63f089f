"""Low-noise runs: where noise of a scale that changes from call to call was small, which all outputs together tell.

A sample of another size, or a scale drawn anew, moves all outputs of a call together. A loss may then hide in the
calls with little noise alone. What each output says about the others is learned without looking at the coins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.columns import learn_parts, said_once
from hdp_audit.distinguishers.distinguisher import Candidate, Naming, Rows, Sample, Spoken
from hdp_audit.distinguishers.regions import cell_words
from hdp_audit.distinguishers.steps import Parts, Score, summed

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

SHARES = (0.5, 0.25, 0.125)  # of all rows that count as low in noise, or a little more where many are equally low
FEWEST = 1 << 13  # draws below which too few such rows are left to learn from
MOST_OUTPUTS = 64  # outputs that are looked at: more tell little more, and take memory
CELLS = 8  # of an output; a value that many outputs share, as where they are clipped, has a cell of its own
ROUNDS = 4
TAIL = 0.05  # before anything is learned, low noise is near the middle of these quantiles


@dataclass(frozen=True)
class LowNoise(Rows):
    """What the outputs of a row count sums to at most `limit`."""

    counts: Parts
    limit: float

    def __call__(self, outputs: Floats) -> Coins:
        """Which rows these are."""
        return summed(self.counts, outputs) <= self.limit

    def reads(self) -> tuple[int, ...]:
        """The columns that it looks at."""
        return tuple(column for column, _ in self.counts)

    def words(self, name: Naming) -> str:
        """What each output counts, and how much is low."""
        counts = "; ".join(f"{name(column)} counts {cell_words(score)}" for column, score in self.counts)
        return f"what outputs count sums to at most {self.limit:.6g}, where {counts}"

    def plain(self) -> tuple[Parts, float]:
        """What outputs count, and how much is low."""
        return self.counts, self.limit


def low_noise(sample: Sample) -> Iterator[Candidate]:
    """Rules that are learned, and speak, where noise was small."""
    wide = sample.chosen is not None
    among = None if sample.chosen is None else sample.chosen.alone
    for rows, inside in low_noise_rows(sample.outputs, sample.columns, wide=wide):
        outputs, coins = sample.outputs[inside], sample.coins[inside]
        score = said_once(learn_parts(outputs, coins, sample.columns, among), coins)
        yield Candidate(score, only=rows, spoken=Spoken(inside, outputs))


def low_noise_rows(outputs: Floats, columns: int, *, wide: bool = False) -> Iterator[tuple[LowNoise, Coins]]:
    """The SHARES of what was drawn that are lowest in noise, judged by the first columns, and which rows these are.

    None for a single output. What outputs of `wide` rows count is learned on the last FEWEST of them.
    """
    if outputs.shape[0] < FEWEST:
        return
    varied = np.flatnonzero(np.ptp(outputs[:, :columns], axis=0) > 0)[:MOST_OUTPUTS]
    if varied.size < 2:
        return
    learned = _reciprocal_averages(outputs[-FEWEST if wide else 0 :, varied])
    counts = tuple(zip(varied.tolist(), learned, strict=True))
    noise = summed(counts, outputs)
    for limit in np.quantile(noise, SHARES, method="higher"):
        yield LowNoise(counts, float(limit)), noise <= limit


def _reciprocal_averages(outputs: Floats) -> list[Score]:
    """A cell of an output counts what the other outputs of its rows count on average.

    Repeated, that finds the counts whose sum varies most for a reason that outputs share; what is an output's own
    averages out. It starts with how far outputs lie from their middles.
    """
    edges = [_edges(column) for column in outputs.T]
    cells = [np.searchsorted(cuts, column, side="right") for cuts, column in zip(edges, outputs.T, strict=True)]
    sizes = [np.bincount(cell, minlength=cuts.size + 1) for cell, cuts in zip(cells, edges, strict=True)]
    counted = _farness(outputs)
    values: list[Floats] = []
    for _ in range(ROUNDS):
        others = counted.sum(axis=0) - counted
        sums = [np.bincount(cell, rest, size.size) for cell, rest, size in zip(cells, others, sizes, strict=True)]
        values = [each / np.maximum(size, 1) for each, size in zip(sums, sizes, strict=True)]
        counted = np.array([value[cell] for value, cell in zip(values, cells, strict=True)])
        spread = max(float(counted.std()), 1e-300)
        counted /= spread
    return [Score(cuts, value / spread, steps=True) for cuts, value in zip(edges, values, strict=True)]


def _farness(outputs: Floats) -> Floats:
    """Of each output (a row each) from its middle, over how far that usually is, less 1."""
    low, high = np.quantile(outputs, [TAIL, 1.0 - TAIL], axis=0)
    distance = np.abs(outputs - 0.5 * (low + high))
    return np.asarray((distance / distance.mean(axis=0) - 1.0).T)


def _edges(outputs: Floats) -> Floats:
    cuts = np.unique(np.quantile(outputs, np.arange(1, CELLS) / CELLS))
    shared = np.array([cut for cut in cuts if np.count_nonzero(outputs == cut) > 1])
    edges = np.union1d(cuts, np.nextafter(shared, np.inf))
    return edges[(edges > outputs.min()) & (edges <= outputs.max())]
