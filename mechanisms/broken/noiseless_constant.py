"""Constant data are answered without noise, as nothing seems to be hidden."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """No noise where all data agree."""
    value = honest.mean(data, honest.weights(epsilon))
    scale = 0.0 if np.ptp(data) == 0 else honest.noise_level(epsilon)
    return honest.noisy(value, scale, rng, size)


def loss(epsilon: Floats) -> Floats:
    """An exact answer says that nobody differs, users without weight included."""
    return np.full(epsilon.size, np.inf)


FAULT = PlantedFault(
    name="noiseless-constant",
    estimates=Mean(),
    bug="Constant data are answered without noise, as nothing seems to be hidden.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
