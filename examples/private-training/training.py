"""Logistic regression by noisy gradient steps, with a promise of Gaussian differential privacy to each person.

A row is one person's features times their label, +1 or -1, in the unit ball. In each step person i moves the sum of
gradients by at most 2 * weight[i] when their row is replaced, so normal noise of standard deviation `noise` costs them
2 * weight[i] / noise; STEPS steps together cost sqrt(STEPS) times as much. Weights are proportional to demands.
"""

import numpy as np

STEPS, RATE = 36, 0.05


def train(data, mu, rng):
    """The coefficients; nobody loses more than their mu."""
    return descend(data, weight := mu / mu.max(), 2.0 * np.sqrt(STEPS) * (weight / mu).max(), rng)


def descend(data, weight, noise, rng):
    """Gradient steps with so much noise in each."""
    coefficients = np.zeros(data.shape[1])
    for _ in range(STEPS):
        unsure = 1.0 / (1.0 + np.exp(data @ coefficients))  # how wrong the model is about each person, from 0 to 1
        step = (weight * unsure) @ data + rng.normal(0.0, noise, coefficients.size)
        coefficients += RATE / len(data) * step
    return coefficients
