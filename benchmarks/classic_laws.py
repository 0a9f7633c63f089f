"""Classic mechanisms of the field from their descriptions, each on its most telling pair, with both laws known.

Those of DP-Sniper's suite have its parameters (epsilon = 0.1, five or ten queries, neighbours that may move every query
by 1); noise is drawn by numpy, all outputs of a request at once. `odds` is log p1/p0 of an output, derived by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import laplace

Floats = NDArray[np.float64]
Draw = Callable[[Floats, np.random.Generator, int], Floats]

EPSILON = 0.1
ON_GRID = np.linspace(-60.0, 60.0, 6001)  # in scales of the threshold's noise


@dataclass(frozen=True)
class Classic:
    """A mechanism, the two datasets, and the odds of an output; `true` is its loss over all pairs."""

    name: str
    first: Floats
    second: Floats
    draw: Draw
    odds: Callable[[Floats], Floats]
    width: int
    true: float
    broken: bool = False  # it was published as private at EPSILON, and is not


def shifted(name: str, scale: float, first: Floats, second: Floats, *, broken: bool = False) -> Classic:
    """Independent Laplace noise on each query."""
    size = first.size
    true = float(np.abs(second - first).sum() / scale)

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        return data + rng.laplace(0.0, scale, (calls, size))

    def odds(outputs: Floats) -> Floats:
        return (np.abs(outputs - first) - np.abs(outputs - second)).sum(axis=1) / scale

    return Classic(name, first, second, draw, odds, size, true, broken)


def prefix_sums(scale: float) -> Classic:
    """Prefix sums of ten noisy answers: successive differences are independent."""
    first, second = np.zeros(10), np.ones(10)

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        return np.cumsum(data + rng.laplace(0.0, scale, (calls, 10)), axis=1)

    def odds(outputs: Floats) -> Floats:
        own = np.diff(outputs, axis=1, prepend=0.0)
        return (np.abs(own) - np.abs(own - 1.0)).sum(axis=1) / scale

    return Classic("prefix sum", first, second, draw, odds, 10, 10.0 / scale)


def argmax(epsilon: float) -> Classic:
    """NoisyMax1: the place of the largest of five noisy answers."""
    first, second = np.array([0.0, 1.0, 1.0, 1.0, 1.0]), np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    scale = 2.0 / epsilon
    grid = ON_GRID * scale

    def wins(data: Floats) -> float:
        others = np.prod([laplace.cdf(grid - x, scale=scale) for x in data[1:]], axis=0)
        return float(np.trapezoid(laplace.pdf(grid - data[0], scale=scale) * others, grid))

    one, other = wins(second), wins(first)

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        return (data + rng.laplace(0.0, scale, (calls, 5))).argmax(axis=1)[:, None].astype(float)

    def odds(outputs: Floats) -> Floats:
        return np.where(outputs[:, 0] == 0, math.log(one / other), math.log((1.0 - one) / (1.0 - other)))

    return Classic("NoisyMax1", first, second, draw, odds, 1, epsilon)


def largest(name: str, epsilon: float, *, exponential: bool) -> Classic:
    """NoisyMax3 and 4: the largest noisy answer itself; all five queries move."""
    first, second, scale = np.zeros(5), np.ones(5), 2.0 / epsilon

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        noise = rng.exponential(scale, (calls, 5)) if exponential else rng.laplace(0.0, scale, (calls, 5))
        return (data + noise).max(axis=1)[:, None]

    def log_density(y: Floats) -> Floats:
        """Of 5 F⁴ f, without the 5."""
        if exponential:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(y > 0, 4.0 * np.log1p(-np.exp(-np.maximum(y, 0.0) / scale)) - y / scale, -np.inf)
        return np.asarray(4.0 * laplace.logcdf(y, scale=scale) + laplace.logpdf(y, scale=scale))

    def odds(outputs: Floats) -> Floats:
        return log_density(outputs[:, 0] - 1.0) - log_density(outputs[:, 0])

    return Classic(name, first, second, draw, odds, 1, math.inf if exponential else 2.5 * epsilon, broken=True)


def rappor(name: str, high: float, true: float) -> Classic:
    """Bits of a Bloom filter of four hashes in twenty bits; two values whose hashes are all different."""
    first, second = np.repeat([1.0, 0.0], [4, 16]), np.repeat([0.0, 1.0, 0.0], [4, 4, 12])

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        return (rng.random((calls, 20)) < np.where(data == 1.0, high, 1.0 - high)).astype(float)

    def odds(outputs: Floats) -> Floats:
        return (outputs @ (second - first)) * math.log(high / (1.0 - high)) * 2.0

    return Classic(name, first, second, draw, odds, 20, true)


def first_hit(name: str, bar: float, own: float, true: float, *, broken: bool) -> Classic:
    """SVT1 and 4: the place of the first of ten answers above a noisy threshold; noise of scale `bar`, and `own`."""
    first, second = np.repeat([0.0, 1.0], [9, 1]), np.repeat([1.0, 0.0], [9, 1])
    grid = ON_GRID * bar

    def chances(data: Floats) -> Floats:
        below = np.array([laplace.cdf(1.0 + grid - x, scale=own) for x in data])
        before = np.vstack([np.ones_like(grid), np.cumprod(below, axis=0)])
        hits = [*(before[i] * (1.0 - below[i]) for i in range(10)), before[10]]
        return np.array([np.trapezoid(laplace.pdf(grid, scale=bar) * hit, grid) for hit in hits])

    ratios = np.log(chances(second) / chances(first))

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        over = data + rng.laplace(0.0, own, (calls, 10)) >= 1.0 + rng.laplace(0.0, bar, (calls, 1))
        return np.where(over.any(axis=1), over.argmax(axis=1), 10)[:, None].astype(float)

    return Classic(name, first, second, draw, lambda out: ratios[out[:, 0].astype(int)], 1, true, broken)


def endless(name: str, bar: float, own: float) -> Classic:
    """SVT5 and 6: whether each of ten answers is above one noisy threshold, without an end; own noise of this scale."""
    first, second = np.repeat([0.0, 1.0], 5), np.repeat([1.0, 0.0], 5)
    grid = ON_GRID * bar

    def above(x: float) -> Floats:
        return (x >= 1.0 + grid).astype(float) if own == 0 else laplace.sf(1.0 + grid - x, scale=own)

    low, high, weight = above(0.0), above(1.0), laplace.pdf(grid, scale=bar)
    table = np.array([[_both(a, b, low, high, weight, grid) for b in range(6)] for a in range(6)])

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        noise = rng.laplace(0.0, own, (calls, 10)) if own else 0.0
        return (data + noise >= 1.0 + rng.laplace(0.0, bar, (calls, 1))).astype(float)

    def odds(outputs: Floats) -> Floats:
        left, right = (outputs[:, half].sum(axis=1).astype(int) for half in (slice(5), slice(5, 10)))
        with np.errstate(divide="ignore"):
            return np.log(table[right, left]) - np.log(table[left, right])

    return Classic(name, first, second, draw, odds, 10, math.inf, broken=True)


def _both(a: int, b: int, low: Floats, high: Floats, weight: Floats, grid: Floats) -> float:
    """So many of the five low answers above, and of the five high ones, as patterns of places."""
    chance = low**a * (1.0 - low) ** (5 - a) * high**b * (1.0 - high) ** (5 - b)
    return float(np.trapezoid(weight * chance, grid))


def covariance(correlation: float) -> Classic:
    """Two standard normal numbers whose correlation tells: nothing linear does. No loss bounds it."""

    def draw(data: Floats, rng: np.random.Generator, calls: int) -> Floats:
        one, other = rng.standard_normal((2, calls))
        own = correlation * (2.0 * data[0] - 1.0)
        return np.column_stack([one, own * one + math.sqrt(1.0 - own**2) * other])

    def odds(outputs: Floats) -> Floats:
        return 2.0 * correlation * outputs[:, 0] * outputs[:, 1] / (1.0 - correlation**2)

    return Classic("covariance", np.zeros(1), np.ones(1), draw, odds, 2, math.inf)


def ideal(classic: Classic, claimed: float, draws: int = 1_000_000, seed: int = 1) -> float:
    """Calls in which a bet of 10 nats on every coin is won that knows both laws: 10 over its growth per call.

    It bets on the coin's chance p given the output, against the nearest one that the claim allows.
    """
    rng = np.random.default_rng(seed)
    odds = np.concatenate(
        [classic.odds(classic.draw(data, rng, draws // 2)) for data in (classic.first, classic.second)]
    )
    gained = growth(odds, claimed)
    return 10.0 / gained if gained > 0 else math.inf


def growth(odds: Floats, claimed: float) -> float:
    """Nats in a call, where outputs come with these odds."""
    sure, allowed = expit(np.abs(odds)), expit(np.minimum(np.abs(odds), claimed))
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(sure < 1.0, (1.0 - sure) * np.log((1.0 - sure) / (1.0 - allowed)), 0.0)
    return float(np.mean(sure * np.log(sure / allowed) + lost))


def classics(epsilon: float = EPSILON) -> dict[str, Classic]:
    """All of them by name; those that were published as private promise this."""
    one = np.zeros(5), np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    found = [
        shifted("Laplace", 1.0 / epsilon, np.zeros(1), np.ones(1)),
        shifted("NoisyHist1", 1.0 / epsilon, *one),
        shifted("NoisyHist2", epsilon, *one, broken=True),
        argmax(epsilon),
        largest("NoisyMax3", epsilon, exponential=False),
        largest("NoisyMax4", epsilon, exponential=True),
        first_hit("SVT1", 2.0 / epsilon, 4.0 / epsilon, epsilon, broken=False),
        first_hit("SVT4", 4.0 / epsilon, 4.0 / (3.0 * epsilon), 1.75 * epsilon, broken=True),
        endless("SVT5", 2.0 / epsilon, 0.0),
        endless("SVT6", 2.0 / epsilon, 2.0 / epsilon),
        rappor("RAPPOR", 0.5125, 8.0 * math.log(0.5125 / 0.4875)),
        rappor("one-time RAPPOR", 0.525, 8.0 * math.log(0.525 / 0.475)),
        shifted("20 parallel Laplace", 20.0 / epsilon, np.zeros(20), np.ones(20)),
        prefix_sums(1.0 / epsilon),
        covariance(0.4),
    ]
    return {each.name: each for each in found}
