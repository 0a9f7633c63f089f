"""Demands and data by rule: the paper's where it gives one, ours with its variations where it does not.

All rules give log ε. `salary` is the paper's own (sec. B.2): log ε ~ −|bin − centre| + Uniform[−3, 3], bins from 1.
For its synthetic rows the paper says only that demands have "different distributions for users in different bins"; each
rule below is one reading of that, and the tables show all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Rule = Callable[[Integers, int, np.random.Generator], Floats]


def salary_rule(bins: Integers, count: int, rng: np.random.Generator) -> Floats:
    """log ε = −|bin − (k + 1)/2| + Uniform[−3, 3]: people in the middle care least."""
    return np.exp(-np.abs(bins + 1 - (count + 1) / 2) + rng.uniform(-3.0, 3.0, bins.size))


def growing(bins: Integers, count: int, rng: np.random.Generator) -> Floats:
    """ε ~ Uniform[0, (k/5)·j²] in bin j from 1: like the paper's rows it has a few tiny demands and many large ones."""
    return count / 5.0 * (bins + 1.0) ** 2 * rng.uniform(0.0, 1.0, bins.size)


def falling(fall: float) -> Rule:
    """The salary rule stretched to fall by so much from the middle to the ends, whatever k; 0 ties nothing."""

    def rule(bins: Integers, count: int, rng: np.random.Generator) -> Floats:
        return np.exp(0.5 * fall - fall * np.abs(_place(bins, count)) + rng.uniform(-3.0, 3.0, bins.size))

    return rule


def monotone(bins: Integers, count: int, rng: np.random.Generator) -> Floats:
    """Demands rise with the bin: log ε = 3·place + Uniform[−3, 3], place from −1 to 1."""
    return np.exp(3.0 * _place(bins, count) + rng.uniform(-3.0, 3.0, bins.size))


def alternating(bins: Integers, count: int, rng: np.random.Generator) -> Floats:
    """Even bins strict, Uniform[−5, −1]; odd bins relaxed, Uniform[−1, 3]."""
    del count
    return np.exp(np.where(bins % 2, -1.0, -5.0) + rng.uniform(0.0, 4.0, bins.size))


def one_hides(bins: Integers, count: int, rng: np.random.Generator) -> Floats:
    """Only the first bin hides: Uniform[−5, −3] there, Uniform[0, 3] elsewhere."""
    del count
    strict = bins == 0
    return np.exp(np.where(strict, -5.0, 0.0) + rng.uniform(0.0, 1.0, bins.size) * np.where(strict, 2.0, 3.0))


def _place(bins: Integers, count: int) -> Floats:
    return (2.0 * bins - (count - 1)) / max(count - 1, 1)


FALL = 4.0
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "growing": growing,
        "centre": falling(FALL),
        "monotone": monotone,
        "alternating": alternating,
        "one-hides": one_hides,
    }
)


def log_uniform(users: int, half_width: float, rng: np.random.Generator, upper: float | None = None) -> Floats:
    """log ε ~ Uniform[−w, w], whatever the data; up to `upper` where that is given."""
    return np.exp(rng.uniform(-half_width, half_width if upper is None else upper, users))


def equal_bins(users: int, count: int) -> Integers:
    """The same number of users in every bin."""
    return (np.arange(users) * count) // users


def skewed_bins(users: int, count: int) -> Integers:
    """Bin j holds a share proportional to 1/(j + 1)."""
    shares = np.cumsum(1.0 / np.arange(1, count + 1))
    return np.searchsorted(shares / shares[-1], (np.arange(users) + 0.5) / users).astype(np.int64)
