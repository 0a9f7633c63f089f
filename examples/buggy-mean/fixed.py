"""The same mean, mended: the noise covers the user who pays most for it."""

import numpy as np


def private_mean(data, epsilon, rng):
    """User i's loss is weights[i] / scale, which must not be above epsilon[i] for anybody."""
    return float(private_mean.batch(data, epsilon, rng, 1)[0])


def _batch(data, epsilon, rng, size):
    weights = np.sqrt(np.minimum(epsilon, 1.0))
    weights /= weights.sum()
    scale = (weights / epsilon).max()
    return weights @ data + rng.laplace(scale=scale, size=size)


private_mean.batch = _batch
