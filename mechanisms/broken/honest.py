"""The honest parts that the controls share: every mistake is a small departure from these lines.

Spending min(ε, 1) is private: weights ∝ spending, noise of scale c/Σspending (lem:eps-dp).
"""

from __future__ import annotations

import numpy as np

from mechanisms.demands import Floats
from mechanisms.task import Data

CATEGORIES = 10


def spend(epsilon: Floats) -> Floats:
    """min(ε, 1): each user's honest loss."""
    return np.minimum(epsilon, 1.0)


def weights(epsilon: Floats) -> Floats:
    """Spending over its sum."""
    return spend(epsilon) / spend(epsilon).sum()


def noise_level(epsilon: Floats) -> float:
    """t = ‖w/ε‖∞ = 1/Σspending."""
    return float(1.0 / spend(epsilon).sum())


def mean(data: Data, by: Floats) -> Floats:
    """Σw_i·x_i, as an array of one."""
    return np.array([float(by @ data)])


def table(data: Data, by: Floats) -> Floats:
    """Σw_i·1{x_i = j} for each category."""
    return np.bincount(data, weights=by, minlength=CATEGORIES).astype(np.float64)


def noisy(value: Floats, scale: float, rng: np.random.Generator, size: int) -> Floats:
    """value + Laplace, clipped to [0, 1]; a mean comes out as plain numbers."""
    return clipped(value + rng.laplace(0.0, scale, size=(size, value.size)))


def clipped(outputs: Floats) -> Floats:
    """To [0, 1], and without the last axis where it has one entry."""
    inside = np.clip(outputs, 0.0, 1.0)
    return inside[:, 0] if inside.shape[1] == 1 else inside


def reveals(involved: Floats) -> Floats:
    """Unbounded loss for everybody who has any weight, none for the others."""
    return np.where(involved > 0, np.inf, 0.0)
