"""SM as the paper's experiments use it: mean and noise of the sample at hand, private for adding a record, not for
replacing one.

With user i unsampled the sample has another size, so its output law Q is not e^{−τ}-close to the sampled law P, and
the mixture (1−p)Q + pP loses more than ε_i: 0.304 at demands (0.25, 0.5), where the first user asked for 0.25. That
shows in outputs near ½ alone: 29 millionths of a nat a call, so with 300,000 calls on the worst pair a test that knows
both laws reaches a power of 0.87 at confidence 0.999, 18 times of 20 only every second time it is tried. Frequencies in
ten categories, not clipped (`sm-realised`, at demands (0.5, 1)), show the same mistake some fifty times as clearly.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from mechanisms.broken import honest
from mechanisms.broken.fault import PlantedFault
from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.mean import Mean
from mechanisms.task import CELLS, Data

LARGEST = 8  # users for whom all samples are enumerated


def chances(epsilon: Floats) -> Floats:
    """(e^{ε_i} − 1)/(e^τ − 1), τ the largest demand; public users alone where there are any."""
    tau = epsilon.max()
    if np.isinf(tau):
        return np.isinf(epsilon).astype(np.float64)
    return np.exp(epsilon - tau) * np.expm1(-epsilon) / np.expm1(-tau)


def draw(data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Mean of the sample plus Laplace(1/(τ·sample size)); an empty sample counts as one user at 0."""
    p, tau = chances(epsilon), float(epsilon.max())
    outputs = np.empty((size, 1))
    step = max(1, CELLS // epsilon.size)
    for start in range(0, size, step):
        rows = outputs[start : start + step]
        sampled = rng.random((rows.shape[0], epsilon.size)) < p
        count = np.maximum(sampled.sum(axis=1), 1)
        rows[:, 0] = sampled @ data / count + rng.laplace(size=rows.shape[0]) / (tau * count)
    return honest.clipped(outputs)


def loss(epsilon: Floats) -> Floats:
    """The largest over data in {0, 1}ⁿ and outputs at the kinks of the densities, by enumeration.

    Exact for two users of small demands; where demands are large, data inside [0, 1] can be a little worse.
    """
    if epsilon.size > LARGEST:
        raise InvalidInput(f"{epsilon.size} users: all samples are enumerated for at most {LARGEST}")
    return np.array([max(_log_ratio(epsilon, i, rest) for rest in _others(epsilon.size)) for i in range(epsilon.size)])


def _others(users: int) -> list[tuple[int, ...]]:
    return list(product((0, 1), repeat=users - 1))


def _log_ratio(epsilon: Floats, user: int, rest: tuple[int, ...]) -> float:
    kinks = np.unique([j / m for m in range(1, epsilon.size + 1) for j in range(m + 1)])
    low, high = (density(kinks, epsilon, np.insert(np.array(rest, float), user, own)) for own in (0.0, 1.0))
    return float(np.abs(np.log(high / low)).max())


def density(at: Floats, epsilon: Floats, data: Floats) -> Floats:
    """Of the output before it is clipped: a mixture over all samples."""
    p, tau = chances(epsilon), float(epsilon.max())
    total = np.zeros_like(at)
    for sample in product((0, 1), repeat=epsilon.size):
        chosen = np.array(sample)
        count = max(int(chosen.sum()), 1)
        probability = float(np.prod(np.where(chosen, p, 1.0 - p)))
        total += probability * 0.5 * tau * count * np.exp(-tau * count * np.abs(at - chosen @ data / count))
    return total


FAULT = PlantedFault(
    name="sm-realised-mean",
    estimates=Mean(),
    bug="The sampling mechanism averages over the sample it happened to draw, and scales its noise to that.",
    breaks=frozenset({"privacy"}),
    demands=(0.25, 0.5),
    draw=draw,
    loss=loss,
)
