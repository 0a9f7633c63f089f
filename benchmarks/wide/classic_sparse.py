"""Six sparse vector mechanisms, numbered like the algorithms of Lyu et al. (2017); the first two are correct.

A threshold of 0 gets noise; answers are compared with it one after the other. Probabilities are integrals over the
threshold's noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.wide.classics import DEMAND, EPSILON, KIND, answers
from benchmarks.wide.laws import Array, best
from benchmarks.wide.subject import Shown, Subject, subject

# All kinks are at whole numbers: Gauss's rule on each interval between two of them is exact to the last digits.
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(12)
NODES = (np.arange(-100, 100)[:, None] + (POINTS + 1) / 2).ravel()
SHARES = np.tile(WEIGHTS / 2, 200)


def survival(x: Array) -> Array:
    """P(Laplace noise of scale 1 is at least x), for arrays."""
    return np.where(x >= 0, 0.5 * np.exp(-np.abs(x)), 1 - 0.5 * np.exp(-np.abs(x)))


def over_threshold(scale: float, chance: Callable[[Array], Array]) -> float:
    """The mean of a chance that depends on the threshold's noise of this scale."""
    return float(SHARES @ (chance(NODES) * np.exp(-np.abs(NODES) / scale) / (2 * scale)))


def first_hit(queries: Array, place: int, bar: float, scale: float) -> float:
    """P(the first answer that is above the threshold is the one at this place)."""

    def chance(rho: Array) -> Array:
        above = [survival((rho - q) / scale) for q in queries[0, : place + 1]]
        return math.prod((1 - each for each in above[:-1]), start=above[-1])

    return over_threshold(bar, chance)


def hits(sets: tuple[Array, Array], place: int, bar: float, scale: float) -> Shown:
    """The event that the first hit is at a place."""
    chances = [first_hit(each, place, bar, scale) for each in sets]
    return Shown(*sets, 0, lambda out: out.startswith("n" * place + "y"), *chances)


def compared(data: Array, bar: float, scale: float, most: float, rng: np.random.Generator) -> str:
    """A sign for each answer, until there are as many hits as may be."""
    rho, signs = rng.laplace(0, bar), ""
    for above in data[0] + rng.laplace(0, scale, data.shape[1]) >= rho:
        signs += "y" if above else "n"
        if signs.count("y") >= most:
            break
    return signs


RISING = answers(0, 0, 0, 0, 0, 1), answers(1, 1, 1, 1, 1, 0)


@subject(
    KIND,
    "Noise of scale 2/epsilon on the threshold, 4/epsilon on answers, one hit.",
    DEMAND,
    "custom",
    hits(RISING, 5, 2 / EPSILON, 4 / EPSILON),
    correct=True,
)
def svt_1(data, epsilon, rng):
    return compared(data, 2 / epsilon[0], 4 / epsilon[0], 1, rng)


@subject(
    KIND,
    "The threshold is drawn anew after a hit; two hits, twice the noise.",
    DEMAND,
    "custom",
    hits(RISING, 5, 4 / EPSILON, 8 / EPSILON),
    correct=True,
)
def svt_2(data, epsilon, rng):
    signs = ""
    while len(signs) < data.shape[1] and signs.count("y") < 2:
        signs += compared(data[:, len(signs) :], 4 / epsilon[0], 8 / epsilon[0], 1, rng)
    return signs


def valued_hit(queries: Array, cut: float) -> float:
    """P(all answers but the last are below the threshold, the last is above it and at most `cut`)."""
    scale = 2 / EPSILON

    def chance(rho: Array) -> Array:
        last = survival((rho - queries[0, -1]) / scale) - survival(np.array((cut - queries[0, -1]) / scale))
        return math.prod((1 - survival((rho - q) / scale) for q in queries[0, :-1]), start=np.maximum(last, 0))

    return over_threshold(2 / EPSILON, chance)


def told_value() -> Shown:
    """Six answers of -1 or 0 are below a threshold that the value of the seventh, at most `cut`, is above."""
    sets = answers(*[-1] * 6, 1), answers(*[0] * 6, 0)
    cuts = [(c, valued_hit(sets[0], c), valued_hit(sets[1], c)) for c in range(10)]
    cut, on_first, on_second = best(cuts, EPSILON)
    return Shown(*sets, 0, lambda out: len(out) == 7 and out[-1] != "n" and out[-1] <= cut, on_first, on_second)


@subject(
    KIND,
    "In place of a hit the noisy answer itself is told: no bound for many answers.",
    DEMAND,
    "custom",
    told_value(),
)
def svt_3(data, epsilon, rng):
    rho, told = rng.laplace(0, 2 / epsilon[0]), []
    for noisy in data[0] + rng.laplace(0, 2 / epsilon[0], data.shape[1]):
        told.append(round(float(noisy), 6) if noisy >= rho else "n")
        if noisy >= rho:
            break
    return told


@subject(
    KIND,
    "Noise of scale 4/epsilon on the threshold, 4/(3 epsilon) on answers, one hit: up to 1.75 times the demand.",
    DEMAND,
    "custom",
    hits((answers(-1, -1, -1, -1, 1), answers(0, 0, 0, 0, 0)), 4, 4 / EPSILON, 4 / (3 * EPSILON)),
)
def svt_4(data, epsilon, rng):
    return compared(data, 4 / epsilon[0], 4 / (3 * epsilon[0]), 1, rng)


BETWEEN = 0.5 * (1 - math.exp(-EPSILON / 2))


@subject(
    KIND,
    "No noise on answers, no end: no bound at all.",
    DEMAND,
    "custom",
    Shown(answers(0, 1), answers(1, 0), 0, lambda out: out == "ny", BETWEEN, 0.0),
)
def svt_5(data, epsilon, rng):
    return compared(data, 2 / epsilon[0], 0.0, math.inf, rng)


def difference(lower: int, upper: int, least: int) -> Callable[[Array], Array]:
    """P(at least this many more hits among five answers of `upper` than among five of `lower`), by the threshold."""
    scale = 2 / EPSILON

    def chance(rho: Array) -> Array:
        high, low = survival((rho - upper) / scale), survival((rho - lower) / scale)
        terms = [(i, j) for i in range(6) for j in range(6) if i - j >= least]
        return sum(binomial(i, high) * binomial(j, low) for i, j in terms)

    return chance


def binomial(hits: int, chance: Array) -> Array:
    """P(so many hits of five)."""
    return math.comb(5, hits) * chance**hits * (1 - chance) ** (5 - hits)


def endless() -> Shown:
    """Five answers below, five above, or the other way round."""
    mean = partial(over_threshold, 2 / EPSILON)
    events = [(m, mean(difference(0, 1, m)), mean(difference(1, 0, m))) for m in range(1, 6)]
    many, on_first, on_second = best(events, EPSILON)
    worst = math.log(events[-1][1] / events[-1][2])  # no output tells more than five misses and then five hits
    sets = answers(*[0] * 5, *[1] * 5), answers(*[1] * 5, *[0] * 5)

    def event(out):
        return out[5:].count("y") - out[:5].count("y") >= many

    return Shown(*sets, 0, event, on_first, on_second, worst)


@subject(
    KIND,
    "Noise of scale 2/epsilon on threshold and answers, no end: no bound for many answers.",
    DEMAND,
    "custom",
    endless(),
)
def svt_6(data, epsilon, rng):
    return compared(data, 2 / epsilon[0], 2 / epsilon[0], math.inf, rng)


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
