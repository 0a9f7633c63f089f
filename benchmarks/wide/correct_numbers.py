"""Correct mechanisms that publish a number; tight ones lose exactly what was demanded."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.laws import (
    HIGH,
    SPREAD,
    TIERS,
    TWO,
    Array,
    data,
    keep,
    noisy,
    rounded,
    tail,
)
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "correct"


def one(epsilon: Array, user: int, on_first: float, at: float, **others: float) -> Shown:
    """One user at 1 in place of 0; outputs from `at` on have just the odds that the demand allows."""
    value, base = others.get("value", 1.0), others.get("base", 0.0)
    first, second = data(len(epsilon), base, {user: value}), data(len(epsilon), base)
    return Shown(first, second, user, lambda out: out >= at, on_first, on_first * math.exp(-epsilon[user]))


@subject(
    KIND,
    "Weights are the demands, noise has scale 1.",
    TIERS,
    "mean",
    one(TIERS, 8, 0.5, 0.5),
    correct=True,
    tight=True,
)
def weighted_sum(data, epsilon, rng):
    return noisy(epsilon @ data, rng)


@subject(
    KIND,
    "The same, and the answer is clipped to what is possible.",
    SPREAD,
    "mean",
    one(SPREAD, 16, 0.5, 1.0),
    correct=True,
    tight=True,
)
def clipped_to_public_bounds(data, epsilon, rng):
    return rounded(min(max(epsilon @ data + rng.laplace(), 0.0), epsilon.sum()))


@subject(
    KIND,
    "An alert by randomised response for the smallest demand.",
    TWO,
    "mean",
    one(TWO, 0, keep(0.2), 1.0),
    correct=True,
    tight=True,
)
def any_alert_rightly(data, epsilon, rng):
    return float(bool((data > 0.9).any()) == (rng.random() < keep(epsilon.min())))


@subject(
    KIND,
    "The maximum with noise for the smallest demand.",
    TWO,
    "mean",
    one(TWO, 0, 0.5, 1.0),
    correct=True,
    tight=True,
)
def highest_bid_rightly(data, epsilon, rng):
    return noisy(data.max(), rng, 1 / epsilon.min())


@subject(
    KIND,
    "Parity, randomised for the smallest demand.",
    HIGH,
    "mean",
    one(HIGH, 0, keep(0.5), 1.0),
    correct=True,
    tight=True,
)
def parity_rightly(data, epsilon, rng):
    odd = np.count_nonzero(data >= 0.5) % 2 == 1
    return float(odd == (rng.random() < keep(epsilon.min())))


@subject(
    KIND,
    "The number of distinct levels with noise for the smallest demand.",
    HIGH,
    "mean",
    one(HIGH, 0, 0.5, 2.0),
    correct=True,
    tight=True,
)
def distinct_levels_rightly(data, epsilon, rng):
    return noisy(len(set(np.rint(10 * data).tolist())), rng, 1 / epsilon.min())


def geometric_tail(ratio: float) -> float:
    """P(two-sided geometric noise is at least 0)."""
    return 1 / (1 + ratio)


@subject(
    KIND,
    "Whole units, one for each half of a demand, with two-sided geometric noise.",
    HIGH,
    "mean",
    one(HIGH, 0, geometric_tail(math.exp(-0.5)), 1.0),
    correct=True,
    tight=True,
)
def whole_units(data, epsilon, rng):
    units = np.rint(2 * epsilon) @ (data > 0.5)
    return float(units + rng.geometric(1 - math.exp(-0.5)) - rng.geometric(1 - math.exp(-0.5)))


SAMPLED = np.log1p((np.exp(TIERS) - 1) / 0.5)


@subject(
    KIND,
    "Everybody is sampled with probability 1/2, and weights make up for it.",
    TIERS,
    "mean",
    one(TIERS, 20, 0.5 * 0.5 + 0.5 * tail(SAMPLED[20]), SAMPLED[20]),
    correct=True,
    tight=True,
)
def half_sampled(data, epsilon, rng):
    weights = np.log1p((np.exp(epsilon) - 1) / 0.5)
    return noisy(weights @ np.where(rng.random(len(data)) < 0.5, data, 0.0), rng)


CHANCE = math.expm1(0.2) / math.expm1(1.0)


@subject(
    KIND,
    "Users are sampled by their demand, then a sum is released for the largest demand.",
    TWO,
    "mean",
    one(TWO, 0, CHANCE * 0.5 + (1 - CHANCE) * tail(1.0), 1.0),
    correct=True,
    tight=True,
)
def sampled_by_demand(data, epsilon, rng):
    top = epsilon.max()
    taken = rng.random(len(data)) < np.expm1(epsilon) / math.expm1(top)
    return noisy(np.where(taken, data, 0.0).sum(), rng, 1 / top)


@subject(
    KIND,
    "The mean with noise for the smallest demand.",
    TIERS,
    "mean",
    one(TIERS, 0, 0.5, 1 / 24),
    correct=True,
    tight=True,
)
def smallest_demand(data, epsilon, rng):
    return noisy(data.mean(), rng, 1 / (len(data) * epsilon.min()))


@subject(
    KIND,
    "A steep bump of the values that stays from 0 to 1, told by its weighted sum.",
    SPREAD,
    "mean",
    one(SPREAD, 16, 0.5, 1.0, value=0.25),
    correct=True,
    tight=True,
)
def steep_bump(data, epsilon, rng):
    return noisy(epsilon @ (np.abs(data - 0.25) < 0.01), rng)


@subject(
    KIND,
    "Odd digits of the values count, even ones do not.",
    HIGH,
    "mean",
    one(HIGH, 15, 0.5, 2.0, value=0.1),
    correct=True,
    tight=True,
)
def odd_digits(data, epsilon, rng):
    return noisy(epsilon @ (np.rint(10 * data) % 2), rng)


@subject(
    KIND,
    "Refused answers, at 0.5, count as a public 0.3; one call in a hundred fails and returns -1.",
    TIERS,
    "mean",
    one(TIERS, 8, 0.99 * 0.5, 0.5),
    correct=True,
    tight=True,
)
def imputed_by_a_constant(data, epsilon, rng):
    if rng.random() < 0.01:
        return -1.0
    return noisy(epsilon @ np.where(data == 0.5, 0.3, data), rng)


@subject(
    KIND,
    "Staircase noise: steps of the width that one user moves.",
    np.full(20, 1.0),
    "mean",
    one(np.full(20, 1.0), 3, keep(1.0), 0.5),
    correct=True,
    tight=True,
)
def staircase(data, epsilon, rng):
    steps = rng.geometric(1 - math.exp(-1)) - 1
    size = steps + (rng.random() * 0.5 if rng.random() < 1 / (1 + math.exp(-1)) else 0.5 + rng.random() * 0.5)
    return rounded(data.sum() + (size if rng.random() < 0.5 else -size))


MIXED = np.repeat([0.0, 0.5, 1.0, np.inf], [4, 8, 6, 2])


@subject(
    KIND,
    "Users who demand 0 are left out, public ones are used as they are.",
    MIXED,
    "mean",
    one(MIXED, 6, 0.5, 0.5),
    correct=True,
    tight=True,
)
def nobody_and_public(data, epsilon, rng):
    public = np.isinf(epsilon)
    return noisy(np.where(public, 10.0, epsilon) @ data, rng)


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
