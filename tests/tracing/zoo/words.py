"""Noisy answers that leave as words, marks and bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.tracing.zoo.entry import Entry, Pair, Vector
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import (
    Law,
    certain,
    discrete,
    laplace,
    laplace_cdf,
    only,
)
from tests.tracing.zoo.means import MIN, D, O, X
from tests.tracing.zoo.outputs import (
    kept,
    lattice,
    noisy,
)

ACROSS: Pair = (0, (0.9, 0.5, 0.9, 0.3), 0.0)  # the mean falls from 0.65 to 0.425


def word(x: Vector, epsilon: Vector, rng: np.random.Generator) -> str:
    return "high" if noisy(x, epsilon, rng) > 0.5 else "low"


def grade(x: Vector, epsilon: Vector, rng: np.random.Generator) -> str:
    return "CBA"[int(np.digitize(noisy(x, epsilon, rng), [0.3, 0.6]))]


def raw_word(x: Vector, epsilon: Vector, rng: np.random.Generator) -> str:
    level = "high" if x.mean() > 0.5 else "low"
    return f"{level} {noisy(x, epsilon, rng):.1f}"


def threshold_drawn(x: Vector, epsilon: Vector, rng: np.random.Generator) -> bool:
    """A noisy threshold is a noisy answer."""
    return bool(x.mean() >= 0.5 + rng.laplace(0, 1 / (len(x) * epsilon.min())))


def uniform_threshold(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    return int(x.mean() > rng.random())


def dictionary(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[Any, ...]:
    half = epsilon.min() / 2
    report = {
        "mean": float(x.mean() + rng.laplace(0, 1 / (len(x) * half))),
        "many": bool((x >= 0.5).sum() + rng.laplace(0, 1 / half) > 2),
    }
    return tuple(part for item in sorted(report.items()) for part in item)


def above(x: Vector, edges: tuple[float, ...], names: tuple[Any, ...]) -> Law:
    z = [laplace_cdf((edge - float(x.mean())) / MIN) for edge in edges]
    return only(discrete(dict(zip(names, np.diff([0.0, *z, 1.0]), strict=True))))


# ½e^(-0.3) against 1 - ½e^(-0.15), and the complements: means 0.65 and 0.425, (m - 0.5)/b = 0.3 and -0.15.
WORD = max(
    math.log((1 - 0.5 * math.exp(-0.15)) / (0.5 * math.exp(-0.3))),
    math.log((1 - 0.5 * math.exp(-0.3)) / (0.5 * math.exp(-0.15))),
)


VOTED = (0.2, 0.4, 0.9, 0.4)  # one of four votes


ENTRIES: tuple[Entry, ...] = (
    # Both means on one side of 0.5: the whole loss. Across it: less.
    kept(
        "high_or_low",
        word,
        lambda x: above(x, (0.5,), ("low", "high")),
        "strings",
        also={ACROSS: WORD},
    ),
    kept("threshold_is_drawn", threshold_drawn, lambda x: above(x, (0.5,), (False, True)), also={ACROSS: WORD}),
    Entry(
        "grade",
        grade,
        "mean",
        4,
        None,
        D,
        True,
        {(1, O, 1.0): 0.5, (3, O, 1.0): 0.5, (0, X, 1.0): 0.4},
        1.0,
        "three strings; the outer ones have the whole loss",
        reference=lambda x: above(x, (0.3, 0.6), ("C", "B", "A")),
    ),
    Entry(
        "raw_word_beside_noisy_number",
        raw_word,
        "mean",
        4,
        None,
        D,
        False,
        {(0, X, 1.0): math.inf, ACROSS: math.inf, (1, O, 1.0): 0.5},
        math.inf,
        "the word is not noisy",
        breaks=ACROSS,
        reference=lambda x: Law(
            (certain("high" if x.mean() > 0.5 else "low"), lattice(float(x.mean()), MIN, 0.1, 150)),
            lambda y: (y.split()[0], round(10 * float(y.split()[1]))),
        ),
    ),
    # P(1) is the mean: 0.5 → 0.7. From a mean of 0 any other is told apart.
    Entry(
        "uniform_threshold",
        uniform_threshold,
        "mean",
        4,
        None,
        D,
        False,
        {ZERO: math.inf, (0, X, 1.0): math.log(0.5 / 0.3)},
        math.inf,
        "a fair coin, but not for a mean of 0",
        breaks=ZERO,
        reference=lambda x: only(discrete({1: float(x.mean()), 0: 1 - float(x.mean())})),
    ),
    # Mean: change/4 over 1/(4·0.25), so change/4. Votes: Laplace(4), 1 → 2 of them against 2: ½e^(-1/4) against ½.
    Entry(
        "dictionary_as_a_tuple",
        dictionary,
        "mean",
        4,
        None,
        D,
        True,
        {(0, VOTED, 1.0): 0.8 / 4 + 0.25, (0, VOTED, 0.4): 0.05, ZERO: 0.5},
        1.0,
        "('many', …, 'mean', …)",
        reference=lambda x: Law(
            (
                discrete(
                    {True: laplace_cdf(((x >= 0.5).sum() - 2) / 4), False: laplace_cdf((2 - (x >= 0.5).sum()) / 4)}
                ),
                laplace(float(x.mean()), 1.0),
            ),
            lambda y: (y[1], y[3]),
        ),
    ),
)
