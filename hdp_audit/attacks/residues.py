"""Remainders: what is left of an output after division by a step, where a grid or its last digit gives data away.

Noise that is rounded while the value is not leaves the value's own remainder in every output; a cast to fewer digits
leaves none. Size tells nothing of either. Candidate steps are powers of two and of ten, and the grid on which the
outputs of either dataset lie, in parts and multiples; the two that tell most in a rough table are learned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.grids import NARROWEST, candidate_steps
from hdp_audit.attacks.scores import learn_score
from hdp_audit.attacks.steps import Score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

FEWEST = 1 << 7  # draws below which no remainder stands out
TABLED = 1 << 13  # draws from which steps are picked, at most, of all outputs together
LEAST_TABLED = 1 << 9  # of one output
MOST = 32  # outputs that are looked at
CELLS = 32  # of a remainder, where steps are compared; a power of two, as is PLACES
CLEARLY = 32.0  # χ² above the number of cells from which on a step is learned: by chance one of a thousand is
PICKED = 2  # steps that are learned
PLACES = 1024  # to which a remainder is rounded: far above the rounding of outputs
PRICE = 8.0  # nats for the choice of a step


@dataclass(frozen=True)
class Residue:
    """A score of the remainder of one column after division by `step`, as a share of the step."""

    column: int
    step: float
    score: Score

    def __call__(self, outputs: Floats) -> Floats:
        """The score of each row."""
        return self.score(remainder(outputs[:, self.column], self.step))


def remainder(outputs: Floats, step: float) -> Floats:
    """From 0 to below 1, in 1/PLACES; what is just below a multiple counts as the multiple."""
    return _place(outputs, step, PLACES) / PLACES


def best_residues(outputs: Floats, coins: Coins, columns: int, cells: int) -> Iterator[Residue]:
    """The steps whose remainders clearly tell the coin, at most PICKED of all of the first columns."""
    if coins.size < FEWEST:
        return
    looked_at = min(columns, MOST)
    rows = max(TABLED // looked_at, LEAST_TABLED)
    seen, tossed = outputs[-rows:, :looked_at], coins[-rows:]
    found = [(told, column, step) for column, each in enumerate(seen.T) for step, told in _telling(each, tossed)]
    for _, column, step in sorted(found, reverse=True)[:PICKED]:
        score = learn_score(remainder(outputs[:, column], step), coins, cells)
        yield Residue(column, step, score)


def _telling(outputs: Floats, coins: Coins) -> Iterator[tuple[float, float]]:
    """(step, χ²) where a step's remainders clearly tell the coin; few values need no remainders to be told apart."""
    ordered = np.sort(outputs)
    spread = float(ordered[3 * ordered.size // 4] - ordered[ordered.size // 4])
    if spread < NARROWEST or np.count_nonzero(np.diff(ordered)) < CELLS:
        return
    steps, tossed = candidate_steps(outputs, coins, spread), CELLS * coins
    counts = np.array([np.bincount(_place(outputs, step, CELLS) + tossed, minlength=2 * CELLS) for step in steps])
    zeros, ones = counts[:, :CELLS], counts[:, CELLS:]
    told = ((ones - zeros) ** 2 / np.maximum(ones + zeros, 1)).sum(axis=1)
    yield from ((steps[i], float(told[i])) for i in np.flatnonzero(told > CELLS + CLEARLY).tolist())


def _place(outputs: Floats, step: float, places: int) -> NDArray[np.int64]:
    share = outputs / step
    return np.rint((share - np.floor(share)) * places).astype(np.int64) & (places - 1)
