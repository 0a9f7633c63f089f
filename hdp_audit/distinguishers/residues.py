"""Remainders: what is left of an output after division by a step, where a grid or its last digit gives data away.

Noise that is rounded while the value is not leaves the value's own remainder in every output; a cast to fewer digits
leaves none. Size tells nothing of either. Candidate steps are powers of two and of ten, and the grid on which the
outputs of either dataset lie, in parts and multiples; the two that tell most in a rough table are learned. The sum of
all outputs is looked at as one output more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.distinguisher import Candidate, Joint, Naming, Sample
from hdp_audit.distinguishers.grids import NARROWEST, candidate_steps
from hdp_audit.distinguishers.regions import between_words
from hdp_audit.distinguishers.scores import learn_score
from hdp_audit.distinguishers.steps import Score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

FEWEST = 1 << 7  # draws below which no remainder stands out
TABLED = 1 << 13  # draws from which steps are picked, at most, of all outputs together
LEAST_TABLED = 1 << 9  # of one output
MOST_OUTPUTS = 32  # outputs that are looked at
CELLS = 32  # of a remainder, where steps are compared; a power of two, as is PLACES
CLEARLY = 32.0  # χ² above the number of cells from which on a step is learned: by chance one of a thousand is
PICKED = 2  # steps that are learned
PLACES = 1024  # to which a remainder is rounded: far above the rounding of outputs
PRECISE = 2.0**40  # steps up to which a quotient of doubles still has its fractional part in PLACES
PRICE = 8.0  # nats for the choice of a step


@dataclass(frozen=True)
class Residue(Joint):
    """A score of the remainder of one column after division by `step`, as a share of the step."""

    column: int
    step: float
    score: Score

    def __call__(self, outputs: Floats) -> Floats:
        """The score of each row."""
        return self.score(remainder(outputs[:, self.column], self.step))

    def reads(self) -> tuple[int, ...]:
        """The columns that it looks at."""
        return (self.column,)

    def words(self, low: float, high: float, name: Naming) -> tuple[str, str]:
        """With all digits of the step."""
        share = f"{name(self.column)} / {self.step:.17g}"
        made = f"the fractional part of {share} (to the nearest 1/{PLACES}, 1 being 0)"
        return between_words(made, "that fractional part", self.score, low, high)

    def plain(self, formula: Naming) -> tuple[str, Score]:
        """The remainder."""
        return f"remainder({formula(self.column)}, {self.step!r})", self.score


def residues(sample: Sample) -> Iterator[Candidate]:
    """The steps whose remainders clearly tell the coin."""
    for found in best_residues(sample.outputs, sample.coins, sample.columns, sample.cells, sample.grids):
        yield Candidate(found, price=PRICE)


def remainder(outputs: Floats, step: float) -> Floats:
    """From 0 to below 1, in 1/PLACES; what is just below a multiple counts as the multiple."""
    return _place(outputs, step, PLACES) / PLACES


def best_residues(
    outputs: Floats, coins: Coins, columns: int, cells: int, grids: Floats | None = None
) -> Iterator[Residue]:
    """The steps whose remainders clearly tell the coin, at most PICKED of the first columns and of their sum.

    The sum stands after as many differences as there are outputs, where there are several (`Features`). `grids` are
    those on which outputs lie and are not rounded, inf where there is none.
    """
    if coins.size < FEWEST:
        return
    looked_at = [*range(min(columns, MOST_OUTPUTS)), *range(outputs.shape[1])[2 * columns - 1 : 2 * columns]]
    rows = max(TABLED // len(looked_at), LEAST_TABLED)
    tossed = coins[-rows:]
    found = [
        (told, column, step)
        for column in looked_at
        for step, told in _telling(outputs[-rows:, column], tossed, _grid_of(column, grids))
    ]
    for _, column, step in sorted(found, reverse=True)[:PICKED]:
        score = learn_score(remainder(outputs[:, column], step), coins, cells)
        yield Residue(column, step, score)


def _grid_of(column: int, grids: Floats | None) -> float:
    """What is no output is their sum, or a column of few values, which need no grid."""
    if grids is None or not grids.size:
        return np.inf
    if column < grids.size:
        return float(grids[column])
    return float(grids.min()) if np.isfinite(grids).all() else np.inf


def _telling(outputs: Floats, coins: Coins, grid: float) -> Iterator[tuple[float, float]]:
    """(step, χ²) where a step's remainders clearly tell the coin; few values need no remainders to be told apart."""
    ordered = np.sort(outputs)
    spread = float(ordered[3 * ordered.size // 4] - ordered[ordered.size // 4])
    if spread < NARROWEST or np.count_nonzero(np.diff(ordered)) < CELLS:
        return
    steps, tossed = candidate_steps(outputs, coins, spread, grid), CELLS * coins
    counts = np.array([np.bincount(_place(outputs, step, CELLS) + tossed, minlength=2 * CELLS) for step in steps])
    zeros, ones = counts[:, :CELLS], counts[:, CELLS:]
    told = ((ones - zeros) ** 2 / np.maximum(ones + zeros, 1)).sum(axis=1)
    yield from ((steps[i], float(told[i])) for i in np.flatnonzero(told > CELLS + CLEARLY).tolist())


def _place(outputs: Floats, step: float, places: int) -> NDArray[np.int64]:
    share = outputs / step
    if max(share.max(), -share.min()) > PRECISE:
        share = np.fmod(outputs, step) / step  # which is exact
    return np.rint((share - np.floor(share)) * places).astype(np.int64) & (places - 1)
