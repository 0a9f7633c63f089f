"""Correct mechanisms that publish a number after choices: thresholds, bounds, draws that are repeated."""

from __future__ import annotations

import numpy as np

from benchmarks.wide.laws import ODD, TIERS, TWO, noisy, rounded
from benchmarks.wide.subject import Subject, subject

KIND = "correct"


@subject(
    KIND,
    "A median by the exponential mechanism, with ranks that are weighted by demands.",
    ODD,
    "mean",
    correct=True,
)
def median_rightly(data, epsilon, rng):
    grid = np.arange(11) / 10
    score = -np.abs(np.sign(data - grid[:, None]) @ epsilon) / 2
    return float(grid[np.argmax(score / 2 + rng.gumbel(size=11))])


@subject(
    KIND,
    "A sum is told if a noisy count is large, else 0; each gets half of the demand.",
    TIERS,
    "mean",
    correct=True,
)
def noisy_threshold(data, epsilon, rng):
    count = epsilon @ (data > 0.5) / 2 + rng.laplace()
    return noisy(epsilon @ data / 2, rng) if count > 3 else 0.0


@subject(
    KIND,
    "A trimmed sum: bounds come from a noisy maximum, which costs half of the demand.",
    TWO,
    "mean",
    correct=True,
)
def bounds_from_noise(data, epsilon, rng):
    bound = min(max(data.max() + rng.laplace(0, 2 / epsilon.min()), 0.1), 1.0)
    return noisy(epsilon / 2 @ np.minimum(data, bound), rng)


@subject(
    KIND,
    "Noise is drawn anew until the sum is possible, at twice the scale, which pays for it.",
    TWO,
    "mean",
    correct=True,
)
def redraws_rightly(data, epsilon, rng):
    total, most = epsilon @ data, epsilon.sum()
    while not 0 <= (answer := total + rng.laplace(0, 2)) <= most:
        pass
    return rounded(answer)


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
