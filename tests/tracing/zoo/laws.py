"""Laws of outputs, written down by hand: the second derivation of every loss in this folder.

A law is a tuple of independent parts. A part has atoms (a value and its probability) and pieces (a label and a density
whose integral is the probability of that label). `view` turns an output into one value a part, without loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

Floats = NDArray[np.float64]
WHOLE = (-math.inf, math.inf)


@dataclass(frozen=True)
class Density:
    """A density by its logarithm; `knots` are where it bends, `width` its scale."""

    log: Callable[[Floats], Floats]
    knots: tuple[float, ...]
    width: float
    support: tuple[float, float] = WHOLE

    def at(self, y: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            inside = (y >= self.support[0]) & (y <= self.support[1])
            return np.where(inside, self.log(y), -np.inf)

    def grid(self) -> Floats:
        """Dense near the knots, and 10⁷ widths into the tails."""
        wide = self.width + max(self.knots) - min(self.knots)
        points = float(np.mean(self.knots)) + wide * np.sinh(np.linspace(-17, 17, 2001))
        points = np.concatenate([points, self.knots, [edge for edge in self.support if math.isfinite(edge)]])
        return np.unique(points)


@dataclass(frozen=True)
class Part:
    """One independent part of an output."""

    atoms: Mapping[Any, float] = field(default_factory=dict)
    pieces: Mapping[Any, Density] = field(default_factory=dict)
    location: float | None = None  # of additive noise: calls with one seed then differ by the difference of these


def _one_by_one(output: Any) -> tuple[Any, ...]:
    return tuple(output) if isinstance(output, tuple | list | np.ndarray) and np.ndim(output) else (output,)


@dataclass(frozen=True)
class Law:
    """The law of one output."""

    parts: tuple[Part, ...]
    view: Callable[[Any], Sequence[Any]] = _one_by_one


def only(part: Part, view: Callable[[Any], Any] | None = None) -> Law:
    """An output of one part."""
    return Law((part,), (lambda y: (y,)) if view is None else (lambda y: (view(y),)))


def continuous(density: Density, location: float | None = None) -> Part:
    return Part({}, {None: density}, location)


def laplace_density(location: float, scale: float) -> Density:
    return Density(lambda y: -np.abs(y - location) / scale - math.log(2 * scale), (location,), scale)


def laplace(location: float, scale: float) -> Part:
    return continuous(laplace_density(location, scale), location)


def laplaces(locations: Sequence[float] | Floats, scales: Sequence[float] | Floats | float) -> Law:
    """Independent Laplace noise on each coordinate."""
    wide = np.broadcast_to(np.asarray(scales, dtype=float), np.shape(locations))
    return Law(tuple(laplace(float(m), float(b)) for m, b in zip(locations, wide, strict=True)))


def mixed_density(chances: Sequence[float], densities: Sequence[Density]) -> Density:
    logs = np.log(np.asarray(chances))[:, None]
    knots = tuple(sorted({k for d in densities for k in d.knots}))
    width = max(d.width for d in densities)
    return Density(lambda y: logsumexp(np.array([d.at(y) for d in densities]) + logs, axis=0), knots, width)


def mixture(chances: Sequence[float], densities: Sequence[Density]) -> Part:
    return continuous(mixed_density(chances, densities))


def laplace_log_cdf(z: Floats) -> Floats:
    """log of the distribution function of a Laplace variable of scale 1, without underflow."""
    return np.where(z < 0, z - math.log(2), np.log1p(-0.5 * np.exp(-np.abs(z))))


def laplace_log_tail(z: Floats) -> Floats:
    return laplace_log_cdf(-z)


def laplace_cdf(z: float) -> float:
    return float(np.exp(laplace_log_cdf(np.asarray(z))))


def discrete(chances: Mapping[Any, float]) -> Part:
    return Part({value: p for value, p in chances.items() if p > 0})


def certain(value: Hashable) -> Part:
    return Part({value: 1.0})


def softmax(scores: Sequence[float] | Floats) -> list[float]:
    logs = np.asarray(scores, dtype=float)
    return [float(p) for p in np.exp(logs - logsumexp(logs))]


def gamma_density(location: float, shape: float, scale: float) -> Density:
    def log(y: Floats) -> Floats:
        z = np.maximum(y - location, 0) / scale
        return (shape - 1) * np.log(z) - z - float(gammaln(shape)) - math.log(scale)

    return Density(log, (location,), scale, (location, math.inf))


def loss(one: Law, other: Law) -> float:
    """The largest log-ratio of the two laws, either way: parts are independent, so their largest ones add up."""
    there = sum(_above(p, q) for p, q in zip(one.parts, other.parts, strict=True))
    back = sum(_above(q, p) for p, q in zip(one.parts, other.parts, strict=True))
    return max(there, back)


def _above(p: Part, q: Part) -> float:
    """sup log p/q, where p has mass; inf where q has none there."""
    ratios = [math.log(v / q.atoms[k]) if k in q.atoms else math.inf for k, v in p.atoms.items()]
    ratios += [_above_density(d, q.pieces[k]) if k in q.pieces else math.inf for k, d in p.pieces.items()]
    return max(ratios)


def _above_density(p: Density, q: Density) -> float:
    y = np.union1d(p.grid(), q.grid())
    ratios = _log_ratios(p, q, y)
    best = int(ratios.argmax())
    if math.isinf(ratios[best]):
        return float(ratios[best])
    around = np.linspace(y[max(best - 1, 0)], y[min(best + 1, len(y) - 1)], 101)  # a smooth peak between the points
    return max(float(ratios[best]), float(_log_ratios(p, q, around).max()))


def _log_ratios(p: Density, q: Density, y: Floats) -> Floats:
    top, low = p.at(y), q.at(y)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.where(top > -np.inf, top - low, -np.inf), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
