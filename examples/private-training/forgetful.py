"""The same training with a mistake that is often made: the noise is enough for one step, and there are many."""

from training import descend


def train(data, mu, rng):
    """Loses up to sqrt(STEPS) times what was promised."""
    weight = mu / mu.max()
    return descend(data, weight, 2.0 * (weight / mu).max(), rng)
