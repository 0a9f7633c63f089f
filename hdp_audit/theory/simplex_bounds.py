"""Lower bounds for frequencies of correlated data from lattices of datasets, in both metrics (ours)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.chain import falls_short
from hdp_audit.theory.simplex import Lattice
from hdp_audit.theory.simplex_lp import Surroundings, lattice_certificate, misses, squares

Floats = NDArray[np.float64]
_FEWEST, _MOST = 5, 6  # blocks; more are better where there are users enough, and slower
_COST = 3.2  # of a block, for squares
_SQUARES = {3: (10, 2.0), 4: (7, 2.3), 5: (6, 2.7)}  # with fewer categories there may be more blocks, and smaller ones
_WORTH = 0.7  # at these costs no certificate was seen to give more, in squared blocks
_BETWEEN = 1 / 16  # what outputs between those considered may save, in squared blocks


@lru_cache(maxsize=4)
def _squared(blocks: int, categories: int) -> Surroundings:
    lattice = Lattice(blocks, categories)
    return Surroundings(lattice, lattice.square_surroundings(), squares)


@lru_cache(maxsize=4)
def _missed(blocks: int, categories: int) -> Surroundings:
    lattice = Lattice(blocks, categories)
    return Surroundings(lattice, [lattice.around(w) for w in lattice.odd_outputs()], misses)


def block_cost(ascending: Floats, blocks: int, size: int) -> float:
    """The log-distance that moving `size` users makes, all of M blocks raised to the largest demand among them."""
    return float(size * ascending[blocks * size - 1])


def largest_block(ascending: Floats, blocks: int, most: float) -> int:
    """The most users of whom M blocks exist and moving one costs at most `most`; 0 if there are none."""
    sizes = np.arange(1, ascending.size // blocks + 1)
    return int(np.searchsorted(sizes * ascending[blocks * sizes - 1], most, side="right"))


def lattice_rate(ascending: Floats, categories: int, beta: float, start: float) -> float:
    """The largest b/n at which more than β of a lattice's prior is missed by a block or more; at least `start`.

    Proof. A mechanism with rate α < b/n would err by less than a block with probability 1−β or more on each dataset.
    """
    if start >= 0.5 or beta >= 0.5:
        return start
    # About where so many neighbours of a dataset are rivals.
    dearest = math.log(categories * (categories - 1) / beta)
    known = int(start * ascending.size * (1 + 1e-12))
    for blocks in (_FEWEST, _MOST):
        above = largest_block(ascending, blocks, dearest) + 1
        known = _widest(partial(_missed_often, ascending, categories, beta, blocks), known, above)
    return max(start, min(known / ascending.size, 0.5))


def _widest(holds: Callable[[int], bool], low: int, above: int) -> int:
    """By bisection, to about half a percent; `low` if it holds nowhere beyond."""
    first = low + 1 + low // 200
    if first >= above or not holds(first):
        return low
    low = first
    while above - low > 1 + low // 200:
        middle = (low + above) // 2
        low, above = (middle, above) if holds(middle) else (low, middle)
    return low


def _missed_often(ascending: Floats, categories: int, beta: float, blocks: int, size: int) -> bool:
    found = lattice_certificate(_missed(blocks, categories), block_cost(ascending, blocks, size))
    return found is not None and falls_short(1 - found.risk, beta)


def lattice_risk(ascending: Floats, categories: int, start: float) -> float:
    """(b/n)²·(Σν − 1/16) for the largest blocks of the cost aimed at; at least `start`."""
    blocks, cost = _SQUARES.get(categories, (_MOST, _COST))
    size = largest_block(ascending, blocks, cost)
    share = (size / ascending.size) ** 2
    if size == 0 or _WORTH * share <= start:
        return start
    found = lattice_certificate(_squared(blocks, categories), block_cost(ascending, blocks, size))
    return start if found is None else max(start, share * (found.risk - _BETWEEN))
