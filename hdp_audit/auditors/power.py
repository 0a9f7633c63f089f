"""The power of a pass: the smallest loss that an ideal witness would have flagged, had the noise been too small.

Ideal means that it knows the best event. Learned witnesses fall a little short, and an accusation must be confirmed:
at exactly this loss the whole audit refuted 44 of 75 runs (ε = 0.05, 0.5, 2; 40,000 calls), not 60. Take the figure
as a limit, not as a promise.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from hdp_audit.evidence.wealth import log_wealth

POWER = 0.8


def needed_right(claimed: float, made: int, significance: float) -> int:
    """The fewest right guesses of `made` that refute the claim; more than `made` where none do."""
    low, high = 0, made + 1
    while low < high:
        middle = (low + high) // 2
        if middle <= made and log_wealth(claimed, middle, made) >= -np.log(significance):
            high = middle
        else:
            low = middle + 1
    return low


def detectable_loss(claimed: float, judged: int, significance: float) -> float:
    """The smallest loss an ideal witness refutes with probability 0.8 in `judged` calls; inf where there is none.

    A loss L guesses on the saturated outputs, a share (1 + e^{−L})/2 of all, and is right there with probability 1/(1
    + e^{−L}).
    """

    def power(loss: float) -> float:
        made = int(judged * 0.5 * (1.0 + np.exp(-loss)))
        return float(binom.sf(needed_right(claimed, made, significance) - 1, made, expit(loss)))

    low, high = claimed, claimed + 1.0
    while power(high) < POWER:
        low, high = high, 2.0 * high + 1.0
        if high > 1e3:
            return float("inf")
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high
