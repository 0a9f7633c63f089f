"""The formula is right, the arithmetic leaks: value + noise in doubles tells the value in its low bits."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """What everybody writes first."""
    value = honest.mean(data, honest.weights(epsilon))
    return honest.noisy(value, honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats) -> Floats:
    """As real numbers, honest."""
    return honest.spend(epsilon)


FAULT = PlantedFault(
    name="float-noise",
    estimates=Mean(),
    bug="The formula is right, the arithmetic leaks: value + noise in doubles tells the value in its low bits.",
    breaks=frozenset({"float"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
