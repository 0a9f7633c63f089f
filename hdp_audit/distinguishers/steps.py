"""A score as a function of one coordinate, and the fits with steps: one, a cut, a monotone curve, free cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.cells import Cells

Floats = NDArray[np.float64]

QUARTERS = np.array([0.25, 0.5, 0.75])
# What a fit must gain over the ramp of Laplace noise to be preferred, in nats: a rule that was wrongly thought clever
# loses more on the judged draws than a clever rule found a little later.
COSTS = {
    "step": 3.0,
    "symmetric ramp": 3.0,
    "bowl": 3.5,
    "ramp": 10.0,
    "clipped ramp": 14.0,
    "cut": 8.0,
    "levels": 8.0,
}


@dataclass(frozen=True)
class Score:
    """A function of one coordinate: straight between `points`, constant beyond.

    Or, if `steps`, constant from each point on.
    """

    points: Floats
    values: Floats
    steps: bool = False
    evidence: float = 0.0  # log-likelihood gained over chance, less what the fit cost

    @property
    def is_symmetric(self) -> bool:
        """A ramp or a step from −h to h."""
        return self.values.size == 2 and bool(self.values[0] == -self.values[1])

    def __call__(self, outputs: Floats) -> Floats:
        """The score of each output."""
        if self.steps:
            return self.values[np.searchsorted(self.points, outputs, side="right")]
        return np.interp(outputs, self.points, self.values)


Parts = tuple[tuple[int, Score], ...]  # which coordinates speak, and how


def summed(parts: Parts, outputs: Floats) -> Floats:
    """Σ of the scores of the coordinates that speak."""
    total = np.zeros(outputs.shape[0])
    for column, score in parts:
        total += score(outputs[:, column])
    # Sums of the same plateaus must be equal to the last bit, or thresholds would split a plateau.
    return np.round(total, 9)


def cut(table: Cells) -> Score:
    """Two levels with a cut anywhere: a tail, a range or an atom at one end that only one dataset gives."""
    ones, zeros = np.cumsum(table.ones)[:-1], np.cumsum(table.zeros)[:-1]
    gained, heights_low, heights_high = np.zeros(ones.size), np.zeros(ones.size), np.zeros(ones.size)
    for o, z, height in (
        (ones, zeros, heights_low),
        (table.ones.sum() - ones, table.zeros.sum() - zeros, heights_high),
    ):
        height += np.log((o + 0.5) / (z + 0.5))
        gained += np.log(2.0) * (o + z) - o * np.logaddexp(0, -height) - z * np.logaddexp(0, height)
    if not gained.size:
        return Score(np.zeros(1), np.zeros(2), True, -COSTS["cut"])
    best = int(np.argmax(gained))
    values = np.array([heights_low[best], heights_high[best]])
    return Score(table.edges[best : best + 1], values, True, float(gained[best]) - COSTS["cut"])


def centre_and_scale(outputs: Floats, coins: NDArray[np.bool_]) -> tuple[float, float]:
    """Half-way between the medians under the two coins, and the scale of Laplace noise about either.

    The former is the centre of symmetry, if there is one. The scale is the mean distance from the median, or where
    outputs are clipped or rounded (so that some are equal) what the middle half says, which is 2b·log 2 wide.
    """
    sides = [np.sort(side) for side in (outputs[coins], outputs[~coins]) if side.size]
    quartiles = np.array([np.interp(QUARTERS * (s.size - 1), np.arange(s.size), s) for s in sides])
    low, middle, high = quartiles.mean(axis=0).tolist()
    if any((side[1:] == side[:-1]).any() for side in sides):
        return middle, (high - low) / (2.0 * np.log(2.0))
    return middle, float(np.mean([np.abs(s - q).mean() for s, q in zip(sides, quartiles[:, 1], strict=True)]))


def step(table: Cells, middle: float) -> Score:
    """High against low at the centre: all that a weak signal can teach."""
    above = table.centres >= middle
    right = table.ones[above].sum() + table.zeros[~above].sum()
    height = float(np.log((right + 0.5) / (table.size - right + 0.5)))
    values = np.array([-height, height])
    return Score(np.array([middle]), values, True, table.gain(values[above.astype(int)]) - COSTS["step"])


def monotone(table: Cells) -> Score:
    """The most likely curve that rises, or falls, as the outputs do; it spends a number for each of its levels."""
    return _spent(table, _isotonic(table.ones, table.zeros))


def clipped(table: Cells) -> Score:
    """The same with ratios of their own for what was clipped at either end."""
    inner = table.inner
    if inner is None:
        return Score(np.zeros(1), np.zeros(2), True, -np.inf)
    score = np.log((table.ones + 0.5) / (table.zeros + 0.5))
    score[inner] = _isotonic(table.ones[inner], table.zeros[inner])
    return _spent(table, score)


def _isotonic(ones: Floats, zeros: Floats) -> Floats:
    from scipy.optimize import isotonic_regression  # slow to load, and not needed by a process that only plans

    total = ones + zeros
    shares = ones / max(ones.sum(), 1.0) - zeros / max(zeros.sum(), 1.0)
    rises = bool(shares @ np.arange(shares.size) >= 0)
    p = isotonic_regression((ones + 0.5) / (total + 1.0), weights=total + 1e-9, increasing=rises).x
    return np.asarray(np.log(p) - np.log1p(-p))


def _spent(table: Cells, score: Floats) -> Score:
    return Score(table.edges, score, True, table.gain(score) - _price(score))


def _price(score: Floats) -> float:
    """A number for each run of equal values."""
    return COSTS["levels"] + 1.5 * (1 + int(np.count_nonzero(score[1:] != score[:-1])))


def gained(curve: Score) -> float:
    """What a curve of levels gains before it pays for them."""
    return curve.evidence + _price(curve.values)


def free(table: Cells) -> Score:
    """Every cell its own ratio: finds spikes and missing values, and pays for every cell."""
    score = np.log((table.ones + 0.5) / (table.zeros + 0.5))
    return Score(table.edges, score, True, table.gain(score) - COSTS["levels"] - 1.5 * score.size)
