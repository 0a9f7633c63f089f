"""Faults that only some datasets show: their noise depends on the data."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.laws import CROWD, ODD, TIERS, TWO, atom, best, data, noisy, ones, rounded, shifted, sure, tail
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "configuration"


@subject(
    KIND,
    "The noise is scaled to the range of the data at hand.",
    TWO,
    "mean",
    sure(data(20), ones(20, [0]), 0, lambda out: out == 0.0, 1.0, atom(0.05, 0.25)),
)
def noise_by_range(data, epsilon, rng):
    spread = data.max() - data.min()
    return noisy(data.mean(), rng, spread / (len(data) * epsilon.min()))


@subject(
    KIND,
    "The noise is scaled to the standard deviation of the data, with a floor.",
    CROWD,
    "mean",
    shifted(ones(100, [3]), data(100), 3, (0.3, 0), 0.3, 0.2),
)
def noise_by_deviation(data, epsilon, rng):
    return noisy(epsilon @ data, rng, max(0.2, 2 * data.std()))


@subject(
    KIND,
    "The median is noised as if it moved by 2/n.",
    ODD,
    "mean",
    shifted(ones(21, [0, *range(11, 21)]), ones(21, [*range(11, 21)]), 0, (1, 0), 0.2, 2 / (21 * 0.2)),
)
def noisy_median(data, epsilon, rng):
    return noisy(np.sort(data)[10], rng, 2 / (len(data) * epsilon.min()))


@subject(
    KIND,
    "Noise is scaled to the median distance from the median, which is 0 if most values are equal.",
    ODD,
    "mean",
    sure(
        data(21, 0.3, dict.fromkeys(range(11, 21), 1.0)),
        data(21, 1.0, dict.fromkeys(range(1, 11), 0.3)),
        0,
        lambda out: out == 0.3,
    ),
)
def median_distance(data, epsilon, rng):
    middle = np.sort(data)[10]
    distance = np.sort(np.abs(data - middle))[10]
    return noisy(middle, rng, 40 * distance / (len(data) * epsilon.min()))


@subject(
    KIND,
    "Where fewer than three users are above one half, a quarter of the noise is thought to do.",
    TIERS,
    "mean",
    shifted(ones(24, [8]), data(24), 8, (0.5, 0), 0.5, 0.25),
)
def sparse_bonus(data, epsilon, rng):
    return noisy(epsilon @ data, rng, 0.25 if np.count_nonzero(data > 0.5) < 3 else 1.0)


def redrawn() -> Shown:
    """The sum is 0 or 1, and noise is drawn until the answer is from 0 to 12: the loss is at the lower end."""
    inside = [1 - tail(0) - tail(12), 1 - tail(1) - tail(11)]
    events = [
        (t, (tail(0) - tail(t)) / inside[0], (tail(1 - t) - tail(1)) / inside[1]) for t in np.linspace(0.02, 0.6, 59)
    ]
    cut, on_first, on_second = best(events, 1.0)
    loss = 1 + math.log(inside[1] / inside[0])
    return Shown(data(20), ones(20, [15]), 15, lambda out: out <= cut, on_first, on_second, loss)


@subject(KIND, "Noise is drawn anew until the sum is possible.", TWO, "mean", redrawn())
def redraws_until_valid(data, epsilon, rng):
    total, most = epsilon @ data, epsilon.sum()
    while not 0 <= (answer := total + rng.laplace()) <= most:
        pass
    return rounded(answer)


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
