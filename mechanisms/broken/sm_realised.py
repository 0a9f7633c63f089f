"""SM as the paper's experiments use it: shares and noise of the sample at hand, private for adding a record, not for
replacing one.

With user i unsampled the sample has another size, and so has the noise, in all categories at once: the unsampled law Q
is not close to the sampled law P where outputs lie near P's middle, and there the mixture (1−p)Q + pP hides nothing.
"""

from __future__ import annotations

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.broken.sm_realised_mean import chances
from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.frequency import Frequency
from mechanisms.task import CELLS, Data


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Shares in the sample plus Laplace(2/(τ·sample size)), not clipped; an empty sample has no shares and size one."""
    p, tau = chances(epsilon), float(epsilon.max())
    belongs = np.equal.outer(data, np.arange(honest.CATEGORIES)).astype(np.float64)
    outputs = np.empty((size, honest.CATEGORIES))
    step = max(1, CELLS // epsilon.size)
    for start in range(0, size, step):
        rows = outputs[start : start + step]
        sampled = rng.random((rows.shape[0], epsilon.size)) < p
        count = np.maximum(sampled.sum(axis=1, keepdims=True), 1)
        rows[:] = sampled @ belongs / count + rng.laplace(size=rows.shape) * 2.0 / (tau * count)
    return outputs


def loss(epsilon: Floats, categories: int = honest.CATEGORIES) -> Floats:
    """For two users, the larger demand τ with the second one, who is always sampled and loses τ.

    The first one joins with chance p and moves the shares by 1 in total: P_a and P_b differ by e^τ at most. Where their
    mode lies, at distance 1 from the other's share, P_a is 2^k·e^{τ/2} times Q, by the triangle inequality nowhere
    more, and P_b is e^{−τ}·P_a. So the loss is log((1 + u)/(1 + u·e^{−τ})) with u = p/(1−p)·2^k·e^{τ/2}.
    """
    if epsilon.size != 2 or not 0 <= epsilon[0] < epsilon[1] < np.inf:
        raise InvalidInput(f"demands {epsilon.tolist()}: the loss is known for two, the second one larger and finite")
    p, tau = chances(epsilon)[0], epsilon[1]
    u = p / (1.0 - p) * 2.0**categories * np.exp(0.5 * tau)
    return np.array([np.log1p(u) - np.log1p(u * np.exp(-tau)), tau])


FAULT = PlantedFault(
    name="sm-realised",
    estimates=Frequency(honest.CATEGORIES),
    bug="The sampling mechanism counts shares of the sample it happened to draw, and scales its noise to that.",
    breaks=frozenset({"privacy", "range"}),
    demands=(0.5, 1.0),
    draw=draw,
    loss=loss,
)
