"""What is done to a noisy answer before it leaves: rounding, clipping, folding, strings, tuples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.tracing.zoo.entry import Entry, Mechanism, Vector, change, linear
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import (
    Density,
    Law,
    Part,
    continuous,
    discrete,
    laplace_cdf,
    laplace_density,
    laplace_log_cdf,
    only,
)
from tests.tracing.zoo.means import MIN, PAIRS, QUARTER, D, X


def noisy(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min())))


def rounded(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return round(noisy(x, epsilon, rng), 1)


def whole_sum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    return int(np.rint(x.sum() + rng.laplace(0, 1 / epsilon.min())))


def clipped(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(np.clip(noisy(x, epsilon, rng), 0, 1))


def folded(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return abs(noisy(x, epsilon, rng))


def wrapped(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return noisy(x, epsilon, rng) % 1.0


def redrawn(x: Vector, epsilon: Vector, rng: np.random.Generator, wide: float = 1.0) -> float:
    while True:
        y = x.mean() + rng.laplace(0, wide / (len(x) * epsilon.min()))
        if 0 <= y <= 1:
            return float(y)


def redrawn_wide(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return redrawn(x, epsilon, rng, wide=2.0)


def largest_of_noisy(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(np.max(x + rng.laplace(0, 1 / epsilon)))


def sorted_noisy(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return np.sort(x + rng.laplace(0, 1 / epsilon))


def cell(low: float, high: float) -> float:
    """P(low < Z < high) of a standard Laplace Z, without cancellation in the upper tail."""
    if low > 0:
        low, high = -high, -low
    return laplace_cdf(high) - laplace_cdf(low)


def lattice(location: float, scale: float, step: float, reach: int) -> Part:
    def at(k: float) -> float:
        return (k * step - location) / scale

    return discrete({k: cell(at(k - 0.5), at(k + 0.5)) for k in range(-reach, reach)})


def fold(x: Vector) -> Law:
    d = laplace_density(float(x.mean()), MIN)
    return only(continuous(Density(lambda y: np.logaddexp(d.log(y), d.log(-y)), (0.0, *d.knots), MIN, (0.0, math.inf))))


def ends(x: Vector) -> Law:
    m = float(x.mean())
    inner = laplace_density(m, MIN)
    atoms = {0.0: laplace_cdf(-m / MIN), 1.0: laplace_cdf((m - 1) / MIN)}
    return only(Part(atoms, {None: Density(inner.log, (m, 0.0, 1.0), MIN, (0.0, 1.0))}))


def circle(x: Vector) -> Law:
    """Σ over 60 turns."""
    m = float(x.mean())

    def log(y: Any) -> Any:
        turns = np.arange(-30, 31)[:, None]
        return np.log(np.exp(-np.abs(y + turns - m) / MIN).sum(axis=0)) - math.log(2 * MIN)

    return only(continuous(Density(lambda y: log(np.clip(y, 0, 1)), (m,), 0.3, (0.0, 1.0))))


def truncated(scale: float) -> Any:
    def law(x: Vector) -> Law:
        d = laplace_density(float(x.mean()), scale)
        y = np.linspace(0, 1, 200001)
        mass = float(np.trapezoid(np.exp(d.log(y)), y))
        return only(continuous(Density(lambda v: d.log(v) - math.log(mass), (*d.knots, 0.0, 1.0), scale, (0.0, 1.0))))

    return law


def largest_law(x: Vector) -> Law:
    """The density of a maximum: Σ fᵢ Π Fⱼ, j ≠ i."""

    def log(y: Any) -> Any:
        logs = [-np.abs(y - v) * e + math.log(e / 2) for v, e in zip(x, D, strict=True)]
        cdfs = [laplace_log_cdf((y - v) * e) for v, e in zip(x, D, strict=True)]
        return np.logaddexp.reduce([f - c for f, c in zip(logs, cdfs, strict=True)]) + np.sum(cdfs, axis=0)

    return only(continuous(Density(log, tuple(float(v) for v in x), 2.0)))


def turned(shift: float) -> float:
    """On the circle the density is ∝ cosh((½ - distance)/b), log-convexly steepest at its peak."""
    return math.log(math.cosh(0.5 / MIN) / math.cosh((0.5 - shift) / MIN))


def left_in(m: float, scale: float) -> float:
    return 1 - 0.5 * math.exp(-m / scale) - 0.5 * math.exp(-(1 - m) / scale)


def redrawn_loss(m: float, other: float, scale: float) -> float:
    """The noise's own loss, and that of the normaliser."""
    return abs(m - other) / scale + abs(math.log(left_in(m, scale) / left_in(other, scale)))


def kept(name: str, mechanism: Mechanism, reference: Any, note: str = "", **more: Any) -> Entry:
    """Processing that keeps the whole loss of the mean."""
    losses = {**linear(PAIRS, QUARTER, MIN), **more.pop("also", {})}
    return Entry(name, mechanism, "mean", 4, None, D, True, losses, 1.0, note, reference=reference, **more)


ENTRIES = (
    kept("rounded_output", rounded, lambda x: only(lattice(float(x.mean()), MIN, 0.1, 150), lambda y: round(10 * y))),
    Entry(
        "whole_number_of_the_sum",
        whole_sum,
        "mean",
        4,
        None,
        D,
        True,
        linear(PAIRS, (1.0,) * 4, 2.0),
        1.0,
        reference=lambda x: only(lattice(float(x.sum()), 2.0, 1.0, 60)),
    ),
    kept("clipped_output", clipped, ends, "the ends have the loss too"),
    kept("folded_output", folded, fold, "at 0 the loss is that of the mean"),
    Entry(
        "wrapped_output",
        wrapped,
        "mean",
        4,
        None,
        D,
        True,
        {p: turned(change(p) / 4) for p in PAIRS},
        turned(0.25) / 0.5,
        reference=circle,
    ),
    Entry(
        "redrawn_until_inside",
        redrawn,
        "mean",
        4,
        None,
        D,
        False,
        {ZERO: redrawn_loss(0, 0.25, MIN), (0, X, 1.0): redrawn_loss(0.5, 0.7, MIN)},
        redrawn_loss(0, 0.25, MIN) / 0.5,
        "the normaliser depends on the data",
        breaks=ZERO,
        reference=truncated(MIN),
    ),
    Entry(
        "redrawn_until_inside_twice_the_noise",
        redrawn_wide,
        "mean",
        4,
        None,
        D,
        True,
        {ZERO: redrawn_loss(0, 0.25, 1.0), (0, X, 1.0): redrawn_loss(0.5, 0.7, 1.0)},
        redrawn_loss(0, 0.25, 1.0) / 0.5,
        "normalisers differ by no more than the noise does",
        reference=truncated(1.0),
    ),
    # Far below all data every factor is an exponential, so the whole loss of each user is there.
    Entry(
        "largest_of_noisy_values",
        largest_of_noisy,
        "mean",
        4,
        None,
        D,
        True,
        {p: D[p[0]] * change(p) for p in PAIRS},
        1.0,
        "vector draw, scale for each user",
        reference=largest_law,
    ),
    Entry(
        "sorted_noisy_values",
        sorted_noisy,
        "mean",
        4,
        None,
        D,
        True,
        {p: D[p[0]] * change(p) for p in PAIRS},
        1.0,
        "upper: the order is lost, and with it some of the loss",
        upper=True,
        reach="upper",
    ),
)
