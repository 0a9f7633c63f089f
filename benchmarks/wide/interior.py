"""Faults in how values inside the range are treated: the ends of the range alone show little or nothing."""

from __future__ import annotations

import numpy as np

from benchmarks.wide.laws import (
    CROWD,
    HIGH,
    SPREAD,
    TIERS,
    TWO,
    Array,
    best,
    data,
    entry,
    labels,
    noisy,
    noisy_row,
    rounded,
    shifted,
    sure,
    tail,
)
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "interior"


def valued(epsilon: Array, user: int, first: float, second: float, worth: tuple[float, float]) -> Shown:
    """One user has two values, all others 0; what each is worth is weighted by the demand."""
    users, demand = len(epsilon), float(epsilon[user])
    sets = data(users, 0, {user: first}), data(users, 0, {user: second})
    return shifted(*sets, user, (demand * worth[0], demand * worth[1]), demand)


@subject(
    KIND,
    "0.5 is the form's default, and is imputed by 3 standard deviations.",
    TIERS,
    "mean",
    valued(TIERS, 8, 0.5, 0.0, (3, 0)),
)
def default_answer(data, epsilon, rng):
    return noisy(epsilon @ np.where(data == 0.5, 3.0, data), rng)


@subject(
    KIND,
    "One bin of forty is listed six times in a lookup table.",
    TWO,
    "mean",
    valued(TWO, 15, 0.449, 0.0, (6 * 0.449, 0)),
)
def repeated_bin(data, epsilon, rng):
    return noisy(epsilon @ np.where((data * 40).astype(int) == 17, 6 * data, data), rng)


@subject(
    KIND,
    "A refused answer has the code 0.25, and is stored as -2.",
    SPREAD,
    "mean",
    valued(SPREAD, 6, 1.0, 0.25, (1, -2)),
)
def refused_code(data, epsilon, rng):
    return noisy(epsilon @ np.where(data == 0.25, -2.0, data), rng)


@subject(
    KIND,
    "Values below 0.05 are taken for shares and turned into percent.",
    TIERS,
    "mean",
    valued(TIERS, 8, 0.0499, 0.0, (4.99, 0)),
)
def percent_guess(data, epsilon, rng):
    return noisy(epsilon @ np.where(data < 0.05, 100 * data, data), rng)


@subject(
    KIND,
    "The noise is rounded to cents, the sum is not, so that its further digits are exact.",
    TWO,
    "mean",
    sure(data(20, 0, {0: 0.005}), data(20), 0, lambda out: abs(100 * out - round(100 * out)) > 0.25),
)
def noise_in_cents(data, epsilon, rng):
    return rounded(data.sum() + round(rng.laplace(0, 1 / epsilon.min()), 2))


@subject(
    KIND,
    "A check digit of the third decimal, from 0 to 3, is not stripped off.",
    TIERS,
    "mean",
    valued(TIERS, 8, 0.999, 0.0, (3.999, 0)),
)
def check_digit_left(data, epsilon, rng):
    return noisy(epsilon @ (data + np.rint(1000 * data) % 4), rng)


@subject(
    KIND,
    "Each value's variance 12x(1 - x) goes up to 3, its range is taken for 1.",
    CROWD,
    "mean",
    valued(CROWD, 3, 0.5, 0.0, (3, 0)),
)
def hump(data, epsilon, rng):
    return noisy(epsilon @ (12 * data * (1 - data)), rng)


@subject(
    KIND,
    "Values from 0.6 to 0.7 are taken for inches.",
    TWO,
    "mean",
    valued(TWO, 15, 0.7, 0.0, (1.778, 0)),
)
def inches(data, epsilon, rng):
    return noisy(epsilon @ np.where((data >= 0.6) & (data <= 0.7), 2.54 * data, data), rng)


@subject(
    KIND,
    "Values just above one half tip the balance, and are counted four times over.",
    TIERS,
    "mean",
    valued(TIERS, 10, 0.5005, 0.0, (4, 0)),
)
def just_above_half(data, epsilon, rng):
    return noisy(epsilon @ np.where((data > 0.5) & (data < 0.501), 4.0, data), rng)


@subject(
    KIND,
    "Rates are inverted, up to 10, where 0 stays 0; their range is taken for 1.",
    TIERS,
    "mean",
    valued(TIERS, 2, 0.1, 0.0, (10, 0)),
)
def reciprocal(data, epsilon, rng):
    return noisy(epsilon @ np.where(data > 0, 1 / np.maximum(data, 0.1), 0.0), rng)


@subject(
    KIND,
    "One category of six is published as it is.",
    TIERS,
    "frequency",
    sure(labels(24, 0, {8: 3}), labels(24), 8, lambda out: out[3] > 0.25),
    categories=6,
)
def raw_category(data, epsilon, rng):
    scale = np.where(np.arange(6) == 3, 0.0, 2.0)
    return noisy_row(np.bincount(data, epsilon, 6), rng, scale)


@subject(
    KIND,
    "One category of forty gets an eighth of the noise.",
    CROWD,
    "frequency",
    shifted(labels(100, 0, {3: 31}), labels(100), 3, (0.3, 0), 0.3, 0.25, entry(31)),
    loss=4.5 * 0.3,
    categories=40,
)
def weak_category(data, epsilon, rng):
    scale = np.where(np.arange(40) == 31, 0.25, 2.0)
    return noisy_row(np.bincount(data, epsilon, 40), rng, scale)


@subject(
    KIND,
    "The severest category counts six times, the noise is for one.",
    TIERS,
    "frequency",
    shifted(labels(24, 0, {8: 7}), labels(24), 8, (3, 0), 0.5, 2.0, entry(7)),
    loss=3.5 * 0.5,
    categories=8,
)
def severity(data, epsilon, rng):
    worth = np.where(data == 7, 6.0, 1.0)
    return noisy_row(np.bincount(data, epsilon * worth, 8), rng, 2.0)


def aliased() -> Shown:
    """Three cells gain 2 and one loses 2, at noise of scale 2: all four on the right side of a cut."""
    cuts = [(c, tail(c - 1) ** 4, tail(c) ** 4) for c in np.linspace(0, 1, 33)]
    cut, on_first, on_second = best(cuts, 2.0)
    others = dict.fromkeys(range(20), 1)
    first, second = labels(20, 0, others | {15: 7}), labels(20, 0, others | {15: 0})

    def event(out):
        return out[0] <= 2 - 2 * cut and min(out[7:10]) >= 2 * cut

    return Shown(first, second, 15, event, on_first, on_second, 4.0)


@subject(
    KIND,
    "A name that begins two others is counted for all three.",
    HIGH,
    "frequency",
    aliased(),
    categories=12,
)
def alias(data, epsilon, rng):
    table = np.bincount(data, epsilon, 12)
    table[8:10] += table[7]
    return noisy_row(table, rng, 2.0)


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
