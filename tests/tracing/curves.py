"""Mechanisms made at random with normal and Laplace noise, and the promises that they keep, derived here by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from hdp_audit import ZCDP, ApproximateDP, GaussianDP, Promise, PureDP, trace
from hdp_audit.tracing.result import Trace

ROUNDING = 1 + 1e-9  # promises are larger by this, so that no rounding of floats passes one
DELTAS = (1e-3, 1e-6, 1e-9)
Vector = Any


@dataclass(frozen=True, eq=False)
class Made:
    """Answers with noise of their own each, and what is done to them afterwards."""

    answers: Callable[[Vector], Vector]
    laws: tuple[str, ...]
    scales: Vector
    data: tuple[Vector, Vector]
    process: Callable[[Vector], Any] | None

    def __call__(self, less: float = 1.0) -> Callable[..., Any]:
        """The mechanism, with `less` of its noise."""

        def mechanism(data: Vector, _promised: Vector, rng: np.random.Generator) -> Any:
            noise = [getattr(rng, law)(0.0, less * scale) for law, scale in zip(self.laws, self.scales, strict=True)]
            noisy = self.answers(data) + np.array(noise)
            return noisy if self.process is None else self.process(noisy)

        return mechanism

    def moved(self, law: str) -> Vector:
        """By how many scales the datum moves the answers with noise of this law."""
        by = (self.answers(self.data[0]) - self.answers(self.data[1])) / self.scales
        return np.abs(by[[each == law for each in self.laws]])

    @property
    def mu(self) -> float:
        """Of normal noise."""
        return float(np.sqrt((self.moved("normal") ** 2).sum()))

    @property
    def epsilon(self) -> float:
        """Of Laplace noise."""
        return float(self.moved("laplace").sum())


def made(seed: int, *, plain: bool = False, laws: tuple[str, ...] = ("normal", "laplace")) -> Made:
    """The same for the same seed; without processing where it is to be `plain`."""
    rng = np.random.default_rng([20261119, seed])
    users, count = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    weights, offsets = rng.normal(size=(count, users)), rng.normal(size=count)
    bent = rng.random() < 0.5
    first = rng.random(users)
    second = first.copy()
    second[0] = rng.random()

    def answers(data: Vector) -> Vector:
        straight = weights @ np.asarray(data) + offsets
        return np.abs(straight) / 2 + np.minimum(straight, 0.3) if bent else straight

    chosen = tuple(str(rng.choice(laws)) for _ in range(count))
    process = None if plain else PROCESSES[int(rng.integers(len(PROCESSES)))]
    return Made(answers, chosen, np.exp(rng.normal(size=count)), (first, second), process)


PROCESSES: list[Callable[[Vector], Any] | None] = [
    None,
    lambda y: np.round(y, 2),
    lambda y: np.clip(y, -1.0, 1.0),
    lambda y: float(y.sum()),
    lambda y: int(np.argmax(y)),
    lambda y: {"positive": bool(y[0] > 0), "value": float(max(y[0], 0.0))},
    lambda y: min(max(float(y[0]), 0), 1),
    lambda y: (y / (1.0 + np.abs(y))).tolist(),
    lambda y: "high" if y[0] > 0.5 else "low",
]


def gaussian_delta(mu: float, epsilon: float) -> float:
    """δ of normal noise."""
    return float(norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


def kept(one: Made) -> Iterator[Promise]:
    """Promises that hold: exact for normal noise alone, by well-known conversions and compositions for other noise."""
    mu, epsilon = one.mu, one.epsilon
    if not mu:
        yield PureDP([epsilon * ROUNDING])
    response = -2 * norm.ppf(1 / (1 + math.exp(epsilon))) if epsilon else 0.0  # randomised response, as a shift
    yield GaussianDP([math.hypot(mu, response) * ROUNDING])
    yield ZCDP([(mu**2 + epsilon**2) / 2 * ROUNDING])
    for delta in DELTAS if mu else ():
        more = mu * (mu / 2 + float(norm.isf(delta)))
        if (exact := gaussian_delta(mu, more)) > 1e-13:
            yield ApproximateDP([(epsilon + more) * ROUNDING], delta=exact * ROUNDING)
    if not mu:
        yield ApproximateDP([epsilon * ROUNDING], delta=1e-6)


def traced(mechanism: Callable[..., Any], promise: Promise, data: tuple[Vector, Vector]) -> Trace:
    """On one pair that differs in user 0, who alone was promised anything."""

    def pairs() -> Iterator[Any]:
        yield *data, [0]

    return trace(mechanism, promise=promise, task="custom", pairs=pairs)
