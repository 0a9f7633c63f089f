"""Demands are sorted before the weights are computed, the data are not."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Somebody else's weight for everybody."""
    by = honest.weights(np.sort(epsilon))
    return honest.noisy(honest.mean(data, by), honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats) -> Floats:
    """What the user at that rank may lose."""
    return honest.spend(np.sort(epsilon))


FAULT = PlantedFault(
    name="sorted-demands",
    estimates=Mean(),
    bug="Demands are sorted before the weights are computed, the data are not.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
