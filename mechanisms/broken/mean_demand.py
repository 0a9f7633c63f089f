"""Equal weights, and noise for the average demand: the careful pay for the careless."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Laplace(1/Σε)."""
    by = np.full(epsilon.size, 1.0 / epsilon.size)
    return honest.noisy(honest.mean(data, by), 1.0 / float(epsilon.sum()), rng, size)


def loss(epsilon: Floats) -> Floats:
    """The average demand, for everybody."""
    return np.full(epsilon.size, float(np.mean(epsilon)))


FAULT = PlantedFault(
    name="mean-demand",
    estimates=Mean(),
    bug="Equal weights, and noise for the average demand: the careful pay for the careless.",
    breaks=frozenset({"privacy"}),
    demands="two-point",
    draw=draw,
    loss=loss,
)
