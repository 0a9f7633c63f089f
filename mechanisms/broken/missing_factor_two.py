"""The noise has scale t instead of 2t: a replaced datum leaves one bin and enters another."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.frequency import Frequency
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Laplace(t) in each bin."""
    value = honest.table(data, honest.weights(epsilon))
    return honest.noisy(value, honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats) -> Floats:
    """Both bins move by w_i: 2w_i/t."""
    return 2.0 * honest.spend(epsilon)


FAULT = PlantedFault(
    name="missing-factor-two",
    estimates=Frequency(honest.CATEGORIES),
    bug="The noise has scale t instead of 2t: a replaced datum leaves one bin and enters another.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
