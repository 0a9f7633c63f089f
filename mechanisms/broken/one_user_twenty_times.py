"""One user is weighed twenty times."""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.mean import Mean
from mechanisms.task import Data

USER = 417


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int, user: int = USER) -> Floats:
    """Somebody appears in twenty rows of a joined table."""
    by = honest.weights(epsilon)
    by[user] *= 20.0
    return honest.noisy(honest.mean(data, by), honest.noise_level(epsilon), rng, size)


def loss(epsilon: Floats, user: int = USER) -> Floats:
    """Twenty times the honest loss, for one user."""
    own = honest.spend(epsilon)
    own[user] *= 20.0
    return own


FAULT = PlantedFault(
    name="one-user-twenty-times",
    estimates=Mean(),
    bug="One user is weighed twenty times.",
    breaks=frozenset({"privacy"}),
    demands="equal-0.1",
    draw=draw,
    loss=loss,
)
