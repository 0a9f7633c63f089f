"""Gaussian noise of the right variance: its tails are too thin for a pure promise."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Normal noise with the variance of Laplace(t)."""
    value = honest.mean(data, honest.weights(epsilon))
    deviation = np.sqrt(2.0) * honest.noise_level(epsilon)
    return honest.clipped(value + rng.normal(0.0, deviation, size=(size, 1)))


def loss(epsilon: Floats) -> Floats:
    """All data 0: the atom at 1 has mass P(N ≥ 1), and with x_i = 1 it has P(N ≥ 1 − w_i)."""
    deviation = np.sqrt(2.0) * honest.noise_level(epsilon)
    by = honest.weights(epsilon)
    return log_ndtr((by - 1.0) / deviation) - log_ndtr(-1.0 / deviation)


FAULT = PlantedFault(
    name="gaussian-noise",
    estimates=Mean(),
    bug="Gaussian noise of the right variance: its tails are too thin for a pure promise.",
    breaks=frozenset({"privacy"}),
    demands="equal-1",
    draw=draw,
    loss=loss,
)
