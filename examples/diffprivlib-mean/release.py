"""A mean under everybody's own demand with diffprivlib's Laplace noise.

Needs `pip install 'hdp-audit[diffprivlib]'` in an environment of its own: it wants scikit-learn below 1.6.
"""

import numpy as np
from diffprivlib.mechanisms import Laplace

LEVEL = 0.5


def private_mean(data, epsilon, rng):
    """The user who spends most moves the weighted sum by the sensitivity, at a loss of the level."""
    spent = np.minimum(epsilon, LEVEL)
    noise = Laplace(epsilon=1.0, sensitivity=1.0, random_state=int(rng.integers(2**32)))
    return noise.randomise(float(spent @ data)) / spent.sum()
