"""Medians by the exponential mechanism."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from tests.tracing.zoo.entry import Entry, Pair, Vector
from tests.tracing.zoo.laws import (
    Density,
    Law,
    continuous,
    only,
    softmax,
)
from tests.tracing.zoo.selection import (
    N,
    finite,
    gumbel_argmax,
    losses_of,
    of,
)

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)


def unbalance(x: Vector, g: float) -> float:
    return abs(float((x < g).sum()) - float((x > g).sum()))


def median_on_grid(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    score = np.array([-unbalance(x, g) for g in GRID])
    p = np.exp(epsilon.min() * score / 4)  # one user moves the score by 2
    return float(rng.choice(GRID, p=p / p.sum()))


def median_on_grid_sensitivity_one(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    score = np.array([-unbalance(x, g) for g in GRID])
    noise = rng.gumbel(size=len(GRID))
    return GRID[int(np.argmax(epsilon.min() * score / 2 + noise))]


def median_by_intervals(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    ends = np.concatenate([[0.0], np.sort(x), [1.0]])
    rank = np.arange(len(x) + 1)
    weight = np.diff(ends) * np.exp(-epsilon.min() * np.abs(rank - len(x) / 2) / 2)
    i = rng.choice(len(weight), p=weight / weight.sum())
    return float(rng.uniform(ends[i], ends[i + 1]))


def interval_density(x: Vector, y: float) -> float:
    """Of `median_by_intervals`, from its definition: e^(-½|rank - n/2|), normalised."""
    ends = [0.0, *sorted(float(v) for v in x), 1.0]
    weights = [math.exp(-abs(i - N / 2) / 2) for i in range(N + 1)]
    total = sum(w * (b - a) for w, a, b in zip(weights, ends, ends[1:], strict=False))
    return weights[sum(v < y for v in x)] / total


def interval_loss(pair: Pair) -> float:
    one, other = np.array(pair[1]), np.array(pair[1])
    other[pair[0]] = pair[2]
    cuts = sorted({0.0, 1.0, *map(float, one), *map(float, other)})
    middles = [(a + b) / 2 for a, b in itertools.pairwise(cuts)]
    return max(abs(math.log(interval_density(one, m) / interval_density(other, m))) for m in middles)


def interval_law(x: Vector) -> Law:
    def raw(y: Vector) -> Vector:
        below = (np.asarray(x)[:, None] < y).sum(axis=0)
        return -np.abs(below - N / 2) / 2

    fine = (np.arange(200_000) + 0.5) / 200_000
    total = math.log(float(np.exp(raw(fine)).mean()))
    knots = tuple(float(v) for v in sorted({*x, 0.5}))
    return only(continuous(Density(lambda y: raw(y) - total, knots, 0.3, (1e-9, 1.0))))


MEDIANS: tuple[Pair, ...] = (
    (0, (0.0, 0.1, 0.6, 0.8, 1.0), 1.0),
    (1, (0.0, 0.0, 0.0, 1.0, 1.0), 1.0),
    (2, (0.3,) * 5, 0.4),
    (0, (0.0, 0.3, 0.3, 0.3, 0.3), 1.0),
)


def on_grid(quarter: float) -> Callable[[Vector], list[float]]:
    return lambda x: softmax([-quarter * abs(sum(v < g for v in x) - sum(v > g for v in x)) for g in GRID])


ENTRIES: tuple[Entry, ...] = (
    of("median_on_grid", median_on_grid, losses_of(MEDIANS, on_grid(0.25)), 1.0, "one user moves the score by 2",
       lambda x: finite(softmax([-unbalance(x, g) / 4 for g in GRID]), GRID), task="mean"),
    of("median_on_grid_sensitivity_1", median_on_grid_sensitivity_one, losses_of(MEDIANS, on_grid(0.5)), 2.0,
       "one user moves the score by 2, not 1",
       lambda x: gumbel_argmax([-unbalance(x, g) / 2 for g in GRID], GRID), task="mean"),
    of("median_by_intervals", median_by_intervals, {p: interval_loss(p) for p in MEDIANS}, 1.0,
       "an interval, then a uniform point in it", interval_law, task="mean"),
)  # fmt: skip
