"""Totals over freshly permuted data, for the weakly correlated setting: as few random numbers as the weights allow.

Permuting the users' units over fixed data is the same as permuting the data over fixed users. Most users sit at the
saturation level and share one weight, so only the others need to be placed: a random ordered choice of their
positions, not a whole shuffle.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechanisms.noise import Integers
from mechanisms.task import Data, Task, blocks

FEW_USERS = 512  # below this, calls to numpy cost more than shuffling whole rows at once


def permuted_totals(
    task: Task, units: Integers, data: Data, size: int, rng: np.random.Generator, few: int = FEW_USERS
) -> Integers:
    """Exact totals of `size` independent uniform permutations, shape (size, outputs), in bounded memory.

    Rows of up to `few` users are shuffled whole.
    """
    totals = np.empty((size, task.outputs), dtype=np.int64)
    if units.size <= few:
        for rows in blocks(size, data.size):
            shape = (rows.stop - rows.start, units.size)
            shuffled = rng.permuted(np.broadcast_to(units, shape), axis=1)
            totals[rows] = task.totals(shuffled, np.broadcast_to(data, (shape[0], *data.shape)))
        return totals
    draw = _placement(task, units, data, rng)
    for row in range(size):
        totals[row] = draw()
    return totals


def _placement(task: Task, units: Integers, data: Data, rng: np.random.Generator) -> Callable[[], Integers]:
    """One permutation's totals: everybody at the commonest weight, corrected where the others happen to sit."""
    values, counts = np.unique(units, return_counts=True)
    common = values[counts.argmax()]
    others = units[units != common]
    if 2 * others.size > units.size:
        return lambda: task.totals(rng.permutation(units)[None, :], data[None, :])[0]
    everybody = task.totals(np.full_like(units, common), data[None, :])[0]
    shared = np.full_like(others, common)

    def draw() -> Integers:
        placed = data[rng.choice(units.size, others.size, replace=False)][None, :]
        return everybody - task.totals(shared, placed)[0] + task.totals(others, placed)[0]

    return draw
