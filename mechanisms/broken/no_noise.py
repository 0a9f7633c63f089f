"""The exact weighted mean is released."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """No noise at all."""
    value = honest.mean(data, honest.weights(epsilon))
    return np.repeat(value, size)


def loss(epsilon: Floats) -> Floats:
    """The answer is the data."""
    return honest.reveals(honest.spend(epsilon))


FAULT = PlantedFault(
    name="no-noise",
    estimates=Mean(),
    bug="The exact weighted mean is released.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
