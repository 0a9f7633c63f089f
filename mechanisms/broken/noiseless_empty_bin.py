"""Empty categories are left at zero, without noise."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.frequency import Frequency
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Noise only where somebody is."""
    value = honest.table(data, honest.weights(epsilon))
    noise = rng.laplace(0.0, 2.0 * honest.noise_level(epsilon), size=(size, value.size))
    return honest.clipped(value + np.where(value > 0, noise, 0.0))


def loss(epsilon: Floats) -> Floats:
    """A bin that is not exactly 0 or clipped to it has somebody in it."""
    return honest.reveals(honest.spend(epsilon))


FAULT = PlantedFault(
    name="noiseless-empty-bin",
    estimates=Frequency(honest.CATEGORIES),
    bug="Empty categories are left at zero, without noise.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
