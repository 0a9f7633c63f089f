"""Mechanisms that promise something other than pure ε, each with its usual mistakes, written from their descriptions.

Each is a function of (data, the promise's columns, generator, size) that returns `size` outputs; `Batched` makes
single calls of it. Outputs are rounded far below the noise, so that the bits of doubles tell nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

Floats = NDArray[np.float64]
Generator = np.random.Generator
Release = Callable[..., Any]

CLIP_DIMENSIONS = 4
CLASSES = 3
SAMPLED = 0.1  # of the subsampled Gaussian


class Batched:
    """A release by single calls and by batches."""

    def __init__(self, release: Release, **settings: Any) -> None:
        self.__name__ = release.__name__
        self._release, self._settings = release, settings

    def __call__(self, data: Any, *given: Any) -> Any:
        return self.batch(data, *given, 1)[0]

    def batch(self, data: Any, *given: Any) -> Any:
        return self._release(np.asarray(data), *given, **self._settings)


def rounded(values: Any) -> Any:
    """To multiples of 1/1024."""
    return np.round(np.asarray(values) * 1024.0) / 1024.0


# Sums with normal noise of scale 1: a user's weight is the shift that they were promised.


def gaussian_sum(data: Floats, mu: Floats, rng: Generator, size: int, *, noise: float = 1.0) -> Floats:
    return rounded(data @ mu + noise * rng.standard_normal(size))


def gaussian_mean(data: Floats, mu: Floats, rng: Generator, size: int, *, personal: bool = True) -> Floats:
    """Weights by demand; or everybody's the same, with noise for the average demand."""
    weights = mu / mu.sum() if personal else np.full(mu.size, 1.0 / mu.size)
    return rounded(16.0 * (weights @ data + rng.standard_normal(size) / mu.sum()))


def leaky_laplace(data: Floats, epsilon: Floats, *given: Any, leak: float) -> Floats:
    """A sum with Laplace noise; sometimes the sum itself, 64 higher. Weights by demand."""
    rng, size = given[-2:]
    exact = data @ epsilon
    return rounded(np.where(rng.random(size) < leak, 64.0 + exact, exact + rng.laplace(size=size)))


# (ε, δ) by normal noise


@lru_cache
def analytic_shift(epsilon: float, delta: float) -> float:
    """1/σ from Φ(1/2σ − εσ) − e^ε·Φ(−1/2σ − εσ) = δ."""
    return float(brentq(lambda mu: _leaked(mu, epsilon) - delta, 1e-6, 60.0, xtol=1e-13))


def _leaked(mu: float, epsilon: float) -> float:
    return float(ndtr(mu / 2.0 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2.0 - epsilon / mu))


def classic_shift(epsilon: float, delta: float) -> float:
    """1/σ from σ = √(2·ln(1.25/δ))/ε, which is proved for ε below 1."""
    return epsilon / math.sqrt(2.0 * math.log(1.25 / delta))


def calibrated_sum(
    data: Floats, epsilon: Floats, delta: Floats, rng: Generator, size: int, *, shift: Callable[[float, float], float]
) -> Floats:
    weights = np.array([shift(float(e), float(d)) for e, d in zip(epsilon, delta, strict=True)])
    return rounded(data @ weights + rng.standard_normal(size))


def subsampled_sum(
    data: Floats, epsilon: Floats, delta: Floats, rng: Generator, size: int, *, fresh: bool = True
) -> Floats:
    """Each user takes part with probability 1/10, weight 1, normal noise of scale 1; or all take part each time."""
    taken = rng.random((size, data.size)) < SAMPLED if fresh else np.ones((size, data.size), dtype=np.bool_)
    return rounded(taken @ data + rng.standard_normal(size))


# zCDP


@lru_cache
def _discrete_gaussian(variance: float) -> tuple[NDArray[np.int64], Floats]:
    span = np.arange(-int(40 * variance**0.5) - 1, int(40 * variance**0.5) + 2)
    weights = np.exp(-0.5 * span**2 / variance)
    return span, np.cumsum(weights / weights.sum())


def discrete_gaussian_sum(data: Floats, rho: Floats, rng: Generator, size: int, *, variance: float) -> Floats:
    """Whole weights 4·√(2ρ) against the variance 16; data count as 0 or 1."""
    whole = np.round(4.0 * np.sqrt(2.0 * rho)) @ (data >= 0.5)
    span, rising = _discrete_gaussian(variance)
    return whole + span[np.minimum(np.searchsorted(rising, rng.random(size)), span.size - 1)]


