"""Noise is drawn once and shared by all outputs of a batch."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """One Laplace(t) for the whole batch."""
    value = honest.mean(data, honest.weights(epsilon))
    return honest.clipped(np.full((size, 1), value + rng.laplace(0.0, honest.noise_level(epsilon))))


def loss(epsilon: Floats) -> Floats:
    """A single output is honest; two outputs are one, and tests that believe in fresh noise are misled."""
    return honest.spend(epsilon)


FAULT = PlantedFault(
    name="noise-drawn-once",
    estimates=Mean(),
    bug="Noise is drawn once and shared by all outputs of a batch.",
    breaks=frozenset({"replay"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
