"""The power of a pass: the smallest loss that would have been flagged with probability 0.8, had the noise been too
small.

Of the tested kind: the same law with its noise scaled down on the pairs tried. The best event of Laplace noise is
known, and what learning it costs was measured: EFFICIENCY. `benchmarks/privacy_operating.py` scales noise to exactly
this loss and counts refutations.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from hdp_audit.evidence.wealth import needed_right

POWER = 0.8
EFFICIENCY = 0.78  # judged calls of an ideal witness that do as well as one call of ours


def detectable_loss(claimed: float, judged: int, significance: float) -> float:
    """The smallest loss that is refuted with probability 0.8 in `judged` calls; inf where there is none.

    A loss L guesses on the saturated outputs, a share (1 + e^{−L})/2 of all, and is right there with probability 1/(1
    + e^{−L}); or on all outputs, and is right with probability 1 − e^{−L/2}/2.
    """
    calls = int(EFFICIENCY * judged)
    horizon = max(int(judged * 0.5 * (1.0 + np.exp(-claimed))), 1)

    def power(loss: float) -> float:
        kinds = ((0.5 * (1.0 + np.exp(-loss)), expit(loss)), (1.0, 1.0 - 0.5 * np.exp(-0.5 * loss)))
        return max(_power(claimed, int(calls * share), right, horizon, significance) for share, right in kinds)

    low, high = claimed, claimed + 1.0
    while power(high) < POWER:
        low, high = high, 2.0 * high + 1.0
        if high > 1e3:
            return float("inf")
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def _power(claimed: float, made: int, right: float, horizon: int, significance: float) -> float:
    """P(the claim is refuted after `made` guesses that are right with probability `right` each)."""
    needed = needed_right(claimed, made, horizon, significance)
    return float(binom.sf(needed - 1, made, right))
