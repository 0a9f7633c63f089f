"""Users with ε = 0 are counted in like the most careful of the others."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Zero demands replaced by the smallest positive one."""
    careful = epsilon[epsilon > 0].min()
    share = np.where(epsilon > 0, honest.spend(epsilon), careful)
    return honest.noisy(honest.mean(data, share / share.sum()), 1.0 / float(share.sum()), rng, size)


def loss(epsilon: Floats) -> Floats:
    """Honest for all but the users with ε = 0."""
    return np.where(epsilon > 0, honest.spend(epsilon), epsilon[epsilon > 0].min())


FAULT = PlantedFault(
    name="zero-demand-counted",
    estimates=Mean(),
    bug="Users with ε = 0 are counted in like the most careful of the others.",
    breaks=frozenset({"privacy"}),
    demands="tiers",
    draw=draw,
    loss=loss,
)
