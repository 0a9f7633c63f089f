"""What the best test could do against a faint control, with both laws known and all calls on the worst pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from mechanisms.broken import FAINT
from mechanisms.broken.sm_realised_mean import density

Floats = NDArray[np.float64]


def best_power(calls: int, significance: float = 0.001) -> float:
    """Of the likelihood ratio of coin and output against a law that keeps the promise (Neyman–Pearson).

    The mean of a sample of its realised size, its first user at 1 or at 0, the second at 0; in cells of a thousandth,
    clipped to [0, 1]. The law that keeps the promise has the same outputs and fair coins, and its guesses are right as
    often as allowed, no more: no test that flags it with probability `significance` at most has more power.
    """
    epsilon = FAINT["sm-realised-mean"].epsilon
    edges = np.linspace(-40.0, 41.0, 81_001)
    middles = 0.5 * (edges[1:] + edges[:-1])
    cell = np.clip(np.ceil(middles * 1000.0), 0, 1001).astype(int)  # the first and the last are the atoms
    masses = [density(middles, epsilon, np.array([own, 0.0])) * np.diff(edges) for own in (1.0, 0.0)]
    one, other = (np.bincount(cell, weights=mass) for mass in masses)
    share, odds = 0.5 * (one + other) / (0.5 * (one + other)).sum(), np.log(one / other)

    def kept(moved: float) -> Floats:
        return expit(np.clip(odds + moved, -epsilon[0], epsilon[0]))

    fair = brentq(lambda moved: float(share @ kept(moved)) - 0.5, -1.0, 1.0)
    true, allowed = expit(odds), kept(fair)
    gains = np.concatenate([np.log(true / allowed), np.log((1.0 - true) / (1.0 - allowed))])
    broken, kept = (np.concatenate([share * p, share * (1.0 - p)]) for p in (true, allowed))
    mean, spread = calls * float(kept @ gains), np.sqrt(calls * float(kept @ gains**2))
    limit = brentq(
        lambda at: beyond(at, gains, kept, calls) - significance, mean, mean + 10.0 * spread, xtol=1e-6 * spread
    )
    return beyond(limit, gains, broken, calls)


def beyond(limit: float, gains: Floats, chances: Floats, calls: int) -> float:
    """P(the gains of so many independent calls sum to more than `limit`), from their characteristic function.

    Gil-Pelaez's inversion, by the midpoint rule up to where nothing is left.
    """
    spread = np.sqrt(calls * (chances @ gains**2 - (chances @ gains) ** 2))
    step = 0.01 / spread
    at = step * (np.arange(1000) + 0.5)
    waves = np.exp(1j * np.outer(at, gains)) @ chances
    return float(0.5 + np.sum((waves**calls * np.exp(-1j * at * limit)).imag / at) * step / np.pi)
