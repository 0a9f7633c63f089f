"""Clipped before the noise is added instead of after: estimates leave [0, 1]."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Noise on top of a value that is in [0, 1] anyway."""
    value = honest.mean(data, honest.weights(epsilon))
    return (value + rng.laplace(0.0, honest.noise_level(epsilon), size=(size, 1)))[:, 0]


def loss(epsilon: Floats) -> Floats:
    """Honest: clipping is no part of the promise."""
    return honest.spend(epsilon)


FAULT = PlantedFault(
    name="unclipped",
    estimates=Mean(),
    bug="Clipped before the noise is added instead of after: estimates leave [0, 1].",
    breaks=frozenset({"range"}),
    demands="equal-0.1",
    draw=draw,
    loss=loss,
)
