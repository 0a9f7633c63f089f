"""Correct mechanisms that publish several numbers; tight ones lose exactly what was demanded."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.laws import CROWD, HIGH, SPREAD, TIERS, TWO, Array, labels, noisy_row, rows, unit
from benchmarks.wide.subject import Shown, Subject, subject
from hdp_audit import Vector

KIND = "correct"


def moved(epsilon: Array, user: int, to: int, read=np.asarray) -> Shown:
    """One user leaves category 0, at noise of scale 2: it loses the demand and another one gains it."""
    demand, total = float(epsilon[user]), float(epsilon.sum())
    first, second = labels(len(epsilon), 0, {user: to}), labels(len(epsilon))

    def event(out):
        table = read(out)
        return table[to] >= demand - 1e-9 and table[0] <= total - demand + 1e-9

    return Shown(first, second, user, event, 0.25, 0.25 * math.exp(-demand))


@subject(
    KIND,
    "Each category sums demands, with noise of scale 2.",
    TIERS,
    "frequency",
    moved(TIERS, 8, 3),
    correct=True,
    tight=True,
    categories=6,
)
def table_of_demands(data, epsilon, rng):
    return noisy_row(np.bincount(data, epsilon, 6), rng, 2.0)


@subject(
    KIND,
    "Prefix sums of noisy categories.",
    HIGH,
    "frequency",
    moved(HIGH, 4, 2, lambda out: np.diff(out, prepend=0.0)),
    correct=True,
    tight=True,
    categories=10,
)
def prefix_sums_rightly(data, epsilon, rng):
    return np.round(noisy_row(np.bincount(data, epsilon, 10), rng, 2.0).cumsum(), 6)


@subject(
    KIND,
    "The categories after noise: negative ones are 0, small ones join the last, and all are shares.",
    TWO,
    "frequency",
    correct=True,
    categories=8,
)
def cleaned_table(data, epsilon, rng):
    table = np.maximum(noisy_row(np.bincount(data, epsilon, 8), rng, 2.0), 0.0)
    table[7] += table[:7][table[:7] < 1].sum()
    table[:7][table[:7] < 1] = 0.0
    return np.round(table / max(table.sum(), 1.0), 3)


@subject(KIND, "The exponential mechanism names a category.", CROWD, "frequency", correct=True, categories=5)
def named_category(data, epsilon, rng):
    score = np.bincount(data, epsilon, 5) / 2 + rng.gumbel(size=5)
    return (np.arange(5) == score.argmax()).astype(float)


@subject(
    KIND,
    "The category with the largest sum after exponential noise.",
    TIERS,
    "frequency",
    correct=True,
    categories=12,
)
def noisy_winner(data, epsilon, rng):
    score = np.bincount(data, epsilon, 12) + rng.exponential(2.0, 12)
    return (np.arange(12) == score.argmax()).astype(float)


@subject(
    KIND,
    "Counts of people with noise for the smallest demand, rounded to whole people.",
    HIGH,
    "frequency",
    correct=True,
    categories=6,
)
def people_rounded(data, epsilon, rng):
    counts = np.bincount(data, minlength=6)
    return np.maximum(np.rint(counts + rng.laplace(0, 2 / epsilon.min(), 6)), 0.0)


def along(epsilon: Array, user: int, size: int, index: int) -> Shown:
    """One user's row points along an entry, or against it."""
    users, demand = len(epsilon), float(epsilon[user])
    sets = rows(users, size, {user: unit(size, index)}), rows(users, size, {user: unit(size, index, -1)})
    return Shown(*sets, user, lambda out: out[index] >= demand - 1e-9, 0.5, 0.5 * math.exp(-demand))


@subject(
    KIND,
    "Rows that sum to at most 1 are weighted by demands, with noise of scale 2.",
    CROWD,
    "vector-mean",
    along(CROWD, 80, 30, 17),
    correct=True,
    tight=True,
    domain=Vector(30, norm="l1"),
)
def weighted_rows(data, epsilon, rng):
    return noisy_row(epsilon @ data, rng, 2.0)


@subject(
    KIND,
    "One entry is not used, and has next to no noise.",
    TIERS,
    "vector-mean",
    along(TIERS, 20, 10, 3),
    correct=True,
    tight=True,
    domain=Vector(10, norm="l1"),
)
def unused_entry(data, epsilon, rng):
    total = epsilon @ data
    total[7] = 1.0
    return noisy_row(total, rng, np.where(np.arange(10) == 7, 0.01, 2.0))


@subject(
    KIND,
    "Totals are sorted before the noise: that brings no two of them farther apart.",
    TWO,
    "vector-mean",
    correct=True,
    domain=Vector(6, norm="l1"),
)
def sorted_totals(data, epsilon, rng):
    return noisy_row(np.sort(epsilon @ data), rng, 2.0)


@subject(
    KIND,
    "The second number repeats the first one, with the other sign and the same noise.",
    SPREAD,
    "vector-mean",
    along(SPREAD, 16, 2, 0),
    correct=True,
    tight=True,
    domain=Vector(2, norm="l1"),
)
def mirrored(data, epsilon, rng):
    first = np.round((epsilon @ data)[0] + rng.laplace(0, 2), 6)
    return np.array([first, -first])


@subject(
    KIND,
    "Running totals of noisy values, and then the whole in a random order.",
    TWO,
    "vector-mean",
    correct=True,
    domain=Vector(5, norm="l1"),
)
def shuffled_totals(data, epsilon, rng):
    return rng.permutation(np.round(noisy_row(epsilon @ data, rng, 2.0).cumsum(), 6))


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
