"""The noise is scaled to the average of w/ε instead of its maximum."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Equal weights, Laplace(mean of w/ε)."""
    by = np.full(epsilon.size, 1.0 / epsilon.size)
    return honest.noisy(honest.mean(data, by), float(np.mean(by / epsilon)), rng, size)


def loss(epsilon: Floats) -> Floats:
    """w/mean(w/ε): the same for all, and more than the careful half asked for."""
    return np.full(epsilon.size, 1.0 / np.mean(1.0 / epsilon))


FAULT = PlantedFault(
    name="mean-not-max",
    estimates=Mean(),
    bug="The noise is scaled to the average of w/ε instead of its maximum.",
    breaks=frozenset({"privacy"}),
    demands="two-point",
    draw=draw,
    loss=loss,
)
