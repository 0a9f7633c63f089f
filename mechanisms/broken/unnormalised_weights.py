"""The weights are not divided by their sum, but the noise is that of weights that are."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Σspend·x + Laplace(1/Σspend)."""
    return honest.noisy(honest.mean(data, honest.spend(epsilon)), honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats) -> Floats:
    """Each datum moves the sum by spend_i instead of w_i."""
    return honest.spend(epsilon) * honest.spend(epsilon).sum()


FAULT = PlantedFault(
    name="unnormalised-weights",
    estimates=Mean(),
    bug="The weights are not divided by their sum, but the noise is that of weights that are.",
    breaks=frozenset({"privacy", "accuracy"}),
    demands="equal-0.1",
    draw=draw,
    loss=loss,
)
