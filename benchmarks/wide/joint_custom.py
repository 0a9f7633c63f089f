"""Faults that only the joint law of several outputs shows, where the two datasets are given to the audit."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.laws import HIGH, TWO, at_least, best, data, keep, noisy, rounded, sure, tail
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "joint"


@subject(
    KIND,
    "Two noisy scores have fixed marginal laws, and a correlation that says yes or no in four calls of five.",
    HIGH[9:],
    "custom",
    Shown(data(11, 0, {0: 1}), data(11), 0, lambda out: out[0] * out[1] > 0, 0.8, 0.2),
)
def told_by_correlation(data, epsilon, rng):
    score = rng.normal()
    alike = (data[0] > 0.5) == (rng.random() < 0.8)
    size = abs(rng.normal())
    return [rounded(score), rounded(math.copysign(size, score) if alike else -math.copysign(size, score))]


def spelled() -> Shown:
    """Eight letters, each kept with the probability that the whole demand allows."""
    events = [(m, at_least(m, 8, keep(0.5)), at_least(m, 8, keep(-0.5))) for m in range(1, 9)]
    many, on_first, on_second = best(events, 0.5)
    first, second = np.zeros((3, 8)), np.zeros((3, 8))
    first[0] = 1
    return Shown(first, second, 0, lambda out: out[0].count("b") >= many, on_first, on_second, 4.0)


@subject(KIND, "Each of a user's eight symbols may lose the whole demand.", HIGH[8:11], "custom", spelled())
def symbols(data, epsilon, rng):
    truth = rng.random(data.shape) < 1 / (1 + np.exp(-epsilon))[:, None]
    return ["".join("ab"[bit] for bit in row) for row in np.where(truth, data, 1 - data).astype(int).tolist()]


def twice() -> Shown:
    """Two independent copies of a sum that moves by the demand: both on the right side of a cut."""
    events = [(c, tail(c - 1) ** 2, tail(c) ** 2) for c in np.linspace(0, 1, 33)]
    cut, on_first, on_second = best(events, 1.0)
    return Shown(data(20, 0, {15: 1}), data(20), 15, lambda out: min(out) >= cut, on_first, on_second, 2.0)


@subject(KIND, "A retry publishes the same sum again, with new noise.", TWO, "custom", twice())
def two_releases(data, epsilon, rng):
    total = epsilon @ data
    return noisy(total, rng), noisy(total, rng)


@subject(
    KIND,
    "Masks of a secure aggregation are used for two users.",
    TWO[8:12],
    "custom",
    sure(
        np.array([0.3, 0.7, 0.5, 0.5]),
        np.array([0.8, 0.7, 0.5, 0.5]),
        0,
        lambda out: round((out[0] - out[1]) % 1, 3) == 0.6,
    ),
)
def reused_mask(data, epsilon, rng):
    masks = np.repeat(rng.random(2), 2)
    return np.round((data + masks) % 1, 6)


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
