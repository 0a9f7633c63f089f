"""Exact probabilities of events, and the datasets and demands that many mechanisms share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from benchmarks.wide.subject import Shown, growth

Array = np.ndarray[Any, Any]

TIERS = np.repeat([0.1, 0.5, 1.0], [6, 10, 8])  # 24 users
TWO = np.repeat([0.2, 1.0], [10, 10])  # 20 users
ODD = np.repeat([0.2, 1.0], [11, 10])  # 21 users: they have a median
CROWD = np.repeat([0.3, 1.0], [60, 40])  # 100 users
HIGH = np.repeat([0.5, 2.0], [10, 10])  # 20 users
SPREAD = np.linspace(0.2, 2.0, 37)  # everybody has a demand of their own
GRID = 1e-6  # outputs are rounded to it, so that nothing is told by low bits


def rounded(value: float) -> float:
    """A number on the grid of outputs."""
    return round(float(value), 6)


def noisy(total: float, rng: np.random.Generator, scale: float = 1.0) -> float:
    """A number with Laplace noise."""
    return rounded(total + rng.laplace(0.0, scale))


def noisy_row(totals: Array, rng: np.random.Generator, scale: Any = 1.0) -> Array:
    """Several numbers, each with Laplace noise of its own."""
    return np.round(totals + scale * rng.laplace(0.0, 1.0, len(totals)), 6)


def data(users: int, value: float = 0.0, others: dict[int, float] | None = None) -> Array:
    """Everybody at one value, but for some."""
    row = np.full(users, float(value))
    for user, own in (others or {}).items():
        row[user] = own
    return row


def ones(users: int, who: list[int]) -> Array:
    """These users at 1, all others at 0."""
    return data(users, 0, dict.fromkeys(who, 1.0))


def labels(users: int, value: int = 0, others: dict[int, int] | None = None) -> Array:
    """The same of categories."""
    return data(users, value, others).astype(np.int64)


def rows(users: int, size: int, others: dict[int, Iterable[float]]) -> Array:
    """The same of vectors: everybody's is zero, but for some."""
    table = np.zeros((users, size))
    for user, own in others.items():
        table[user] = list(own)
    return table


def unit(size: int, entry: int, value: float = 1.0) -> Array:
    """A vector with one entry."""
    row = np.zeros(size)
    row[entry] = value
    return row


def keep(epsilon: float) -> float:
    """How often randomised response tells the truth."""
    return 1 / (1 + math.exp(-epsilon))


def tail(x: float) -> float:
    """P(Laplace noise of scale 1 is at least x)."""
    return 0.5 * math.exp(-x) if x >= 0 else 1 - 0.5 * math.exp(x)


def atom(distance: float, scale: float = 1.0) -> float:
    """P(a noisy number is rounded to a given one that is `distance` from its centre, at least the grid away)."""
    return tail((abs(distance) - GRID / 2) / scale) - tail((abs(distance) + GRID / 2) / scale)


def at_least(successes: int, trials: int, probability: float) -> float:
    """P(a binomial variable is at least this)."""
    return sum(
        math.comb(trials, k) * probability**k * (1 - probability) ** (trials - k) for k in range(successes, trials + 1)
    )


def best(candidates: Iterable[tuple[Any, float, float]], epsilon: float) -> tuple[Any, float, float]:
    """Of events with their probabilities on both datasets, the one whose bet grows fastest."""
    return max(candidates, key=lambda candidate: growth(candidate[1], candidate[2], epsilon))


def threshold(high: float, low: float, scale: float, epsilon: float) -> tuple[float, float, float]:
    """Where to cut noisy numbers around `high` and around `low`, and P(beyond the cut) of both."""
    sign = 1.0 if high > low else -1.0
    cuts = np.linspace(low, high, 65)
    chances = [(c, tail(sign * (c - high) / scale), tail(sign * (c - low) / scale)) for c in map(float, cuts)]
    return best(chances, epsilon)


def shifted(
    first: Any,
    second: Any,
    user: int,
    centres: tuple[float, float],
    epsilon: float,
    scale: float = 1.0,
    read: Callable[[Any], float] = float,
) -> Shown:
    """A Laplace-noised number has another centre on the second dataset; `read` finds it in the output."""
    high, low = centres
    cut, on_first, on_second = threshold(high, low, scale, epsilon)
    beyond = (lambda out: read(out) >= cut) if high > low else (lambda out: read(out) <= cut)
    return Shown(first, second, user, beyond, on_first, on_second, abs(high - low) / scale)


def sure(
    first: Any, second: Any, user: int, event: Callable[[Any], bool], chance: float = 1.0, other: float = 0.0
) -> Shown:
    """An event that has this chance on the first dataset, and hardly any on the second."""
    return Shown(first, second, user, event, chance, other)


def entry(index: int) -> Callable[[Any], float]:
    """Reads one entry of an output."""
    return lambda out: float(out[index])
