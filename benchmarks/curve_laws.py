"""Mechanisms that lose exactly what curves promise, and the laws of their best guesses.

A law says how often a rule with a known event guesses right and wrong in a draw, and how many of the two datasets it
ever guesses. On all of these E[right − e^ε·wrong] is exactly δ(ε), or half of it: any smaller promise is broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from hdp_audit.model.approximate import ApproximateDP
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.promise import Promise
from hdp_audit.model.zcdp import ZCDP

Floats = NDArray[np.float64]
Generator = np.random.Generator

DEMANDS = np.repeat([0.25, 0.5, 1.0], [8, 4, 3])
LEAKS = np.repeat([0.005, 0.01, 0.02], [8, 4, 3])
ONE, GROUP = np.array([8]), np.array([0, 1, 9, 12])

PROMISES: dict[str, Promise] = {
    "gaussian": GaussianDP(DEMANDS),
    "zcdp": ZCDP(0.5 * DEMANDS**2),  # the Gaussian shifts that lose this are DEMANDS again
    "approximate": ApproximateDP(DEMANDS, LEAKS),
}


@dataclass(frozen=True)
class Law:
    """How often a rule guesses right and wrong."""

    right: float
    wrong: float
    sides: int = 2

    @property
    def touching(self) -> float:
        """How often each side is guessed wrongly."""
        return 2.0 * self.wrong / self.sides

    def halved(self) -> Law:
        """The rule that guesses one side only."""
        return Law(0.5 * self.right, 0.5 * self.wrong, 1)


def shift(mu: float, epsilon: float) -> Law:
    """Of a Gaussian shift, guessing where the likelihood ratio is at least e^ε."""
    return Law(float(norm.cdf(0.5 * mu - epsilon / mu)), float(norm.cdf(-0.5 * mu - epsilon / mu)))


def revealed(epsilon: float, delta: float, answered: float = 1.0) -> Law:
    """Reveal with probability δ, else answer at random with odds e^ε, or not at all."""
    asked = answered * (1.0 - delta) / (1.0 + np.exp(epsilon))
    return Law(float(delta + np.exp(epsilon) * asked), float(asked))


def on_the_line(promise: Promise, users: NDArray[np.int64], wrong: float) -> Law:
    """Of no mechanism, where the curve is no mechanism's own: as often right as the curve would allow."""
    limit = promise.group(users)
    epsilon = float(limit.tangent(wrong))
    return Law(float(np.exp(epsilon) * wrong + limit.delta(epsilon)), wrong)


class Shift:
    """Σ_i a_i·x_i + a normal draw: a_i = μ_i, or √(2ρ_i)."""

    def __init__(self, squares: bool) -> None:
        self.__name__ = "tight-zcdp" if squares else "tight-gaussian"
        self._squares = squares

    def __call__(self, data: Floats, promised: Floats, rng: Generator) -> float:
        return float(self.batch(data, promised, rng, 1)[0])

    def batch(self, data: Floats, promised: Floats, rng: Generator, size: int) -> Floats:
        return data @ (np.sqrt(2.0 * promised) if self._squares else promised) + rng.normal(0.0, 1.0, size)


class Reveal:
    """Tells user 8's bit with probability δ_8, else answers at random with odds e^{ε_8}."""

    __name__ = "tight-reveal"

    def __call__(self, data: Floats, epsilon: Floats, delta: Floats, rng: Generator) -> float:
        return float(self.batch(data, epsilon, delta, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, delta: Floats, rng: Generator, size: int) -> Floats:
        bit = 1.0 if data[ONE[0]] >= 0.5 else -1.0
        lies = rng.random(size) < 1.0 / (1.0 + np.exp(epsilon[ONE[0]]))
        return np.where(rng.random(size) < delta[ONE[0]], 2.0 * bit, np.where(lies, -bit, bit))


class Event:
    """1 with the probability that those of the group at 1 may lose together when nobody at 1 gives 0 for sure."""

    __name__ = "tight-event"

    def __call__(self, data: Floats, epsilon: Floats, delta: Floats, rng: Generator) -> float:
        return float(self.batch(data, epsilon, delta, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, delta: Floats, rng: Generator, size: int) -> Floats:
        there = GROUP[data[GROUP] >= 0.5]
        chance = float(ApproximateDP(epsilon, delta).group(there).leaked) if there.size else 0.0
        return (rng.random(size) < chance).astype(np.float64)


MECHANISMS: dict[str, tuple[Any, str, NDArray[np.int64]]] = {
    "Gaussian shift, one user": (Shift(squares=False), "gaussian", ONE),
    "Gaussian shift, group": (Shift(squares=False), "gaussian", GROUP),
    "Gaussian shift as zCDP, one user": (Shift(squares=True), "zcdp", ONE),
    "Gaussian shift as zCDP, group": (Shift(squares=True), "zcdp", GROUP),
    "reveal or answer, one user": (Reveal(), "approximate", ONE),
    "one event, group": (Event(), "approximate", GROUP),
}


def laws() -> dict[str, tuple[str, NDArray[np.int64], Law]]:
    """By name: the kind of promise, who is moved, and how often a rule is right and wrong."""
    found: dict[str, tuple[str, NDArray[np.int64], Law]] = {}
    for words, users in (("one user", ONE), ("group", GROUP)):
        mu = float(DEMANDS[users].sum())
        group = ApproximateDP(DEMANDS, LEAKS).group(users)
        found[f"Gaussian shift, {words}"] = ("gaussian", users, shift(mu, mu))
        found[f"Gaussian shift, {words}, one side"] = ("gaussian", users, shift(mu, mu).halved())
        found[f"Gaussian shift as zCDP, {words}"] = ("zcdp", users, shift(mu, mu))
        found[f"zCDP's curve itself, {words}"] = ("zcdp", users, on_the_line(PROMISES["zcdp"], users, 0.03))
        found[f"reveal or answer, {words}"] = ("approximate", users, revealed(mu, group.leaked))
        found[f"reveal or answer seldom, {words}"] = ("approximate", users, revealed(mu, group.leaked, 0.1))
        found[f"one event, {words}"] = ("approximate", users, Law(0.5 * group.leaked, 0.0, 1))
    return found
