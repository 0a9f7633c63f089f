"""A mean with normal noise that dp_accounting calibrates to (epsilon, delta)."""

from functools import cache

from dp_accounting import GaussianDpEvent
from dp_accounting.mechanism_calibration import calibrate_dp_mechanism
from dp_accounting.pld import PLDAccountant


@cache
def noise(epsilon, delta):
    """The least standard deviation for a sum that one user moves by at most 1, by privacy loss distributions."""
    return calibrate_dp_mechanism(PLDAccountant, GaussianDpEvent, epsilon, delta, tol=1e-4)


def private_mean(data, epsilon, delta, rng):
    """Everybody has the same promise; the calibration is dp_accounting's, the draw numpy's."""
    sigma = noise(float(epsilon.min()), float(delta.min()))
    return float((data.sum() + rng.normal(0.0, sigma)) / len(data))
