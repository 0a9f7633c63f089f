"""What generated mechanisms are made of: answers with known sensitivities, noise, and processing of outputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from tests.tracing.zoo.entry import Vector

Noise = Callable[[Vector, np.random.Generator], Vector]  # scales -> one draw each


@dataclass(frozen=True)
class Answers:
    """Σᵢ aₖᵢ·min(max(xᵢ, low), high), one or several answers; `larger`: each is the larger of two such sums."""

    slopes: Vector  # pieces × answers × users
    low: Vector  # users
    high: Vector

    def __call__(self, x: Vector) -> Vector:
        inner = np.clip(x, self.low, self.high)
        return np.asarray((self.slopes @ inner).max(axis=0))

    @property
    def sensitivities(self) -> Vector:
        """answers × users: a maximum moves by no more than the piece that moves most."""
        return np.asarray(np.abs(self.slopes).max(axis=0) * (self.high - self.low))


def some_answers(rng: np.random.Generator, n: int, answers: int) -> Answers:
    slopes = rng.uniform(-1, 1, size=(int(rng.integers(1, 3)), answers, n))
    slopes[..., rng.random(n) < 0.2] = 0.0  # somebody may not matter
    slopes[..., 0] = 0.5
    low = np.where(rng.random(n) < 0.5, 0.0, rng.uniform(0, 0.4, n))
    return Answers(slopes, low, np.where(rng.random(n) < 0.5, 1.0, rng.uniform(0.6, 1, n)))


def at_once(scales: Vector, rng: np.random.Generator) -> Vector:
    return rng.laplace(0.0, scales)


def one_by_one(scales: Vector, rng: np.random.Generator) -> Vector:
    return np.array([rng.laplace(scale=b) for b in scales])


def differences(scales: Vector, rng: np.random.Generator) -> Vector:
    return scales * (rng.standard_exponential(len(scales)) - rng.standard_exponential(len(scales)))


def inverse(scales: Vector, rng: np.random.Generator) -> Vector:
    u = rng.random(len(scales)) - 0.5
    return np.asarray(-scales * np.sign(u) * np.log1p(-2 * np.abs(u)))


def from_scipy(scales: Vector, rng: np.random.Generator) -> Vector:
    return np.asarray(stats.laplace.rvs(scale=scales, random_state=rng))


def signed(scales: Vector, rng: np.random.Generator) -> Vector:
    return rng.exponential(scales) * rng.choice([-1, 1], size=len(scales))


def logistic(scales: Vector, rng: np.random.Generator) -> Vector:
    return rng.logistic(0.0, scales)


LAPLACE: tuple[Noise, ...] = (at_once, one_by_one, differences, inverse, from_scipy, signed)


def as_tuple(y: Vector) -> Any:
    return tuple(float(v) for v in y)


def single(y: Vector) -> Any:
    return float(y[0]) if len(y) == 1 else as_tuple(y)


def word(y: Vector) -> str:
    return "-".join("low" if v < 0 else "middle" if v < 1 else "high" for v in y)


PROCESSING: tuple[tuple[str, Callable[[Vector], Any]], ...] = (
    ("clip", lambda y: as_tuple(np.clip(y, -0.5, 1.5))),
    ("round", lambda y: as_tuple(np.round(y, 1))),
    ("affine", lambda y: single(3 - 2 * y)),
    ("abs", lambda y: single(np.abs(y))),
    ("max", lambda y: float(np.max(y))),
    ("sum", lambda y: math.fsum(y)),
    ("whole", lambda y: tuple(int(v) for v in np.rint(y))),
    ("string", word),
    ("sign", lambda y: bool(y[0] > 0.25)),
    ("index", lambda y: int(np.argmax(y))),
    ("label_and_number", lambda y: ("yes" if y[0] > 0 else "no", float(y[-1]))),
)
