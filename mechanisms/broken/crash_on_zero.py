"""A relative error is logged first, and all-zero data divide by zero."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Honest, but for an exception that depends on the data."""
    true = float(data @ honest.weights(epsilon))
    outputs = honest.noisy(np.array([true]), honest.noise_level(epsilon), rng, size)
    if true == 0:
        raise ZeroDivisionError("relative error of a zero mean")
    return outputs


def loss(epsilon: Floats) -> Floats:
    """Crash or no crash tells whether everybody is at 0."""
    return honest.reveals(honest.spend(epsilon))


FAULT = PlantedFault(
    name="crash-on-zero",
    estimates=Mean(),
    bug="A relative error is logged first, and all-zero data divide by zero.",
    breaks=frozenset({"privacy", "accuracy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
