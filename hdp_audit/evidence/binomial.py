"""The fixed-sample game: V right guesses of W made bound the privacy loss from below, by one exact binomial interval.

Flip a fair coin between two datasets that differ in users G, run the mechanism, and guess the coin from the output or
abstain. If the demands are kept then, given the output, P(right) ≤ p_G = 1/(1 + e^{−Σε_i}): the likelihood ratio of
the two output laws is at most e^{Σε_i} and the coin is fair. So a lower confidence bound on P(right) is one on the
loss, logit(p). Valid for a rule that was fixed before the judged draws; adaptive play belongs to wealth.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, logit

Floats = NDArray[np.float64]


def proportion_lower(successes: ArrayLike, trials: ArrayLike, significance: float) -> Floats:
    """Clopper and Pearson: the p at which `successes` or more have probability `significance`; 0 without successes."""
    v, w = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    found = v > 0
    lower = np.zeros(v.shape)
    lower[found] = betaincinv(v[found], w[found] - v[found] + 1.0, significance)
    return lower


def loss_lower(right: ArrayLike, guesses: ArrayLike, significance: float) -> Floats:
    """The loss that the guesses prove: max(0, logit of the lower bound on P(right))."""
    with np.errstate(divide="ignore"):
        return np.maximum(logit(proportion_lower(right, guesses, significance)), 0.0)


def loss_upper(right: ArrayLike, guesses: ArrayLike, significance: float) -> Floats:
    """The largest loss that the guesses of *this rule* are compatible with; other events may lose more."""
    v, w = np.asarray(right, dtype=np.float64), np.asarray(guesses, dtype=np.float64)
    upper = np.where(v < w, betaincinv(v + 1.0, np.maximum(w - v, 1e-300), 1.0 - significance), 1.0)
    with np.errstate(divide="ignore"):
        return np.maximum(logit(upper), 0.0)


def largest_provable(guesses: int, significance: float) -> float:
    """logit(significance^{1/W}): what W right guesses in a row prove; no event count proves more."""
    return float(loss_lower(guesses, guesses, significance))


def right_at_most(loss: ArrayLike) -> Floats:
    """p = 1/(1 + e^{−loss}): the largest probability of a right guess under a loss."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.asarray(loss, dtype=np.float64))))


def guess_share(loss: float) -> float:
    """(1 + e^{−loss})/2: how often Laplace noise of that loss gives an output with the full likelihood ratio."""
    return float(0.5 * (1.0 + np.exp(-loss)))
