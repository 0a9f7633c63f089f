"""A mean under everybody's own demand with OpenDP's Laplace noise; needs `pip install 'hdp-audit[opendp]'`."""

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")
LEVEL = 0.5
NOISE = dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0)


def private_mean(data, epsilon):
    """OpenDP draws from its own generator, so there is no rng: the audit works, a replay does not."""
    spent = np.minimum(epsilon, LEVEL)
    return NOISE(float(spent @ data)) / spent.sum()
