"""Exact laws of clipped releases, in logarithms: atoms at the clips, a density between them.

A worst-case loss is the largest log-ratio of two laws over all their atoms and over a grid of outputs that holds every
kink. An output that one law can give and the other cannot has ratio infinity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

Floats = NDArray[np.float64]
LogDensity = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Noise:
    """A symmetric noise: log P(N > z), and the logarithm of its density."""

    log_tail: Callable[[float], float]
    log_density: LogDensity


@dataclass(frozen=True)
class Law:
    """Atoms (output to log-probability) and the log-density elsewhere; None where there are atoms only."""

    atoms: Mapping[float, float]
    log_density: LogDensity | None = None
    kinks: tuple[float, ...] = ()


def laplace(scale: float) -> Noise:
    """Density e^{−|z|/b}/2b."""

    def log_tail(z: float) -> float:
        return float(np.log(0.5) - z / scale) if z >= 0 else float(np.log1p(-0.5 * np.exp(z / scale)))

    return Noise(log_tail, lambda z: -np.abs(z) / scale - np.log(2.0 * scale))


def normal(deviation: float) -> Noise:
    """Gaussian."""
    constant = np.log(deviation * np.sqrt(2.0 * np.pi))
    return Noise(
        lambda z: float(log_ndtr(-z / deviation)), lambda z: -0.5 * (np.asarray(z) / deviation) ** 2 - constant
    )


def mixture(parts: Mapping[Noise, float] | tuple[tuple[Noise, float], ...]) -> Noise:
    """A noise drawn from one of several, with the given probabilities."""
    pairs = tuple(parts.items()) if isinstance(parts, Mapping) else parts
    logs = [(noise, np.log(chance)) for noise, chance in pairs]
    return Noise(
        lambda z: float(np.logaddexp.reduce([log + noise.log_tail(z) for noise, log in logs])),
        lambda z: np.logaddexp.reduce([log + noise.log_density(z) for noise, log in logs]),
    )


def point(value: float) -> Law:
    """One output, always."""
    return Law({value: 0.0})


def clipped(value: float, noise: Noise, low: float = 0.0, high: float = 1.0) -> Law:
    """value + noise, clipped to [low, high]."""
    atoms = {low: noise.log_tail(value - low), high: noise.log_tail(high - value)}

    def log_density(at: Floats) -> Floats:
        return np.where((at > low) & (at < high), noise.log_density(at - value), -np.inf)

    return Law(atoms, log_density, (value,))


def free(value: float, noise: Noise) -> Law:
    """value + noise, never clipped."""
    return Law({}, lambda at: noise.log_density(at - value), (value,))


def log_ratio(one: Law, other: Law) -> float:
    """sup over outputs of |log one − log other|."""
    places = one.atoms.keys() | other.atoms.keys()
    gaps = [_gap(one.atoms.get(at, -np.inf), other.atoms.get(at, -np.inf)) for at in places]
    if (one.log_density is None) != (other.log_density is None):
        return float("inf")  # a continuum of outputs against a few
    if one.log_density is not None and other.log_density is not None:
        grid = _outputs(one.kinks + other.kinks)
        gaps += [_gap(a, b) for a, b in zip(one.log_density(grid), other.log_density(grid), strict=True)]
    return max(gaps)


def _gap(one: float, other: float) -> float:
    return 0.0 if one == other else abs(float(one) - float(other))


def _outputs(kinks: tuple[float, ...]) -> Floats:
    """Outputs that include every kink, and both sides of it."""
    near = [kink + side for kink in kinks for side in (-1e-9, 0.0, 1e-9)]
    return np.unique(np.concatenate([np.linspace(-0.5, 1.5, 401), near]))
