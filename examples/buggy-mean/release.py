"""A private mean with a bug. Find it with `hdp-audit run`, then read README.md."""

import numpy as np


def private_mean(data, epsilon, rng):
    """Weights follow the demands; the noise is calibrated to the average demand."""
    return float(private_mean.batch(data, epsilon, rng, 1)[0])


def _batch(data, epsilon, rng, size):
    weights = np.minimum(epsilon, 1.0)
    weights = np.sqrt(weights)  # "a fairer share for careful users"
    weights /= weights.sum()
    scale = 1 / (epsilon.size * np.minimum(epsilon, 1.0).mean())
    return weights @ data + rng.laplace(scale=scale, size=size)


private_mean.batch = _batch
