"""One draw of noise is added to every category: differences of bins carry none."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.frequency import Frequency
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """The same Laplace(2t) in all bins."""
    value = honest.table(data, honest.weights(epsilon))
    return honest.clipped(value + rng.laplace(0.0, 2.0 * honest.noise_level(epsilon), size=(size, 1)))


def loss(epsilon: Floats) -> Floats:
    """Two unclipped bins subtracted give the data away."""
    return honest.reveals(honest.spend(epsilon))


FAULT = PlantedFault(
    name="reused-noise",
    estimates=Frequency(honest.CATEGORIES),
    bug="One draw of noise is added to every category: differences of bins carry none.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
