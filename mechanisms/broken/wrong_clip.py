"""Estimates are clipped to [¼, ¾]."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Small and large means come out wrong."""
    value = honest.mean(data, honest.weights(epsilon))
    return np.clip(honest.noisy(value, honest.noise_level(epsilon), rng, size), 0.25, 0.75)


def loss(epsilon: Floats) -> Floats:
    """Honest, and post-processed.

    Half of the range still tells all of a weight up to ¾, and a little less of a larger one.
    """
    w, t = honest.weights(epsilon), honest.noise_level(epsilon)
    most = np.log(2.0 - np.exp(-np.maximum(w - 0.75, 0.0) / t)) + 0.75 / t
    return np.where(w <= 0.75, honest.spend(epsilon), most)


FAULT = PlantedFault(
    name="wrong-clip",
    estimates=Mean(),
    bug="Estimates are clipped to [¼, ¾].",
    breaks=frozenset({"accuracy"}),
    demands="equal-1",
    draw=draw,
    loss=loss,
)
