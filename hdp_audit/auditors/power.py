"""The power of a pass: the smallest loss that would have been flagged with probability 0.8, had the noise been too
small.

Of the tested kind: the same law with its noise scaled down on the pairs tried. The best event of Laplace noise is
known, and what learning it costs was measured: `_efficiency`. `benchmarks/privacy_operating.py` scales noise to exactly
this loss and counts refutations.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from hdp_audit.evidence.binomial import guess_share
from hdp_audit.evidence.wealth import needed_right

POWER = 0.8
CAUTION = np.array([0.0, 0.7, 0.85, 1.0])  # thresholds of the ratio, in units of the largest
# Judged calls of an ideal witness that do as well as one of ours, by how many guesses would be wrong under the claim:
# where these are few, a threshold that is a little off doubles them.
EFFICIENCY = {15.0: 0.62, 100.0: 1.0, 1000.0: 0.83}


@lru_cache(maxsize=4096)
def detectable_loss(claimed: float, judged: int, significance: float) -> float:
    """The smallest loss that is refuted with probability 0.8 in `judged` calls; inf where there is none.

    Laplace noise of loss L has log-likelihood ratio L − 2y between its two centres 0 and L (in scales) and ±L outside.
    A rule that guesses where it is at least h in size is right on a share 1 − e^{−(L−h)/2}/2 of all outputs and wrong
    on e^{−(L+h)/2}/2; the best of a few h counts.
    """
    horizon = max(int(judged * guess_share(claimed)), 1)
    calls = int(_efficiency(horizon * float(expit(-claimed))) * judged)

    def power(loss: float) -> float:
        right = 1.0 - 0.5 * np.exp(-0.5 * (loss - loss * CAUTION))
        share = right + 0.5 * np.exp(-0.5 * (loss + loss * CAUTION))
        kinds = zip(share.tolist(), (right / share).tolist(), strict=True)
        return max(_power(claimed, int(calls * made), sure, horizon, significance) for made, sure in kinds)

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


def _efficiency(wrong: float) -> float:
    """Between the measured points straight in the logarithm."""
    return float(np.interp(np.log(max(wrong, 1e-9)), np.log(list(EFFICIENCY)), list(EFFICIENCY.values())))
