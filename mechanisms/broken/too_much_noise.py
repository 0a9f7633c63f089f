"""Three times the noise that the demands ask for."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Laplace(3t)."""
    value = honest.mean(data, honest.weights(epsilon))
    return honest.noisy(value, 3.0 * honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats) -> Floats:
    """A third of the honest loss."""
    return honest.spend(epsilon) / 3.0


FAULT = PlantedFault(
    name="too-much-noise",
    estimates=Mean(),
    bug="Three times the noise that the demands ask for.",
    breaks=frozenset({"accuracy"}),
    demands="equal-1",
    draw=draw,
    loss=loss,
)
