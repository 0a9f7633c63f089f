"""Weights ∝ ε² below the level: private, but the careful hardly count."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """As if everybody demanded the square."""
    share = honest.spend(epsilon) ** 2
    return honest.noisy(honest.mean(data, share / share.sum()), 1.0 / float(share.sum()), rng, size)


def loss(epsilon: Floats) -> Floats:
    """min(ε, 1)² ≤ ε."""
    return honest.spend(epsilon) ** 2


FAULT = PlantedFault(
    name="biased-weights",
    estimates=Mean(),
    bug="Weights ∝ ε² below the level: private, but the careful hardly count.",
    breaks=frozenset({"accuracy"}),
    demands="log-uniform",
    draw=draw,
    loss=loss,
)
