"""The grids on which outputs may lie: powers of two and ten, and the step that most of the outputs share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

NARROWEST = 1e-100  # spread of outputs: with less, the largest of them would be too many steps away
COARSEST = 2.0**-4  # of the spread: remainders after larger steps tell what the outputs' size tells
FINEST = 2.0**-20  # below it the rounding of outputs blurs remainders,
FINEST_BINARY = 2.0**-24  # but those of powers of two, in which outputs are rounded
EVERY = 4  # a remainder is seen in 5 bits, so not every power of two is needed
SHARES = (1 / 64, 1 / 8, 1.0, 7.0, 8.0, 9.0, 10.0, 12.0)  # of a common step; digits in bases 2 to 10 are among them
NEARLY = 1 / 16  # of a step: so near to a multiple counts as one
OFF_GRID = 0.1  # of the outputs may lie elsewhere
GAPS = 1 << 9  # outputs whose gaps are looked at
ROUNDS = 24  # of Euclid's algorithm
SAME = 1e-6  # steps that differ by less are one
LARGEST = 2.0**61  # steps of a grid that whole numbers of a machine hold, and their differences too
MEASURED = 1e-9  # a measured step is off by less


def candidate_steps(outputs: Floats, coins: Coins, spread: float, grid: float = np.inf) -> list[float]:
    """Steps in order, each once; finer ones too, where all outputs lie on a grid and so are not rounded."""
    found = [*_powers(2.0, spread, FINEST_BINARY, EVERY), *_powers(10.0, spread, FINEST, 1)]
    for side in (outputs[coins], outputs[~coins]):
        common = common_step(side, spread) or 0.0
        found += [share * common for share in SHARES if share * common >= FINEST * spread]
        if grid < FINEST * spread:
            found += [share * exact_step(side, grid) for share in SHARES if share >= 1.0]
    if grid < FINEST * spread:
        found += [share * grid for share in SHARES if share > 1.0]
        found += [*_powers(2.0, spread, 2.0 * grid / spread, EVERY), *_powers(10.0, spread, 2.0 * grid / spread, 1)]
    return _each_once(found)


def exact_step(outputs: Floats, grid: float) -> float:
    """The step of the coarsest grid, wherever it begins, on which all of these multiples of another grid lie."""
    near = outputs[np.abs(outputs) <= grid * LARGEST]
    whole = np.rint(near / grid).astype(np.int64)
    common = int(np.gcd.reduce(whole - whole[0])) if whole.size else 0
    return max(common, 1) * grid


def fundamental_steps(outputs: Floats) -> list[float]:
    """Steps for which the place on a circle is looked at, where multiples do not help; none without a spread."""
    low, high = np.quantile(outputs, [0.25, 0.75])
    spread = float(high - low)
    if spread < NARROWEST:
        return []
    decimal = _powers(10.0, spread, FINEST, 1)
    common = common_step(outputs, spread) or 0.0
    own = [times * common for times in range(1, 11)] if common else []
    return _each_once([*_powers(2.0, spread, FINEST_BINARY, 1), *decimal, *(2.0 * step for step in decimal), *own])


def common_step(outputs: Floats, spread: float) -> float | None:
    """The step of a grid, wherever it begins, on which most of the outputs lie; None where there is none.

    Euclid's algorithm on the gaps between neighbours: what remains of most gaps is a multiple of the step, too.
    """
    gaps = np.diff(np.sort(outputs[-GAPS:]))
    gaps = gaps[gaps > 0.5 * FINEST * spread]
    if gaps.size < 2:
        return None
    step = _small(gaps)
    for _ in range(ROUNDS):
        times = np.rint(gaps / step)
        left = np.abs(gaps - times * step)
        off = left > NEARLY * step
        if np.count_nonzero(off) <= OFF_GRID * gaps.size:
            return _exact(float(gaps[~off].sum() / times[~off].sum()))
        step = _small(left[off])
        if step < FINEST * spread:
            return None
    return None


def _each_once(steps: list[float]) -> list[float]:
    ordered = np.sort(steps)
    return ordered[np.diff(ordered, prepend=0.0) > SAME * ordered].tolist()


def _small(values: Floats) -> float:
    """One of the smallest, but not an exceptional one."""
    place = int(OFF_GRID * values.size)
    return float(np.partition(values, place)[place])


def _powers(base: float, spread: float, finest: float, every: int) -> list[float]:
    first, last = (np.log(limit * spread) / np.log(base) for limit in (finest, COARSEST))
    return [float(base**power) for power in range(int(np.ceil(first)), int(np.floor(last)) + 1, every)]


def _exact(step: float) -> float:
    """The round number, or one over a whole number, that a measured step stands for."""
    for whole in (float(f"{step:.6g}"), 1.0 / max(round(1.0 / step), 1)):
        if abs(whole - step) <= MEASURED * step:
            return whole
    return step
