"""The last category is never counted."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.frequency import Frequency
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """An off-by-one in the bins."""
    value = honest.table(data, honest.weights(epsilon))
    value[-1] = 0.0
    return honest.noisy(value, 2.0 * honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats) -> Floats:
    """Two counted bins still move by w_i each."""
    return honest.spend(epsilon)


FAULT = PlantedFault(
    name="forgotten-category",
    estimates=Frequency(honest.CATEGORIES),
    bug="The last category is never counted.",
    breaks=frozenset({"accuracy"}),
    demands="equal-1",
    draw=draw,
    loss=loss,
)
