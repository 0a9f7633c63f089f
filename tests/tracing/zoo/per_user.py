"""Noise for each tier and for each user."""

from __future__ import annotations

import math

import numpy as np

from tests.tracing.zoo.composition import (
    INF,
    of,
    release,
)
from tests.tracing.zoo.entry import Entry, Pair, Vector, change
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import Density, Law, Part, certain, laplace, laplaces, only
from tests.tracing.zoo.means import PAIRS, D, O, X


def by_tier(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    answers = []
    for tier in np.unique(epsilon):
        members = x[epsilon == tier]
        answers.append(release(members.mean(), 1 / len(members), tier, rng))
    return tuple(answers)


def by_two_tiers(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    answers = []
    for inside in (epsilon <= 1, epsilon > 1):
        answers.append(release(x[inside].mean(), 1 / inside.sum(), epsilon[inside].max(), rng))
    return tuple(answers)


def tiers_and_all(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    return (*by_tier(x, epsilon, rng), release(x.mean(), 1 / len(x), 1.0, rng))


def local(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return x + rng.laplace(scale=1 / epsilon)


def local_loop(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(release(float(v), 1.0, float(e), rng) for v, e in zip(x, epsilon, strict=True))


def local_average(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    total = 0.0
    for v, e in zip(x, epsilon, strict=True):
        total += v + rng.laplace(0, 1 / e)
    return float(total / len(x))


def local_reversed(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return x + rng.laplace(scale=1 / epsilon[::-1])


def some_coordinates(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    y = x.astype(float).copy()
    strict = epsilon < 1.5
    y[strict] += rng.laplace(0, 1 / epsilon[strict])
    return y


def last_coordinate_forgotten(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    y = x.astype(float).copy()
    for i in range(len(x) - 1):
        y[i] += rng.laplace(0, 1 / epsilon[i])
    return y


def means_of_tiers(x: Vector) -> list[float]:
    return [float(x[0]), float(x[1] + x[2]) / 2, float(x[3])]


def own(pair: Pair, factor: float = 1.0) -> float:
    return factor * D[pair[0]] * change(pair)


def local_average_density(x: Vector) -> Law:
    """Scales b/4 of 2, 1, 1, ½: the transform Π 1/(1 + b²t²) in partial fractions, b² = u ∈ {4, 1 (twice), ¼}/16.

    Σ over simple poles A·Laplace(b) with A = Π u/(u - v); the double pole gives (B + C|z|)e^(-|z|/b).
    """
    m = float(x.mean())
    a = 4 / (4 - 1) * 4 / (4 - 1) * 4 / (4 - 0.25)
    c = 0.25 / (0.25 - 4) * 0.25 / (0.25 - 1) * 0.25 / (0.25 - 1)
    # Near s = t² = -1 of 1/((1+4s)(1+s/4)) · 1/(1+s)²: g(-1) and g'(-1).
    g = 1 / ((1 - 4) * (1 - 0.25))
    slope = g * -(4 / (1 - 4) + 0.25 / (1 - 0.25))

    def density(z: Vector) -> Vector:
        z = np.abs(z)
        twice = (1 + z) * np.exp(-z) / 4  # inverse transform of 1/(1+t²)²
        return a * np.exp(-z / 2) / 4 + c * np.exp(-2 * z) + g * twice + slope * np.exp(-z) / 2

    def log(y: Vector) -> Vector:
        z = np.abs(y - m) * 4
        far = z > 60
        return np.where(far, math.log(a / 4) - z / 2, np.log(density(np.minimum(z, 60)))) + math.log(4)

    return only(Part({}, {None: Density(log, (m,), 0.5)}, m))


ENTRIES: tuple[Entry, ...] = (
    of(
        "noise_of_each_tier",
        by_tier,
        {p: own(p) for p in PAIRS},
        1.0,
        reference=lambda x: laplaces(means_of_tiers(x), [2.0, 0.5, 0.5]),
    ),
    of(
        "two_tiers_by_the_larger_demand",
        by_two_tiers,
        {ZERO: 1.0, **{p: own(p) for p in PAIRS[1:]}},
        2.0,
        "user 0 shares the tier of demand 1",
        ZERO,
        lambda x: laplaces([(x[0] + x[1] + x[2]) / 3, x[3]], [1 / 3, 0.5]),
    ),
    of(
        "tiers_and_the_whole",
        tiers_and_all,
        {ZERO: 1.5, (3, O, 1.0): 3.0, (1, O, 1.0): 2.0},
        3.0,
        "one more answer, not paid for",
        ZERO,
        lambda x: laplaces([*means_of_tiers(x), x.mean()], [2.0, 0.5, 0.5, 0.25]),
    ),
    of("local_vector", local, {p: own(p) for p in PAIRS}, 1.0, reference=lambda x: laplaces(x, [2.0, 1.0, 1.0, 0.5])),
    of(
        "local_loop", local_loop, {p: own(p) for p in PAIRS}, 1.0, reference=lambda x: laplaces(x, [2.0, 1.0, 1.0, 0.5])
    ),
    # The sum's law is log-concave; its tail is that of the widest noise, 2/4, whoever moves.
    of(
        "average_of_local_noise",
        local_average,
        {p: 0.5 * change(p) for p in PAIRS},
        1.0,
        "the widest noise covers all: loss 0.5·change for every user",
        reference=local_average_density,
    ),
    of(
        "local_reversed_demands",
        local_reversed,
        {ZERO: 2.0, (3, O, 1.0): 0.5, (1, O, 1.0): 1.0},
        4.0,
        "factor 4",
        ZERO,
        lambda x: laplaces(x, [0.5, 1.0, 1.0, 2.0]),
    ),
    of(
        "noise_on_some_coordinates",
        some_coordinates,
        {(3, X, 0.0): INF, (3, O, 1.0): INF, (0, X, 1.0): 0.4, (1, O, 1.0): 1.0},
        INF,
        "user 3 has none",
        (3, X, 0.0),
        lambda x: Law((laplace(x[0], 2), laplace(x[1], 1), laplace(x[2], 1), certain(float(x[3])))),
    ),
    of(
        "last_coordinate_forgotten",
        last_coordinate_forgotten,
        {(3, X, 0.0): INF, (0, X, 1.0): 0.4},
        INF,
        "a loop that ends one too early",
        (3, X, 0.0),
        lambda x: Law((laplace(x[0], 2), laplace(x[1], 1), laplace(x[2], 1), certain(float(x[3])))),
    ),
)
