"""The generator is seeded with a constant in each call: the noise is always the same."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data

SAME = float(np.random.default_rng(2190).laplace())  # what each call would draw after seeding itself


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """The same noise for ever; the caller's generator is ignored."""
    value = honest.mean(data, honest.weights(epsilon))
    return honest.clipped(np.full((size, 1), value + SAME * honest.noise_level(epsilon)))


def loss(epsilon: Floats) -> Floats:
    """A constant can be subtracted."""
    if SAME * honest.noise_level(epsilon) >= 1.0:  # everything is clipped to 1
        return np.zeros(epsilon.size)
    return honest.reveals(honest.spend(epsilon))


FAULT = PlantedFault(
    name="fixed-seed",
    estimates=Mean(),
    bug="The generator is seeded with a constant in each call: the noise is always the same.",
    breaks=frozenset({"privacy", "replay"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
