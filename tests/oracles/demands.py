"""Named demand vectors on which every optimum is checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def hard_cases() -> dict[str, Floats]:
    """Equal, two-point, forty orders of magnitude, zeros, infinities, one and two users, near-equal, huge, tiny."""
    wide = np.exp(_rng(40).uniform(np.log(1e-20), np.log(1e20), 120))
    mixed = np.concatenate([np.exp(_rng(41).uniform(-5, 5, 50)), np.zeros(5), np.full(5, np.inf)])
    return {
        "equal": np.full(100, 0.1),
        "equal-ragged": np.full(97, 0.7),
        "two-point": np.repeat([0.05, 2.0], [50, 50]),
        "forty-orders": wide,
        "forty-orders-edges": np.concatenate([wide[:40], [0.0, 0.0, np.inf]]),
        "log-uniform": np.exp(_rng(42).uniform(-5, 5, 80)),
        "zeros": np.concatenate([np.zeros(30), _rng(43).uniform(0, 1, 70)]),
        "infinities": np.concatenate([np.full(3, np.inf), _rng(44).uniform(0, 1, 60)]),
        "mixed": mixed,
        "public-and-forbidden": np.array([0.0, np.inf, 0.0, np.inf, 0.0]),
        "one": np.array([0.5]),
        "two": np.array([0.3, 4.0]),
        "near-equal": 1.0 + 1e-12 * np.arange(80),
        "huge": np.full(50, 1e12),
        "tiny": np.full(50, 1e-12),
        "ties": np.repeat([0.01, 0.1, 0.5, 3.0], [20, 40, 30, 10]),
        "odd": _rng(45).uniform(0, 0.2, 31),
    }


def two_thousand() -> Floats:
    """Natural logarithms in [−5, 5], with a few zeros and public users."""
    values = np.exp(_rng(46).uniform(-5, 5, 2_000))
    values[:7], values[7:11] = 0.0, np.inf
    return values
