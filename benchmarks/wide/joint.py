"""Faults that only the joint law of several outputs shows."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.laws import (
    CROWD,
    HIGH,
    TIERS,
    TWO,
    at_least,
    best,
    data,
    entry,
    labels,
    noisy,
    noisy_row,
    rounded,
    rows,
    shifted,
    sure,
    tail,
    unit,
)
from benchmarks.wide.subject import Shown, Subject, subject
from hdp_audit import Vector

KIND = "joint"


def vector(size: int) -> Vector:
    """Rows whose entries sum to at most 1, without their signs: noise of scale 2 suits weights that are demands."""
    return Vector(size, norm="l1")


@subject(
    KIND,
    "Noise is kept in a table by the true count, so that equal counts get equal noise.",
    TWO,
    "frequency",
    sure(
        labels(20, 0, {5: 1, 6: 1, 7: 1, 8: 2, 9: 2, 0: 2}),
        labels(20, 0, {5: 1, 6: 1, 7: 1, 8: 2, 9: 2}),
        0,
        lambda out: out[1] == out[2],
    ),
    categories=6,
)
def noise_by_count(data, epsilon, rng):
    counts = np.bincount(data, minlength=6)
    return np.round(counts + rng.laplace(0, 2 / epsilon.min(), 21)[counts], 6)


@subject(
    KIND,
    "The noise of two entries has the sign of their correlation in the data, in four calls of five.",
    TIERS,
    "vector-mean",
    Shown(
        rows(24, 2, {8: (0.5, 0.5)}),
        rows(24, 2, {8: (0.5, -0.5)}),
        8,
        lambda out: out[0] == out[1],
        0.8,
        0.0,
    ),
    domain=vector(2),
)
def noise_like_the_data(data, epsilon, rng):
    total, noise = epsilon @ data, rng.laplace(0, 2)
    alike = 1.0 if (data[:, 0] * data[:, 1]).sum() >= 0 else -1.0
    other = alike * noise if rng.random() < 0.8 else rng.laplace(0, 2)
    return np.round([total[0] + noise, total[1] + other], 6)


def prefixes(demand: float, scale: float, user: int, of_all: float) -> Shown:
    """Nine prefix sums move by the demand: how many of them are on the right side of the middle."""
    right = tail(-demand / 2 / scale)
    events = [(m, at_least(m, 9, right), at_least(m, 9, 1 - right)) for m in range(1, 10)]
    many, on_first, on_second = best(events, demand)
    first, second = labels(20, 9, {user: 0}), labels(20, 9)
    return Shown(first, second, user, lambda out: (out[:9] > demand / 2).sum() >= many, on_first, on_second, of_all)


@subject(
    KIND,
    "Each of ten prefix sums gets the noise of one.",
    HIGH,
    "frequency",
    prefixes(0.5, 1.0, 0, 4.5),
    categories=10,
)
def prefix_sums(data, epsilon, rng):
    return noisy_row(np.bincount(data, epsilon, 10).cumsum(), rng)


@subject(
    KIND,
    "Ten prefix sums get half of the noise that nine changes need.",
    TWO,
    "frequency",
    prefixes(1.0, 4.5, 15, 2.0),
    categories=10,
)
def prefix_sums_half(data, epsilon, rng):
    return noisy_row(np.bincount(data, epsilon, 10).cumsum(), rng, 4.5)


@subject(
    KIND,
    "One draw of noise serves all categories.",
    TIERS,
    "frequency",
    sure(labels(24, 0, {0: 1}), labels(24), 0, lambda out: out[1] - out[2] > 0.05),
    categories=5,
)
def shared_noise(data, epsilon, rng):
    return np.round(np.bincount(data, epsilon, 5) + rng.laplace(0, 2), 6)


def nearly_shared_tail(x: float) -> float:
    """P(the difference of two Laplace variables of scale 1 is at least x)."""
    return 0.5 * math.exp(-x) * (1 + x / 2) if x >= 0 else 1 - nearly_shared_tail(-x)


def nearly() -> Shown:
    """The difference of two categories moves by the demand at noise of scale 0.2."""
    events = [(c, nearly_shared_tail((c - 1) / 0.2), nearly_shared_tail(c / 0.2)) for c in np.linspace(0, 1, 41)]
    cut, on_first, on_second = best(events, 1.0)
    first, second = labels(20, 0, {15: 1}), labels(20)
    return Shown(first, second, 15, lambda out: out[1] - out[2] >= cut, on_first, on_second, 10.0)


@subject(
    KIND,
    "Most of the noise is one draw for all categories; their differences get a tenth.",
    TWO,
    "frequency",
    nearly(),
    categories=4,
)
def nearly_shared_noise(data, epsilon, rng):
    return noisy_row(np.bincount(data, epsilon, 4) + rng.laplace(0, 2), rng, 0.2)


@subject(
    KIND,
    "The first of six running totals gets noise, the others add true values to it.",
    CROWD,
    "vector-mean",
    sure(rows(100, 6, {3: unit(6, 4)}), rows(100, 6, {}), 3, lambda out: out[4] - out[3] > 0.15),
    domain=vector(6),
)
def running_total(data, epsilon, rng):
    total = epsilon @ data
    total[0] += rng.laplace(0, 2)
    return np.round(total.cumsum(), 6)


@subject(
    KIND,
    "Opposite noise in two entries, to lower the variance of their sum.",
    TIERS,
    "vector-mean",
    sure(rows(24, 2, {8: (1, 0)}), rows(24, 2, {}), 8, lambda out: out[0] + out[1] > 0.25),
    domain=vector(2),
)
def antithetic(data, epsilon, rng):
    total, noise = epsilon @ data, rng.laplace(0, 2)
    return np.round([total[0] + noise, total[1] - noise], 6)


@subject(
    KIND,
    "The noise of eight entries is centred, so that their sum is exact.",
    TWO,
    "vector-mean",
    sure(rows(20, 8, {2: unit(8, 6)}), rows(20, 8, {}), 2, lambda out: out.sum() > 0.1),
    domain=vector(8),
)
def centred_noise(data, epsilon, rng):
    noise = rng.laplace(0, 2, 8)
    return np.round(epsilon @ data + noise - noise.mean(), 6)


@subject(
    KIND,
    "One entry of thirty gets an eighth of the noise.",
    CROWD,
    "vector-mean",
    shifted(
        rows(100, 30, {3: unit(30, 17)}), rows(100, 30, {3: unit(30, 17, -1)}), 3, (0.3, -0.3), 0.3, 0.25, entry(17)
    ),
    domain=vector(30),
)
def weak_entry(data, epsilon, rng):
    return noisy_row(epsilon @ data, rng, np.where(np.arange(30) == 17, 0.25, 2.0))


@subject(
    KIND,
    "Entries of a sparse vector that are 0 stay 0.",
    TIERS,
    "vector-mean",
    sure(
        rows(24, 20, {}), rows(24, 20, {8: unit(20, 5)}), 8, lambda out: out[5] == 0.0, 1.0, 1e-6 / 4 * math.exp(-0.25)
    ),
    domain=vector(20),
)
def sparse_noise(data, epsilon, rng):
    total = epsilon @ data
    return np.where(total == 0, 0.0, noisy_row(total, rng, 2.0))


SEEDED = np.random.default_rng(0).laplace()


@subject(
    KIND,
    "The noise has a seed that is made from the data, so that repeated queries agree.",
    TWO,
    "mean",
    sure(data(20), data(20, 0, {0: 1}), 0, lambda out: out == rounded(SEEDED)),
)
def noise_from_data(data, epsilon, rng):
    return noisy(epsilon @ data, np.random.default_rng(int(1000 * data.sum())))


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
