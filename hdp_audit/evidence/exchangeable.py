"""Permutation tests that hold for every law of the outputs: atoms, heavy tails, constants, any number of columns.

If rows are independent draws of one law, any order of them is as likely as any other. So the rank of a statistic of
the rows as they came, among the statistics of random orders, is uniform up to ties, and ties count against a finding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.fft import irfft, rfft
from numpy.typing import NDArray
from scipy.special import gammaincc

from hdp_audit.evidence.ranks import ranks as ranked

Floats = NDArray[np.float64]
Orders = NDArray[np.int64]  # one order of the rows in each line
Statistic = Callable[[Orders], Floats]

ENOUGH = 4  # orders at least as extreme as the rows as they came: the rest would not change the verdict
MOST_ORDERS = 999  # orders that are tried; several p-values are multiplied, so that one need not be small alone
FIRST = 8
COLUMNS = 4  # of an output with many
CELLS = 1 << 22  # numbers of one table of permuted series


def p_value(statistic: Statistic, rows: int, rng: np.random.Generator, most: int = MOST_ORDERS) -> float:
    """P(p ≤ u) ≤ u for exchangeable rows; `statistic` is large where they look otherwise.

    Besag and Clifford's sequential p-value: with the h-th order at least as extreme found at the l-th try it is h/l,
    and (g + 1)/(most + 1) where only g < h are found. p ≤ h/l means that fewer than h of the first l − 1 orders reach
    the observed statistic, hence that it is among the h largest of l exchangeable values.
    """
    seen = statistic(np.arange(rows)[None])[0]
    reached, tried, size = 0, 0, FIRST
    while tried < most:
        size = min(size, most - tried)
        extreme = np.flatnonzero(statistic(rng.permuted(np.tile(np.arange(rows), (size, 1)), axis=1)) >= seen)
        if reached + extreme.size >= ENOUGH:
            return ENOUGH / (tried + 1 + int(extreme[ENOUGH - reached - 1]))
        reached, tried, size = reached + extreme.size, tried + size, min(4 * size, 256)
    return (reached + 1) / (most + 1)


def together(values: list[float]) -> float:
    """One p-value from those of independent parts, by their product (Fisher); 1 where there is none.

    The product of k independent numbers that are stochastically no smaller than uniform ones is at most x with
    probability at most x·Σ_{j<k} (−log x)^j / j!, the upper tail of a gamma law.
    """
    return float(gammaincc(len(values), -np.log(values).sum())) if values else 1.0


def series(table: Floats) -> Floats:
    """Columns whose order is looked at: centred ranks of outputs, and of their distance from the middle rank.

    Up to COLUMNS outputs that vary, evenly spaced, and the sum of the ranks of all; which ones does not depend on the
    order of the rows. No column where nothing varies.
    """
    varied = table[:, (table != table[:1]).any(axis=0)]
    if not varied.shape[1]:
        return np.zeros((table.shape[0], 0))
    ranks = _centred(ranked(varied, axis=0))
    chosen = ranks
    if ranks.shape[1] > 1:
        some = np.unique(np.linspace(0, ranks.shape[1] - 1, COLUMNS - 1).astype(int))
        chosen = np.column_stack([ranks[:, some], ranks.sum(axis=1)])
    found = np.column_stack([chosen, _centred(ranked(np.abs(chosen), axis=0))])
    spread = np.sqrt((found**2).mean(axis=0))
    return np.asarray(found[:, spread > 0] / spread[spread > 0])


def _centred(ranks: Floats) -> Floats:
    return np.asarray(ranks - ranks.mean(axis=0))


def weighted(values: Floats, weights: Floats) -> Statistic:
    """The largest weighted sum of a series, in absolute value; permuting the weights is as good as the rows."""
    return lambda orders: largest(np.abs(weights[orders] @ values))


def between(values: Floats, group: NDArray[np.int64]) -> Statistic:
    """The largest spread of the groups' mean ranks (Kruskal and Wallis'), over series."""
    sizes = np.bincount(group)

    def statistic(orders: Orders) -> Floats:
        labels = group[orders]
        return largest(sum(((labels == one) @ values) ** 2 / size for one, size in enumerate(sizes)))

    return statistic


def neighbouring(values: Floats) -> Statistic:
    """The largest correlation of an output with the next one, over series."""
    return lambda orders: largest(np.abs(np.einsum("mns,mns->ms", values[orders[:, 1:]], values[orders[:, :-1]])))


def lagged(values: Floats, fewest: int) -> Statistic:
    """The largest correlation of an output with one some places later, over series and all lags of so many pairs."""
    n, by_series = len(values), np.ascontiguousarray(values.T)
    length = 1 << (2 * n - 1).bit_length()
    overlap = np.sqrt(n - np.arange(1, n - fewest + 1))
    part = max(CELLS // (values.size * 4 + 1), 1)  # orders at a time, so that memory stays small

    def some(orders: Orders) -> Floats:
        transformed = rfft(by_series[:, orders], length)
        found = irfft(transformed.real**2 + transformed.imag**2, length)[..., 1 : n - fewest + 1]
        return largest(np.abs(found / overlap).max(axis=2).T) if values.size else np.zeros(len(orders))

    return lambda orders: np.concatenate([some(orders[at : at + part]) for at in range(0, orders.shape[0], part)])


def largest(found: Floats) -> Floats:
    """In each line; rounded, so that equal ones are equal whatever the order of summation."""
    return np.asarray(found.max(axis=1, initial=0.0).round(6))
