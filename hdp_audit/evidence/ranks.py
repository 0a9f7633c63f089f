"""Ranks along an axis.

Written out because the library's, `scipy.stats.rankdata`, costs a second to import in each process of a run, which is
more than a small audit takes. A test holds the two against each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ranks(values: Floats, axis: int) -> Floats:
    """From 1 on, equal values the mean of theirs; not a number throughout where one of them is none."""
    moved = np.moveaxis(values, axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    order = np.argsort(rows, axis=1, kind="stable")
    placed = np.take_along_axis(rows, order, axis=1)
    found = np.empty(rows.shape)
    np.put_along_axis(found, order, 1.0 + (_first(placed) + _last(placed)) / 2.0, axis=1)
    found[np.isnan(rows).any(axis=1)] = np.nan
    return np.moveaxis(found.reshape(moved.shape), -1, axis)


def _first(placed: Floats) -> NDArray[np.int64]:
    """Of each value in rising order the place of the first one that equals it."""
    begins = np.ones(placed.shape, dtype=bool)
    begins[:, 1:] = placed[:, 1:] != placed[:, :-1]
    return np.asarray(np.maximum.accumulate(np.where(begins, np.arange(placed.shape[1]), 0), axis=1))


def _last(placed: Floats) -> NDArray[np.int64]:
    """The place of the last one."""
    return np.asarray(placed.shape[1] - 1 - _first(placed[:, ::-1])[:, ::-1])
