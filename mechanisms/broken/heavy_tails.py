"""One draw in five has ten times the scale: right in the middle, wrong in the tails."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """A mixture of Laplace(t) and Laplace(10t)."""
    value = honest.mean(data, honest.weights(epsilon))
    scale = honest.noise_level(epsilon) * np.where(rng.random((size, 1)) < 0.2, 10.0, 1.0)
    return honest.clipped(value + rng.laplace(0.0, 1.0, size=(size, 1)) * scale)


def loss(epsilon: Floats) -> Floats:
    """log f(0)/f(w_i), f the mixture's density: the logarithm of f is steepest at 0. Below spend_i."""
    own = honest.spend(epsilon)
    return np.log(0.41 / (0.4 * np.exp(-own) + 0.01 * np.exp(-own / 10.0)))


FAULT = PlantedFault(
    name="heavy-tails",
    estimates=Mean(),
    bug="One draw in five has ten times the scale: right in the middle, wrong in the tails.",
    breaks=frozenset({"accuracy"}),
    demands="equal-1",
    draw=draw,
    loss=loss,
)
