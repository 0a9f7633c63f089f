"""Laws of noise in standard form, and what it costs to move a draw: sup over u of log p(u) − log p(u + t)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Generator = np.random.Generator


class Law(ABC):
    """A draw is location + scale·u; all that is said here is of u. Members are compared by identity."""

    name: str

    @abstractmethod
    def standard(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """Values of u."""

    @abstractmethod
    def cost(self, moved: Floats) -> Floats:
        """The pure loss of u → u + t for each t; inf where no finite one does."""

    @abstractmethod
    def log_above(self, u: Floats) -> Floats:
        """log P(U ≥ u)."""

    @abstractmethod
    def log_below(self, u: Floats) -> Floats:
        """log P(U ≤ u)."""


@dataclass(frozen=True, eq=False)
class Symmetric(Law):
    """A density that is the same on both sides of 0."""

    name: str
    drawn: Callable[[Generator, tuple[int, ...]], Floats]
    costs: Callable[[Floats], Floats]
    above: Callable[[Floats], Floats]

    def standard(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """From numpy."""
        return self.drawn(rng, shape)

    def cost(self, moved: Floats) -> Floats:
        """Either way the same."""
        return self.costs(np.abs(moved))

    def log_above(self, u: Floats) -> Floats:
        """The upper tail."""
        return self.above(u)

    def log_below(self, u: Floats) -> Floats:
        """The upper tail, mirrored."""
        return self.above(-u)


@dataclass(frozen=True, eq=False)
class OneSided(Law):
    """Tails that differ; moving up costs something finite, moving down leaves the support or the bound."""

    name: str
    drawn: Callable[[Generator, tuple[int, ...]], Floats]
    costs: Callable[[Floats], Floats]
    above: Callable[[Floats], Floats]
    below: Callable[[Floats], Floats]

    def standard(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """From numpy."""
        return self.drawn(rng, shape)

    def cost(self, moved: Floats) -> Floats:
        """Upwards as `costs` says; downwards nothing bounds it."""
        return np.where(moved < 0, np.inf, self.costs(np.maximum(moved, 0.0)))

    def log_above(self, u: Floats) -> Floats:
        """The upper tail."""
        return self.above(u)

    def log_below(self, u: Floats) -> Floats:
        """The lower tail."""
        return self.below(u)


def _unless_zero(moved: Floats) -> Floats:
    """Free where nothing moves, else unbounded."""
    return np.where(moved == 0, 0.0, np.inf)


def _laplace_above(u: Floats) -> Floats:
    return np.where(u >= 0, -np.log(2.0) - u, np.log1p(-0.5 * np.exp(np.minimum(u, 0.0))))


def _normal_above(u: Floats) -> Floats:
    from scipy.special import log_ndtr

    return np.asarray(log_ndtr(-u), dtype=np.float64)


def _logistic_above(u: Floats) -> Floats:
    return -np.logaddexp(0.0, u)


def _cauchy_above(u: Floats) -> Floats:
    return np.log(
        np.where(u > 1, np.arctan2(1.0, np.maximum(u, 1.0)), np.pi / 2 - np.arctan(np.minimum(u, 1.0))) / np.pi
    )


def _log(x: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(x)


def _gumbel_above(u: Floats) -> Floats:
    """log(1 − exp(−e^−u)), exact where e^−u is small."""
    return _log(-np.expm1(-np.exp(-np.maximum(u, -700.0))))


LAPLACE = Symmetric("laplace", lambda rng, shape: rng.laplace(size=shape), lambda t: t, _laplace_above)
LOGISTIC = Symmetric("logistic", lambda rng, shape: rng.logistic(size=shape), lambda t: t, _logistic_above)
CAUCHY = Symmetric(
    "cauchy", lambda rng, shape: rng.standard_cauchy(size=shape), lambda t: 2.0 * np.arcsinh(t / 2.0), _cauchy_above
)
NORMAL = Symmetric("normal", lambda rng, shape: rng.standard_normal(size=shape), _unless_zero, _normal_above)
UNIFORM = Symmetric(  # on (−½, ½): the middle of the range is the location
    "uniform",
    lambda rng, shape: rng.random(size=shape) - 0.5,
    _unless_zero,
    lambda u: _log(np.clip(0.5 - u, 0.0, 1.0)),
)
EXPONENTIAL = OneSided(
    "exponential",
    lambda rng, shape: rng.standard_exponential(size=shape),
    lambda t: t,
    lambda u: -np.maximum(u, 0.0),
    lambda u: _log(-np.expm1(-np.maximum(u, 0.0))),
)
GUMBEL = OneSided(
    "gumbel",
    lambda rng, shape: rng.gumbel(size=shape),
    lambda t: t,
    _gumbel_above,
    lambda u: -np.exp(-np.maximum(u, -700.0)),
)


@dataclass(frozen=True, eq=False)
class Geometric(Law):
    """Trials until the first success: 1, 2, 3 … Moves are whole numbers."""

    p: float
    name = "geometric"

    @property
    def rate(self) -> float:
        """What one step up costs."""
        return float(-np.log1p(-self.p)) if self.p < 1 else float("inf")

    def standard(self, rng: Generator, shape: tuple[int, ...]) -> Floats:
        """From numpy."""
        return np.asarray(rng.geometric(self.p, size=shape), dtype=np.float64)

    def cost(self, moved: Floats) -> Floats:
        """As of an exponential law; parts of a step are impossible."""
        whole = np.abs(moved - np.round(moved)) < 1e-9
        return np.where(moved == 0, 0.0, np.where(whole & (moved > 0), np.round(moved) * self.rate, np.inf))

    def log_above(self, u: Floats) -> Floats:
        """(1 − p)^(⌈u⌉ − 1)."""
        return -self.rate * np.maximum(np.ceil(u) - 1.0, 0.0)

    def log_below(self, u: Floats) -> Floats:
        """1 − (1 − p)^⌊u⌋."""
        return _log(-np.expm1(-self.rate * np.maximum(np.floor(u), 0.0)))


@cache
def geometric(p: float) -> Geometric:
    """One object for each p, so that equal laws are the same."""
    return Geometric(p)


CONTINUOUS = (LAPLACE, LOGISTIC, CAUCHY, NORMAL, UNIFORM, EXPONENTIAL, GUMBEL)
