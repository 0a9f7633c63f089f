"""How far a sum of scores may be trusted: scores of outputs that go together say the same thing several times.

Each score claims to be right with probability 1/(1 + e^-|s|), and so does a sum of scores of independent outputs. Where
they are not, the sum claims far more than it keeps: a rule chosen by such a claim loses bet after bet. The slope that
makes the coins seen so far likeliest says how much of it to believe.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]

CLEAR = 5.0  # nats by which a slope below 1 must explain the coins better
LOOKED_AT = 1 << 14  # draws, at most
HALVINGS = 12


def trust(scores: Floats, coins: NDArray[np.bool_]) -> float:
    """The share of a summed score that is believed: 1 unless it is clearly less."""
    signed = np.where(coins, scores, -scores)[-LOOKED_AT:]
    if _slope(signed, 1.0) >= 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _slope(signed, middle) > 0 else (low, middle)
    return low if _likelihood(signed, low) - _likelihood(signed, 1.0) > CLEAR else 1.0


def _likelihood(signed: Floats, share: float) -> float:
    return -float(np.logaddexp(0.0, -share * signed).sum())


def _slope(signed: Floats, share: float) -> float:
    """Of the likelihood, which is concave in the share."""
    return float(signed @ expit(-share * signed))
