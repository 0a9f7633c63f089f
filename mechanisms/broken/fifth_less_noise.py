"""A fifth less noise than the demands ask for."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Laplace(0.8·t)."""
    value = honest.mean(data, honest.weights(epsilon))
    return honest.noisy(value, 0.8 * honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats) -> Floats:
    """w_i/(0.8·t)."""
    return 1.25 * honest.spend(epsilon)


FAULT = PlantedFault(
    name="fifth-less-noise",
    estimates=Mean(),
    bug="A fifth less noise than the demands ask for.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
