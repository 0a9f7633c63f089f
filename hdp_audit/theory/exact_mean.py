"""The exact error law of clip(θ + N) against a truth μ, one coordinate or several independent ones (ours).

The clip keeps the answer in [0, 1], so an error above α needs room on that side:

    P(error > α) = 1{μ + α < 1}·P(N > μ + α − θ) + 1{μ − α > 0}·P(N < μ − α − θ).

Quantiles follow by bisection; the mean square of one coordinate in closed form (Laplace: from the antiderivatives of
(y − μ)²e^{∓(y−θ)/b}/2b; Gaussian: from those of z²φ(z)), that of several as ∫2α(1 − ΠP(error_j ≤ α))dα.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
_HALVINGS = 60


@dataclass(frozen=True)
class Shape:
    """A law of noise at scale 1: P(N > z), and E(clip(θ + bN) − μ)² of one coordinate from (θ, μ, b)."""

    beyond: Callable[[Floats], Floats]
    square: Callable[[float, float, float], float]


def _beyond(z: Floats) -> Floats:
    """P(N > z) for N Laplace of scale 1."""
    near = 0.5 * np.exp(-np.abs(z))
    return np.where(z >= 0, near, 1.0 - near)


def _laplace_square(theta: float, truth: float, b: float) -> float:
    """Atoms at 0 and 1, and the two sides of the density between them; θ outside [0, 1] leaves one side empty."""

    def right(y: float) -> float:
        return -0.5 * np.exp((theta - y) / b) * ((y - truth) ** 2 + 2 * b * (y - truth) + 2 * b * b)

    def left(y: float) -> float:
        return 0.5 * np.exp((y - theta) / b) * ((y - truth) ** 2 - 2 * b * (y - truth) + 2 * b * b)

    atoms = truth**2 * float(_beyond(np.array(theta / b))) + (1 - truth) ** 2 * float(
        _beyond(np.array((1 - theta) / b))
    )
    middle = min(max(theta, 0.0), 1.0)
    return float(atoms + right(1.0) - right(middle) + left(middle) - left(0.0))


def _gaussian_beyond(z: Floats) -> Floats:
    """P(N > z) for N standard normal."""
    return np.asarray(special.ndtr(-z))


def _gaussian_square(theta: float, truth: float, b: float) -> float:
    """Atoms at 0 and 1, and ∫(θ − μ + bz)²φ(z)dz between z = −θ/b and (1 − θ)/b."""
    ends = np.array([-theta / b, (1.0 - theta) / b])
    density, mass = np.exp(-0.5 * ends**2) / np.sqrt(2 * np.pi), special.ndtr(ends)
    gap = theta - truth
    inside = (gap**2 + b**2) * (mass[1] - mass[0]) + 2 * gap * b * (density[0] - density[1])
    inside += b**2 * (ends[0] * density[0] - ends[1] * density[1])
    return float(truth**2 * mass[0] + (1 - truth) ** 2 * special.ndtr(-ends[1]) + inside)


LAPLACE = Shape(_beyond, _laplace_square)
GAUSSIAN = Shape(_gaussian_beyond, _gaussian_square)


def exceeds(alpha: Floats, theta: Floats, truth: Floats, b: float, shape: Shape = LAPLACE) -> Floats:
    """P(|clip(θ + N) − μ| > α) for each coordinate; α has a leading axis, θ and μ the last one."""
    alpha = alpha[..., None]
    if b == 0:
        return (np.abs(np.clip(theta, 0.0, 1.0) - truth) > alpha).astype(np.float64)
    above = np.where(truth + alpha < 1.0, shape.beyond((truth + alpha - theta) / b), 0.0)
    below = np.where(truth - alpha > 0.0, shape.beyond((theta - truth + alpha) / b), 0.0)
    return above + below


def largest_exceeds(alpha: Floats, theta: Floats, truth: Floats, b: float, shape: Shape = LAPLACE) -> Floats:
    """P(the largest of the coordinates' errors > α), noise independent."""
    each = np.minimum(exceeds(alpha, theta, truth, b, shape), 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(np.log1p(-each).sum(axis=-1)))


def error_quantile(theta: ArrayLike, truth: ArrayLike, b: float, beta: float, shape: Shape = LAPLACE) -> float:
    """The smallest α with P(‖clip(θ + N) − μ‖∞ > α) ≤ β, from above."""
    at, mu = _coordinates(theta), _coordinates(truth)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        enough = largest_exceeds(np.array([middle]), at, mu, b, shape)[0] <= beta
        low, high = (low, middle) if enough else (middle, high)
    return high


def mean_square(theta: ArrayLike, truth: ArrayLike, b: float, shape: Shape = LAPLACE) -> float:
    """E‖clip(θ + N) − μ‖∞²."""
    at, mu = _coordinates(theta), _coordinates(truth)
    if b == 0:
        return float(np.max(np.abs(np.clip(at, 0.0, 1.0) - mu)) ** 2)
    return shape.square(float(at[0]), float(mu[0]), b) if at.size == 1 else _largest_square(at, mu, b, shape)


def _largest_square(theta: Floats, truth: Floats, b: float, shape: Shape) -> float:
    """Gauss–Legendre between the points where a coordinate's law bends or runs out of room, in steps of at most b."""
    bends = np.concatenate([np.abs(theta - truth), 1.0 - truth, truth, [0.0, 1.0]])
    near = np.abs(theta - truth).max() + b * np.arange(0.0, 46.0 + np.ceil(np.log(theta.size)))
    edges = np.unique(np.clip(np.concatenate([bends, near, np.linspace(0, near[0], 32)]), 0.0, 1.0))
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = 0.5 * np.diff(edges)[:, None]
    alpha = edges[:-1, None] + half * (nodes + 1.0)
    outside = largest_exceeds(alpha.ravel(), theta, truth, b, shape).reshape(alpha.shape)
    return float((2.0 * alpha * outside * half * weights).sum())


def _coordinates(values: ArrayLike) -> Floats:
    return np.atleast_1d(np.asarray(values, dtype=np.float64))