def several_answers(data: Floats, rho: Floats, rng: Generator, size: int, *, answers: int, split: bool) -> list[Any]:
    """The same sum asked several times; ρ is split among the answers, or each spends all of it."""
    exact = data @ np.sqrt(2.0 * rho / (answers if split else 1))
    return list(rounded(exact + rng.standard_normal((size, answers))))


# Training, votes, and counts


def gradient_step(
    data: Floats, mu: Floats, rng: Generator, size: int, *, clip: str = "user", noise: float = 1.0
) -> list[Any]:
    """A noisy sum of gradients, user i's clipped to length μ_i; or not; or the sum alone to the sum of lengths.

    The gradient of a datum (who, length) is as long as the datum says, along a direction of the user's own.
    """
    directions = np.eye(CLIP_DIMENSIONS)[data[:, 0].astype(int) % CLIP_DIMENSIONS]
    gradients = data[:, 1:2] * directions
    if clip == "user":
        gradients = gradients * np.minimum(1.0, mu / np.maximum(data[:, 1], 1e-12))[:, None]
    total = gradients.sum(axis=0)
    if clip == "batch":
        total = total * min(1.0, mu.sum() / max(float(np.linalg.norm(total)), 1e-12))
    return list(rounded(total + noise * rng.standard_normal((size, CLIP_DIMENSIONS))))


def noisy_votes(
    data: NDArray[np.int64], mu: Floats, rng: Generator, size: int, *, weights: str = "own", draws: str = "each"
) -> list[str]:
    """The class with most weighted votes after normal noise of scale √2 on each class.

    A vote that changes its class moves two counts by the weight, so √2·weight/√2 = μ_i. Faults: everybody has the
    largest weight; one draw of noise for all classes.
    """
    own = mu if weights == "own" else np.full(mu.size, mu.max())
    votes = np.bincount(data, own, minlength=CLASSES)
    noise = rng.standard_normal((size, CLASSES if draws == "each" else 1))
    return [str(winner) for winner in np.argmax(votes + math.sqrt(2.0) * noise, axis=1)]


def counts(
    data: NDArray[np.int64], mu: Floats, rng: Generator, size: int, *, empty: bool = True, categories: int = 3
) -> Floats:
    """Weighted counts with normal noise of scale 1 on each; or none on empty categories."""
    exact = np.bincount(data, mu, minlength=categories)
    noise = rng.standard_normal((size, categories))
    return rounded(exact + (noise if empty else np.where(exact > 0.0, noise, 0.0)))


# Users who leave


def sum_and_size(data: Floats, mu: Floats, rng: Generator, size: int) -> list[Any]:
    """A noisy sum, and how many there were."""
    return list(rounded(np.stack([data @ mu + rng.standard_normal(size), np.full(size, data.size)], axis=1)))


def true_mean(data: Floats, mu: Floats, rng: Generator, size: int) -> Floats:
    """(sum + noise)/n with the n of the data: the noise is wider where somebody left."""
    return rounded(8.0 * (data @ mu + rng.standard_normal(size)) / data.size)


def partition_selection(
    data: NDArray[np.int64], epsilon: Floats, delta: Floats, rng: Generator, size: int, *, margin: float = 1.0
) -> Floats:
    """The noisy count of group 0 if above a threshold, else 0, which says no more than that; 0 if the group is empty.

    Laplace noise of scale 1/ε; the threshold is `margin` + ln(1/2δ)/ε, by the strictest of all that are there.
    """
    members = int((data == 0).sum())
    if members == 0:
        return np.zeros(size)
    strictest, leak = float(epsilon.min()), float(delta.min())
    noisy = members + rng.laplace(0.0, 1.0 / strictest, size)
    threshold = margin + math.log(0.5 / leak) / strictest
    return np.where(noisy > threshold, rounded(noisy), 0.0)


def randomised_response(data: Floats, epsilon: Floats, *given: Any, times: float = 1.0) -> list[str]:
    """User 0's bit, told wrongly with probability 1/(1 + e^ε)."""
    rng, size = given[-2:]
    lies = rng.random(size) < 1.0 / (1.0 + math.exp(times * float(epsilon[0])))
    return ["yes" if bit else "no" for bit in lies ^ bool(data[0])]
