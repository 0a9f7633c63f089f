"""The noise is scaled to the spread of the data at hand."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Laplace(t·(max − min))."""
    value = honest.mean(data, honest.weights(epsilon))
    return honest.noisy(value, honest.noise_level(epsilon) * float(np.ptp(data)), rng, size)


def loss(epsilon: Floats) -> Floats:
    """Constant data come out bare; one changed datum adds noise, even that of a user without weight."""
    return np.full(epsilon.size, np.inf)


FAULT = PlantedFault(
    name="data-dependent-scale",
    estimates=Mean(),
    bug="The noise is scaled to the spread of the data at hand.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
