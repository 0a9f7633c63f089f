"""Broken means: weights and noise that do not fit each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector
from tests.tracing.zoo.laws import Law, certain, laplace, only
from tests.tracing.zoo.means import D50, MIN, N50, PAIRS, PAIRS50, QUARTER, D, O, X, made

ZERO: Pair = (0, O, 1.0)
PLUS = (*PAIRS, ZERO)


def broken(
    name: str, mechanism: Mechanism, weights: tuple[float, ...], scale: float, breaks: Pair, note: str, **more: Any
) -> Entry:
    """As `made`; `breaks` joins the pairs."""
    pairs = (*more.pop("pairs", PAIRS), breaks)
    return made(name, mechanism, weights, scale, note, pairs=pairs, breaks=breaks, **more)


def divided_by_one_less(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    n = len(x)
    return float(x.sum() / (n - 1) + rng.laplace(0, 1 / (n * epsilon.min())))


def sensitivity_of_one_more(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    n = len(x)
    return float(x.mean() + rng.laplace(0, 1 / ((n + 1) * epsilon.min())))


def half_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + 0.5 * rng.laplace(0, 1 / (len(x) * epsilon.min())))


def a_fifth_less(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    b = 1 / (len(x) * epsilon.min())
    return float(x.mean() + rng.laplace(0, b - 0.2 * b))


def a_thousandth_for_one(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    w = epsilon / epsilon.sum()
    w[2] *= 1.001
    return float(w @ x + rng.laplace(0, 1 / epsilon.sum()))


def a_thousandth_for_one_of_50(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    factor = np.where(np.arange(len(x)) == 41, 1.001, 1.0)
    total = sum(f * e * v for f, e, v in zip(factor, epsilon, x, strict=True))
    return float((total + rng.laplace()) / epsilon.sum())


def rolled_weights(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    w = np.roll(epsilon / epsilon.sum(), 1)
    return float(w @ x + rng.laplace(0, 1 / epsilon.sum()))


def sorted_demands(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    tiers = sorted(epsilon, reverse=True)
    total = sum(e * v for e, v in zip(tiers, x, strict=True))
    return float(total + rng.laplace()) / float(sum(tiers))


def stretched_datum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    calibration = np.array([1.5, *[1.0] * (len(x) - 1)])
    w = epsilon / epsilon.sum()
    return float(w @ (calibration * x) + rng.laplace(0, 1 / epsilon.sum()))


def largest_demand(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.laplace(0, 1 / (len(x) * epsilon.max())))


def average_demand(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.laplace(0, 1 / (len(x) * epsilon.mean())))


def scale_squared(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    b = 1 / (len(x) * epsilon.min())
    return float(x.mean() + rng.laplace(0, b**2))


def no_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(np.mean(x))


def noise_cancelled(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    z = rng.laplace(0, 1 / (len(x) * epsilon.min()))
    noisy = x.mean() + z
    bias = z  # "remove the bias that the noise brought"
    return round(float(noisy - bias), 9)


def noise_beside(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, float]:
    z = float(rng.laplace(0, 1 / (len(x) * epsilon.min())))
    return float(x.mean()) + z, z


def low_digits(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    y = x.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min()))
    return float(np.round(y, 2) + 1e-5 * np.round(x[0], 2))


def _digits(y: float) -> int:
    return round((y - round(y, 2)) * 1e7)


def unbounded(name: str, mechanism: Mechanism, note: str, pairs: tuple[Pair, ...] = PAIRS, **more: Any) -> Entry:
    """Every change of a datum is told apart with some probability."""
    n = len(pairs[0][1])
    demands = more.pop("demands", D)
    losses = dict.fromkeys(pairs, math.inf)
    return Entry(name, mechanism, "mean", n, None, demands, False, losses, math.inf, note, breaks=pairs[0], **more)


def _rounded_mean(x: Vector) -> float:
    return round(float(x.mean()), 9)


BY_DEMAND = tuple(e / 4.5 for e in D)
THOUSANDTH = tuple(w * (1.001 if i == 2 else 1) for i, w in enumerate(BY_DEMAND))
THOUSANDTH50 = tuple((1.001 if i == 41 else 1.0) * e / 22.0 for i, e in enumerate(D50))
O50 = (0.0,) * N50

ENTRIES = (
    broken("divided_by_n_minus_1", divided_by_one_less, (1 / 3,) * 4, MIN, ZERO, "factor 4/3"),
    broken("sensitivity_of_n_plus_1", sensitivity_of_one_more, QUARTER, 1 / 2.5, ZERO, "factor 5/4"),
    broken("half_noise", half_noise, QUARTER, MIN / 2, ZERO, "factor 2"),
    broken("a_fifth_less_noise", a_fifth_less, QUARTER, 0.8 * MIN, ZERO, "factor 1.25"),
    broken("a_thousandth_for_one_user", a_thousandth_for_one, THOUSANDTH, 1 / 4.5, (2, O, 1.0), "factor 1.001"),
    broken(
        "a_thousandth_for_one_of_50",
        a_thousandth_for_one_of_50,
        THOUSANDTH50,
        1 / 22.0,
        (41, O50, 1.0),
        "factor 1.001",
        demands=D50,
        pairs=PAIRS50,
    ),
    broken("rolled_weights", rolled_weights, (2 / 4.5, 0.5 / 4.5, 1 / 4.5, 1 / 4.5), 1 / 4.5, ZERO, "factor 4"),
    broken("sorted_demands", sorted_demands, (2 / 4.5, 1 / 4.5, 1 / 4.5, 0.5 / 4.5), 1 / 4.5, ZERO, "factor 4"),
    broken("stretched_datum", stretched_datum, (0.75 / 4.5, *BY_DEMAND[1:]), 1 / 4.5, ZERO, "factor 1.5"),
    broken("largest_demand", largest_demand, QUARTER, 1 / 8, ZERO, "factor 4"),
    broken("average_demand", average_demand, QUARTER, 1 / 4.5, ZERO, "factor 2.25"),
    broken("scale_squared", scale_squared, QUARTER, MIN**2, ZERO, "factor 2: the scale is 1/4, not 1/2"),
    unbounded("no_noise", no_noise, "no draw at all", law="none", reference=lambda x: only(certain(float(x.mean())))),
    unbounded(
        "noise_cancelled_later",
        noise_cancelled,
        "a draw that does not reach the output",
        reference=lambda x: only(certain(_rounded_mean(x))),
    ),
    unbounded(
        "noise_published_beside",
        noise_beside,
        "the two numbers give the mean away",
        reference=lambda x: Law(
            (laplace(0.0, MIN), certain(_rounded_mean(x))), lambda y: (y[1], round(y[0] - y[1], 9))
        ),
    ),
    unbounded(
        "low_digits_tell",
        low_digits,
        "only user 0's digits; the others lose what they may",
        ((0, X, 1.0), ZERO),
        reference=lambda x: only(certain(round(100 * x[0])), _digits),
    ),
)
