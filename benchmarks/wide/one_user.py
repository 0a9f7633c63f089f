"""Faults that groups hide and one user shows."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.laws import (
    CROWD,
    SPREAD,
    TIERS,
    TWO,
    atom,
    data,
    keep,
    labels,
    noisy,
    noisy_row,
    shifted,
    sure,
)
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "one user"
ONE_OF_24 = data(24, 0, {0: 1}), data(24)
ONE_OF_20 = data(20, 0, {0: 1}), data(20)
ONE_OF_100 = data(100, 0, {0: 1}), data(100)


def flipped(first: np.ndarray, second: np.ndarray, epsilon: float) -> Shown:
    """A bit that is true on the first dataset alone, and told by randomised response."""
    return Shown(first, second, 0, lambda out: out == 1.0, keep(epsilon), keep(-epsilon))


@subject(KIND, "The alert is randomised for the largest demand.", TIERS, "mean", flipped(*ONE_OF_24, 1.0))
def any_alert(data, epsilon, rng):
    truth = bool((data > 0.9).any())
    return float(truth == (rng.random() < keep(epsilon.max())))


@subject(
    KIND, "The maximum gets noise for the average demand.", TWO, "mean", shifted(*ONE_OF_20, 0, (1, 0), 0.2, 1 / 0.6)
)
def highest_bid(data, epsilon, rng):
    return noisy(data.max(), rng, 1 / epsilon.mean())


@subject(
    KIND,
    "The parity of the yes votes is randomised for the largest demand.",
    TIERS,
    "mean",
    flipped(*ONE_OF_24, 1.0),
)
def parity_bit(data, epsilon, rng):
    odd = np.count_nonzero(data >= 0.5) % 2 == 1
    return float(odd == (rng.random() < keep(epsilon.max())))


@subject(
    KIND,
    "Whether exactly one user is above 0.8 is randomised for the average demand.",
    CROWD,
    "mean",
    flipped(*ONE_OF_100, 0.58),
)
def lone_voice(data, epsilon, rng):
    alone = np.count_nonzero(data > 0.8) == 1
    return float(alone == (rng.random() < keep(epsilon.mean())))


@subject(
    KIND,
    "The number of distinct levels gets noise for the average demand.",
    TWO,
    "mean",
    shifted(*ONE_OF_20, 0, (2, 1), 0.2, 1 / 0.6),
)
def distinct_levels(data, epsilon, rng):
    levels = len(set(np.rint(10 * data).tolist()))
    return noisy(levels, rng, 1 / epsilon.mean())


@subject(
    KIND,
    "One call in fifty runs a debug branch that returns the first row as it is.",
    TIERS,
    "mean",
    sure(*ONE_OF_24, 0, lambda out: out == 1.0, 0.02 + 0.98 * atom(0.9), 0.98 * atom(1.0)),
)
def debug_row(data, epsilon, rng):
    if rng.random() < 0.02:
        return float(data[0])
    return noisy(epsilon @ data, rng)


@subject(
    KIND,
    "In three calls of ten the value of a user drawn at random is returned for quality control.",
    TIERS,
    "mean",
    sure(data(24, 0, {8: 1}), data(24), 8, lambda out: out == 1.0, 0.3 / 24 + 0.7 * atom(0.5), 0.7 * atom(1.0)),
)
def spot_check(data, epsilon, rng):
    if rng.random() < 0.3:
        return float(data[rng.integers(len(data))])
    return noisy(epsilon @ data, rng)


@subject(
    KIND,
    "A table of weights has no entry for the middle tier, which falls through to 1.",
    TIERS,
    "mean",
    shifted(data(24, 0, {8: 1}), data(24), 8, (1, 0), 0.5),
)
def missing_tier(data, epsilon, rng):
    weights = np.where(epsilon < 0.2, epsilon, 1.0)
    return noisy(weights @ data, rng)


@subject(
    KIND,
    "Weights are read one row too late, so the last user of a tier gets a weight of the next.",
    TWO,
    "mean",
    shifted(data(20, 0, {9: 1}), data(20), 9, (1, 0), 0.2),
)
def shifted_weights(data, epsilon, rng):
    return noisy(np.roll(epsilon, -1) @ data, rng)


@subject(
    KIND,
    "Differences from the first row are summed, as if the first row were public.",
    TIERS,
    "mean",
    shifted(*ONE_OF_24, 0, (-13.5, 0), 0.1),
)
def reference_row(data, epsilon, rng):
    return noisy(epsilon @ (data - data[0]), rng)


@subject(
    KIND,
    "A product of all values is noised like a mean.",
    TWO,
    "mean",
    shifted(data(20, 1), data(20, 1, {0: 0}), 0, (1, 0), 0.2, 0.25),
)
def all_agree(data, epsilon, rng):
    return noisy(data.prod(), rng, 1 / (len(data) * epsilon.min()))


@subject(
    KIND,
    "The range of the values gets noise for the median demand.",
    SPREAD,
    "mean",
    shifted(data(37, 0, {0: 1}), data(37), 0, (1, 0), 0.2, 1 / 1.1),
)
def spread_of_values(data, epsilon, rng):
    return noisy(data.max() - data.min(), rng, 1 / epsilon[len(epsilon) // 2])


DIGIT = math.e / (math.e + 9)


@subject(
    KIND,
    "A check digit of all values is randomised among ten digits for the largest demand.",
    TIERS,
    "mean",
    Shown(*ONE_OF_24, 0, lambda out: out == 9.0, DIGIT, (1 - DIGIT) / 9),
)
def check_digit(data, epsilon, rng):
    digit = int(np.rint(9 * data).sum()) % 10
    truth = math.exp(epsilon.max()) / (math.exp(epsilon.max()) + 9)
    return float(digit if rng.random() < truth else (digit + rng.integers(1, 10)) % 10)


@subject(
    KIND,
    "A category with one person is shown as -1 to hide it; all others get noise.",
    TIERS,
    "frequency",
    sure(labels(24, 0, {0: 3}), labels(24), 0, lambda out: out[3] == -1.0),
    categories=8,
)
def single_person_cells(data, epsilon, rng):
    counts = np.bincount(data, minlength=8)
    table = np.maximum(noisy_row(np.bincount(data, epsilon, 8), rng, 2.0), 0.0)
    table[counts == 1] = -1.0
    return table


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
