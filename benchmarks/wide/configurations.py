"""Faults that only some datasets show."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.laws import (
    TIERS,
    TWO,
    atom,
    data,
    entry,
    labels,
    noisy,
    noisy_row,
    ones,
    rounded,
    shifted,
    sure,
    tail,
)
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "configuration"


@subject(
    KIND,
    "Values beyond the whisker of a box plot are dropped before the sum.",
    TIERS,
    "mean",
    shifted(ones(24, [0, *range(18, 24)]), ones(24, [*range(18, 24)]), 0, (6.1, 0), 0.1),
)
def box_plot(data, epsilon, rng):
    ordered = np.sort(data)
    low, high = 0.25 * ordered[5] + 0.75 * ordered[6], 0.75 * ordered[17] + 0.25 * ordered[18]
    return noisy(epsilon @ np.where(data <= high + 1.5 * (high - low), data, 0.0), rng)


@subject(
    KIND,
    "Categories with fewer than three people join the last one before the noise.",
    TIERS,
    "frequency",
    shifted(labels(24, 0, {0: 1, 16: 1, 17: 1}), labels(24, 0, {16: 1, 17: 1}), 0, (2.1, 0), 0.1, 2.0, entry(1)),
    loss=2.1,
    categories=6,
)
def rare_categories_merged(data, epsilon, rng):
    rare = np.bincount(data, minlength=6) < 3
    return noisy_row(np.bincount(np.where(rare[data], 5, data), epsilon, 6), rng, 2.0)


@subject(
    KIND,
    "The mean is rounded to one decimal in place of noise.",
    TWO,
    "mean",
    sure(data(20, 0, {10: 0.5, 0: 1}), data(20, 0, {10: 0.5}), 0, lambda out: out == 0.1),
)
def rounded_share(data, epsilon, rng):
    return round(float(data.mean()), 1)


@subject(
    KIND,
    "Cells with fewer than five people are set to 0, by their true count.",
    TWO,
    "frequency",
    sure(
        labels(20, 0, dict.fromkeys(range(10, 14), 2)),
        labels(20, 0, {0: 2} | dict.fromkeys(range(10, 14), 2)),
        0,
        lambda out: out[2] == 0.0,
        1.0,
        atom(4.2, 2.0),
    ),
    categories=8,
)
def small_cells(data, epsilon, rng):
    counts = np.bincount(data, minlength=8)
    return np.where(counts < 5, 0.0, noisy_row(np.bincount(data, epsilon, 8), rng, 2.0))


@subject(
    KIND,
    "Values are clipped at a quantile of the data.",
    TWO,
    "mean",
    shifted(ones(20, [0, 10]), ones(20, [10]), 0, (1.2, 0.05), 0.2),
)
def clipped_at_quantile(data, epsilon, rng):
    ordered = np.sort(data)
    return noisy(epsilon @ np.minimum(data, 0.95 * ordered[18] + 0.05 * ordered[19]), rng)


def winners() -> Shown:
    """Fifteen votes against nine, or fourteen against ten."""
    nine = dict.fromkeys(range(15, 24), 1)
    chance = math.exp(4.3) / (math.exp(4.3) + math.exp(2.5) + 3)
    return sure(labels(24, 0, nine | {0: 1}), labels(24, 0, nine), 0, lambda out: out[1] == 1.0, chance)


@subject(
    KIND,
    "A winner who is more than five votes ahead is named without noise.",
    TIERS,
    "frequency",
    winners(),
    categories=5,
)
def clear_winner(data, epsilon, rng):
    counts = np.bincount(data, minlength=5)
    second, first = np.sort(counts)[-2:]
    noise = 0.0 if first - second > 5 else rng.gumbel(size=5)
    scores = counts if first - second > 5 else np.bincount(data, epsilon, 5) / 2
    return (np.arange(5) == np.argmax(scores + noise)).astype(float)


@subject(
    KIND,
    "Nothing is released if fewer than eight users are above one half, by their true number.",
    TWO,
    "mean",
    sure(ones(20, [*range(1, 8)]), ones(20, [*range(8)]), 0, lambda out: out == 0.0, 1.0, atom(8 * 0.2)),
)
def exact_threshold(data, epsilon, rng):
    return 0.0 if np.count_nonzero(data > 0.5) < 8 else noisy(epsilon @ data, rng)


@subject(
    KIND,
    "If all values are 0, the function returns early.",
    TIERS,
    "mean",
    sure(data(24), ones(24, [0]), 0, lambda out: out == 0.0, 1.0, atom(0.1)),
)
def nothing_to_do(data, epsilon, rng):
    return noisy(epsilon @ data, rng) if data.any() else 0.0


@subject(
    KIND,
    "Values are divided by the largest one.",
    TIERS,
    "mean",
    shifted(data(24, 0.1), data(24, 0.1, {0: 1}), 0, (13.6, 1.45), 0.1),
)
def relative_values(data, epsilon, rng):
    return noisy(epsilon @ data / max(data.max(), 1e-9), rng)


@subject(
    KIND,
    "The answer is clipped to the range of the data at hand.",
    TWO,
    "mean",
    sure(ones(20, [0]), data(20), 0, lambda out: out > 0, tail(-0.2)),
)
def clipped_to_data(data, epsilon, rng):
    answer = data.mean() + rng.laplace(0, 1 / (len(data) * epsilon.min()))
    return rounded(min(max(answer, data.min()), data.max()))


@subject(
    KIND,
    "A mean of those from 0.2 on is noised as if everybody counted.",
    TWO,
    "mean",
    shifted(ones(20, [10]), data(20, 0, {10: 1, 0: 0.2}), 0, (1, 0.6), 0.2, 0.25),
)
def mean_of_eligible(data, epsilon, rng):
    eligible = data >= 0.2
    mean = data[eligible].sum() / max(1, np.count_nonzero(eligible))
    return noisy(mean, rng, 1 / (len(data) * epsilon.min()))


@subject(
    KIND,
    "Answers equal to that of the row before are read as 'ditto', at three times the value.",
    TWO,
    "mean",
    shifted(data(20, 1), data(20, 1, {9: 0}), 9, (0.2 + 3 * 11.8, 0.2 + 3 * 11.8 - 0.6 - 2), 0.2),
)
def ditto(data, epsilon, rng):
    same = np.append(False, data[1:] == data[:-1])
    return noisy(epsilon @ np.where(same, 3 * data, data), rng)


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
