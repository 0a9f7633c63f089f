"""Small counts that are suppressed, and caps that are private."""

from __future__ import annotations

import math

import numpy as np

from tests.tracing.zoo.data_dependent import (
    INF,
)
from tests.tracing.zoo.entry import Entry, Pair, Vector
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import Density, Law, Part, certain, laplace, laplace_cdf, laplace_density, only
from tests.tracing.zoo.means import PAIRS, D, X


def suppressed_raw(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    count = int((x >= 0.5).sum())
    if count < 2:
        return 0.0
    return float(count + rng.laplace(0, 1 / epsilon.min()))


def suppressed_noisy(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    count = (x >= 0.5).sum() + rng.laplace(0, 1 / epsilon.min())
    return float(count) if count >= 2 else 0.0


def cap_from_noisy_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    half = epsilon.min() / 2
    cap = float(np.clip(x.max() + rng.laplace(0, 1 / half), 0.05, 1.0))
    return float(np.minimum(x, cap).mean() + rng.laplace(0, cap / (len(x) * half)))


def suppressed_law(x: Vector) -> Law:
    c = float((x >= 0.5).sum())
    d = laplace_density(c, 2.0)
    return only(Part({0.0: laplace_cdf((2 - c) / 2)}, {None: Density(d.log, (c, 2.0), 2.0, (2.0, math.inf))}))


def raw_suppressed_law(x: Vector) -> Law:
    c = float((x >= 0.5).sum())
    return only(certain(0.0) if c < 2 else laplace(c, 2.0))


VOTES: tuple[Pair, ...] = ((0, (0.0, 1.0, 1.0, 0.0), 1.0), (0, (0.0, 1.0, 1.0, 1.0), 0.4), (3, X, 0.0))


FEWER: Pair = (0, (1.0, 1.0, 0.0, 0.0), 0.0)


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "suppressed_by_raw_count",
        suppressed_raw,
        "mean",
        4,
        None,
        D,
        False,
        {FEWER: INF, VOTES[0]: 0.5, VOTES[1]: 0.0},
        INF,
        "0 exactly, or a number",
        breaks=FEWER,
        reference=raw_suppressed_law,
    ),
    Entry(
        "suppressed_by_noisy_count",
        suppressed_noisy,
        "mean",
        4,
        None,
        D,
        True,
        {FEWER: 0.5, VOTES[0]: 0.5, VOTES[1]: 0.0},
        1.0,
        "",
        reference=suppressed_law,
    ),
    Entry(
        "cap_from_noisy_maximum",
        cap_from_noisy_maximum,
        "mean",
        4,
        None,
        D,
        True,
        dict.fromkeys((*PAIRS, ZERO), 0.5),
        1.0,
        "upper: two releases of 0.25 each; the cap is not returned",
        upper=True,
        reach="upper",
    ),
)
