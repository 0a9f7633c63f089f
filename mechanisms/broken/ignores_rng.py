"""Noise from the system's generator, whatever generator is handed over: nobody can run it again."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Honest, but not replayable."""
    value = honest.mean(data, honest.weights(epsilon))
    return honest.noisy(value, honest.noise_level(epsilon), np.random.default_rng(), size)


def loss(epsilon: Floats) -> Floats:
    """Honest."""
    return honest.spend(epsilon)


FAULT = PlantedFault(
    name="ignores-rng",
    estimates=Mean(),
    bug="Noise from the system's generator, whatever generator is handed over: nobody can run it again.",
    breaks=frozenset({"replay"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
