"""Fresh noise in every call: what is said of batches needs it, so it is tested before anybody is accused.

All tests are permutation tests (`exchangeable`), each on parts of the outputs that share no output, whose p-values are
multiplied; so they hold at their level for outputs of every law, as long as outputs are independent draws of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.exchangeable import (
    Orders,
    Statistic,
    lagged,
    largest,
    neighbouring,
    p_value,
    series,
    together,
    weighted,
)
from hdp_audit.targets.failures import FINE

Floats = NDArray[np.float64]

BATCHES = 16
LEAST, LARGEST = 64, 512  # outputs of a batch
STRANDS = 8  # parts of all batches, each with outputs of every batch, in which a drift is looked for
DRIFTS = "the outputs for the same data change with time or with the number of calls"
MOST_COLUMNS = 16  # of an output, in which repeats are looked for
FEW = 16  # outputs of a batch, below which it says nothing
TESTS = 7  # a drift, neighbours, batches that differ; repeats and distances twice, for either way to pair batches


@dataclass(frozen=True)
class Dependence:
    """What is wrong with outputs that should be independent; `drifts` if only that they change with time."""

    message: str
    drifts: bool = False


@dataclass(frozen=True, eq=False)
class Stretch:
    """Two batches in a row, without the calls that failed."""

    rows: Floats
    second: NDArray[np.bool_]  # which rows are of the second batch
    values: Floats


def dependence(tables: list[Floats], rng: np.random.Generator, significance: float) -> Dependence | None:
    """What is wrong with the outputs of batches (last column: the outcome of the call); None where nothing is.

    Said of independent outputs with probability at most `significance`. Calls that failed are left out: of independent
    calls the others are independent too. Batches with fewer than FEW outputs say nothing.
    """
    fine = [table[table[:, -1] == FINE, :-1] for table in tables]
    fine = [rows for rows in fine if len(rows) >= FEW]
    level = significance / TESTS
    stretches = [_stretches(fine[start:]) for start in (0, 1)]
    drifting = _drift(fine, rng) <= level
    for statistic, starts, words in _SERIAL:
        if drifting and statistic is not _repeats:
            return Dependence(DRIFTS, drifts=True)
        for start in starts:
            found = together([p_value(statistic(one), len(one.rows), rng) for one in stretches[start]])
            if found <= level:
                return Dependence(f"{words} (independent draws look like this with probability {found:.1g} at most)")
    return None


def _stretches(batches: list[Floats]) -> list[Stretch]:
    found = []
    for first, second in zip(batches[::2], batches[1::2], strict=False):
        rows = np.concatenate([first, second])
        found.append(Stretch(rows, np.arange(len(rows)) >= len(first), series(rows)))
    return found


def _repeats(stretch: Stretch) -> Statistic:
    """Equal outputs within a batch, against those between batches: too many, or too few; also of single columns."""
    names, starts = _names(stretch.rows)
    total = np.bincount(names.ravel())
    n, ones = len(names), int(stretch.second.sum())
    within = (ones * (ones - 1) + (n - ones) * (n - ones - 1)) / (n * (n - 1))
    pairs = np.add.reduceat(total * (total - 1), starts)

    def statistic(orders: Orders) -> Floats:
        lines = np.arange(orders.shape[0])[:, None, None] * total.size
        chosen = names[orders[:, stretch.second]] + lines
        later = np.bincount(chosen.ravel(), minlength=orders.shape[0] * total.size).reshape(-1, total.size)
        equal = np.add.reduceat(later * (later - 1) + (total - later) * (total - later - 1), starts, axis=1)
        return largest(np.abs(equal - within * pairs) / np.sqrt(pairs + 1.0))

    return statistic


def _names(rows: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for each value of a row, and of some of its columns; the columns' numbers begin at the given ones."""
    some = np.unique(np.linspace(0, rows.shape[1] - 1, MOST_COLUMNS).astype(int))
    columns = [np.unique(rows, axis=0, return_inverse=True)[1].ravel()]
    columns += [np.unique(rows[:, column], return_inverse=True)[1] for column in some if rows.shape[1] > 1]
    starts = np.cumsum([0] + [int(column.max()) + 1 for column in columns[:-1]])
    return np.column_stack(columns) + starts, starts


def _neighbours(stretch: Stretch) -> Statistic:
    """The largest correlation of an output with the next one."""
    return neighbouring(stretch.values)


def _distances(stretch: Stretch) -> Statistic:
    """The largest correlation of an output with the one so many places later, over all distances."""
    return lagged(stretch.values, FEW // 2)


def _batches(stretch: Stretch) -> Statistic:
    """The largest difference of the two batches in location or spread."""
    return weighted(stretch.values, stretch.second.astype(np.float64))


def _drift(batches: list[Floats], rng: np.random.Generator) -> float:
    """The p-value of a trend of outputs, or of their spread, over the batches."""
    if len(batches) < 2:
        return 1.0
    found = []
    for strand in range(STRANDS):
        parts = [rows[strand::STRANDS] for rows in batches]
        when = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        found.append(p_value(weighted(series(np.concatenate(parts)), when - when.mean()), when.size, rng))
    return together(found)


# statistic, at which batches the pairs of batches start, in words
_SERIAL: tuple[tuple[Callable[[Stretch], Statistic], tuple[int, ...], str], ...] = (
    (
        _repeats,
        (0, 1),
        "outputs are repeated in a batch, or from one batch to the next: one draw of noise serves several",
    ),
    (_neighbours, (0,), "neighbouring outputs depend on each other: noise is not drawn afresh for each"),
    (_distances, (0, 1), "outputs depend on others some places before them: noise is not drawn afresh for each"),
    (_batches, (0,), "outputs of one batch are more alike than those of two: noise is shared within a batch"),
)
