"""Branches: on private draws, which is allowed, and on raw data, which mostly is not."""

from __future__ import annotations

import math

import numpy as np

from tests.tracing.zoo.composition import of, release
from tests.tracing.zoo.entry import Entry, Pair, Vector, linear
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import Density, Law, Part, certain, continuous, laplace, laplace_density, only
from tests.tracing.zoo.means import MIN, PAIRS, QUARTER, O, X

INF = math.inf
EQUAL = (0.5, 0.5, 0.5, 0.5)


def noiseless_sometimes(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    if rng.random() < 0.01:
        return float(x.mean())
    return release(x.mean(), 1 / len(x), epsilon.min(), rng)


def noiseless_when_equal(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    if np.ptp(x) == 0:
        return float(x[0])  # "nothing to hide"
    return release(x.mean(), 1 / len(x), epsilon.min(), rng)


def early_exit(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    if not x.any():
        return 0.0
    return release(x.mean(), 1 / len(x), epsilon.min(), rng)


def noise_by_first_datum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    b = 1 / (len(x) * epsilon.min())
    z = rng.laplace(0, b) if x[0] > 0.5 else rng.normal(0, b)
    return float(x.mean() + z)


def same_noise_either_way(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """Branches on raw data, but both ways lead to one law."""
    b = 1 / (len(x) * epsilon.min())
    z = rng.laplace(0, b) if x[0] > 0.5 else b * (rng.exponential() - rng.exponential())
    return float(x.mean() + z)


def statistic_by_coin(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[str, float]:
    if rng.random() < 0.5:
        return "mean", release(x.mean(), 1 / len(x), epsilon.min(), rng)
    return "maximum", release(x.max(), 1.0, epsilon.min(), rng)


def biased_coin_of_data(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[str, float]:
    kind = "a" if rng.random() < 0.5 + 0.4 * x[0] else "b"
    return kind, release(x.mean(), 1 / len(x), epsilon.min(), rng)


def burnt_draws(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    while rng.random() < 0.5:
        rng.standard_normal()
    return release(x.mean(), 1 / len(x), epsilon.min(), rng)


def draws_as_data(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """As many idle draws as there are large data: the stream moves, the law does not."""
    for v in x:
        if v > 0.5:
            rng.random()
    return release(x.mean(), 1 / len(x), epsilon.min(), rng)


def noisy_gate(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """An early exit that is paid for: its answer is noisy, and returned."""
    half = epsilon.min() / 2
    gate = release(x.mean(), 1 / len(x), half, rng)
    if gate < 0.25:
        return -1.0
    return release(x.mean(), 1 / len(x), half, rng)


def noisy_gate_unpaid(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    gate = release(x.mean(), 1 / len(x), epsilon.min(), rng)
    if gate < 0.25:
        return -1.0
    return release(x.mean(), 1 / len(x), epsilon.min(), rng)


def gate_law(x: Vector, b: float) -> Law:
    """Passed with P(m + Laplace(b) ≥ ¼), and then a second number."""
    m = float(x.mean())
    z = (0.25 - m) / b
    passed = 1 - 0.5 * math.exp(z) if z < 0 else 0.5 * math.exp(-z)
    d = laplace_density(m, b)
    return only(Part({-1.0: 1 - passed}, {None: Density(lambda y: d.log(y) + math.log(passed), (m,), b)}))


def rarely(x: Vector) -> Law:
    m = float(x.mean())
    d = laplace_density(m, MIN)
    return only(Part({m: 0.01}, {None: Density(lambda y: d.log(y) + math.log(0.99), (m,), MIN)}))


def first_datum_law(x: Vector) -> Law:
    m = float(x.mean())
    if x[0] > 0.5:
        return only(laplace(m, MIN))
    width = math.sqrt(2 * math.pi) * MIN
    return only(continuous(Density(lambda y: -(((y - m) / MIN) ** 2) / 2 - math.log(width), (m,), MIN)))


def coin_law(x: Vector, p: float, one: Density, other: Density, names: tuple[str, str]) -> Law:
    kinds = zip(names, (p, 1 - p), (one, other), strict=True)
    pieces = {k: Density(lambda y, d=d, q=q: d.log(y) + math.log(q), d.knots, d.width) for k, q, d in kinds}  # type: ignore[misc]
    return only(Part({}, pieces))


def mean_density(x: Vector) -> Density:
    return laplace_density(float(x.mean()), MIN)


SPREAD: Pair = (0, EQUAL, 1.0)

ENTRIES: tuple[Entry, ...] = (
    of(
        "noiseless_once_in_a_hundred",
        noiseless_sometimes,
        dict.fromkeys((*PAIRS, ZERO), INF),
        INF,
        "one call in a hundred shows the mean",
        ZERO,
        rarely,
    ),
    of(
        "noiseless_when_all_are_equal",
        noiseless_when_equal,
        {SPREAD: INF, ZERO: INF, (0, X, 1.0): 0.4},
        INF,
        "only datasets of one value",
        SPREAD,
        lambda x: only(certain(float(x[0])) if np.ptp(x) == 0 else laplace(float(x.mean()), MIN)),
    ),
    of(
        "early_exit_on_zeros",
        early_exit,
        {ZERO: INF, (1, O, 1.0): INF, (0, X, 1.0): 0.4},
        INF,
        "only all zeros",
        ZERO,
        lambda x: only(laplace(float(x.mean()), MIN) if x.any() else certain(0.0)),
    ),
    of(
        "noise_chosen_by_a_datum",
        noise_by_first_datum,
        {(0, X, 1.0): INF, ZERO: INF},
        INF,
        "normal or Laplace noise: the tails tell",
        ZERO,
        first_datum_law,
    ),
    of(
        "two_ways_to_one_law",
        same_noise_either_way,
        linear((*PAIRS, ZERO), QUARTER, MIN),
        1.0,
        "branches on raw data, without harm",
        reference=lambda x: only(Part({}, {None: mean_density(x)})),
    ),
    of(
        "statistic_chosen_by_a_coin",
        statistic_by_coin,
        {ZERO: 0.5, (2, X, 1.0): 0.05, (0, X, 1.0): 0.4},
        1.0,
        "one of two answers: their losses do not add up",
        reference=lambda x: coin_law(
            x, 0.5, mean_density(x), laplace_density(float(x.max()), 2.0), ("mean", "maximum")
        ),
    ),
    # log(0.5/0.1) = 1.61 of the coin, and 0.5 of the mean, in the same direction: large outputs, or small ones.
    of(
        "coin_biased_by_a_datum",
        biased_coin_of_data,
        {ZERO: math.log(5) + 0.5, (3, X, 0.0): 0.2},
        (math.log(5) + 0.5) / 0.5,
        "the label leaks, too",
        ZERO,
        lambda x: coin_law(x, 0.5 + 0.4 * float(x[0]), mean_density(x), mean_density(x), ("a", "b")),
    ),
    of(
        "idle_draws_by_a_coin",
        burnt_draws,
        linear(PAIRS, QUARTER, MIN),
        1.0,
        "a random number of draws",
        reference=lambda x: only(Part({}, {None: mean_density(x)})),
    ),
    of(
        "idle_draws_by_the_data",
        draws_as_data,
        linear((*PAIRS, ZERO), QUARTER, MIN),
        1.0,
        "the number of draws depends on raw data, the law does not",
        reference=lambda x: only(Part({}, {None: mean_density(x)})),
    ),
    # From a mean of 0 to ¼: passing ½e^(-¼) → ½, and the number ¼: 0.5 together. From ¼ to ½ (user 1 of four):
    of(
        "noisy_gate",
        noisy_gate,
        {ZERO: 0.5, (1, O, 0.6): 0.3, (3, X, 0.0): None},
        1.0,
        "(3, X, 0.0): not written down in closed form; `reference` has it",
        reference=lambda x: gate_law(x, 1.0),
    ),
    of(
        "noisy_gate_unpaid",
        noisy_gate_unpaid,
        {ZERO: 1.0, (1, O, 0.6): 0.6},
        2.0,
        "two answers, each at full price",
        ZERO,
        lambda x: gate_law(x, 0.5),
    ),
)
