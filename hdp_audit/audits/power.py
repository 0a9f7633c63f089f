"""The power of a pass: the smallest loss that would have been flagged with probability 0.8, and the rarest leak.

`detectable_loss` speaks of noise like Laplace's that is too small on the pairs tried. The best event of such noise is
known, and what learning it costs was measured: `_efficiency`. `benchmarks/privacy_operating.py` scales noise to exactly
this loss and counts refutations. `detectable_like` speaks of outputs like those that were seen, whatever their law: the
same outputs, each as often as it was, that tell the two datasets apart some times as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, expit, gammaincinv

from hdp_audit.audits.power_gaussian import detectable_shift
from hdp_audit.distinguishers.rare import END
from hdp_audit.evidence.bets import growth
from hdp_audit.evidence.binomial import guess_share
from hdp_audit.evidence.e_process import goal
from hdp_audit.evidence.wealth import SUB_STAKES, log_wealth, needed_right
from hdp_audit.model.promise import Limit, PureLimit

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Guesses = Sequence[tuple[int, int]]  # right and made, of each part of the stake

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
    return float(bdtrc(needed - 1, made, right))


def _efficiency(wrong: float) -> float:
    """Between the measured points straight in the logarithm."""
    return float(np.interp(np.log(max(wrong, 1e-9)), np.log(list(EFFICIENCY)), list(EFFICIENCY.values())))


def detectable(limit: Limit, judged: int, significance: float) -> float:
    """The smallest strength refuted with probability 0.8: lost by noise like Laplace's, or normal noise of a curve."""
    if limit.ratio:
        return detectable_loss(limit.strength, judged, significance)
    return detectable_shift(limit, judged, significance)


FARTHEST = 8.0  # times as telling as what was seen: beyond that a figure would be a guess
CLEAR = 3.0  # standard errors by which right guesses must exceed a half, for the outputs to tell anything
CELLS = 40
PATIENCE = 2.0  # times the events that would be enough, were rules learned after every draw and on the right dataset


def detectable_like(
    scores: Floats, coins: Coins, guesses: Guesses, claimed: float, judged: int, significance: float
) -> float:
    """The smallest loss that is refuted with probability 0.8 by outputs like these; inf where they tell too little.

    Cells of like scores have log-likelihood ratios r; the outputs of the alternative fall into the same cells as often,
    with ratios f·r. Then a rule that guesses where |r| ≥ h is right with probability 1/(1 + e^{−f|r|}) on each of them,
    and the loss is f times the largest |r|.
    """
    if max((2 * right - made) / np.sqrt(max(made, 1)) for right, made in guesses) < CLEAR:
        return float("inf")
    ratios, shares = _cells(scores, coins)
    horizon = max(int(judged * guess_share(claimed)), 1)
    calls = int(_efficiency(horizon * float(expit(-claimed))) * judged)

    def power(factor: float) -> float:
        sure = np.cumsum(shares * expit(factor * ratios)) / np.cumsum(shares)
        kinds = zip(np.cumsum(shares).tolist(), sure.tolist(), strict=True)
        return max(_power(claimed, int(calls * some), right, horizon, significance) for some, right in kinds)

    low, high = 0.0, FARTHEST
    if power(high) < POWER:
        return float("inf")
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return max(high * float(ratios[0]), claimed)


def _cells(scores: Floats, coins: Coins) -> tuple[Floats, Floats]:
    """(size of the log-likelihood ratio, share of all draws) of cells of like scores, the most telling first."""
    order = np.argsort(scores, kind="stable")
    starts = np.unique(
        np.searchsorted(scores[order], scores[order][np.linspace(0, scores.size - 1, CELLS).astype(int)])
    )
    sizes = np.diff(np.append(starts, scores.size)).astype(np.float64)
    ones = np.add.reduceat(coins[order].astype(np.float64), starts)
    error = np.sqrt(1.0 / (ones + 0.5) + 1.0 / (sizes - ones + 0.5))
    ratios = np.maximum(np.abs(np.log((ones + 0.5) / (sizes - ones + 0.5))) - error, 0.0)
    best = np.argsort(-ratios, kind="stable")
    return ratios[best], sizes[best] / scores.size


def hardly_repeat(values: Floats) -> bool:
    """Whether less than half of the values that came, came twice or more: what each tells cannot be learned."""
    times = np.unique(values, return_counts=True)[1]
    return bool(2 * np.count_nonzero(times > 1) < times.size)


def rarest_refutable(limit: Limit, judged: int, significance: float) -> float:
    """How often an event must happen that gives the dataset away for certain, to be refuted with probability 0.8."""
    if limit.ratio:
        return _rarest_of_pure(limit.strength, judged, significance)
    needed = goal(significance * min(SUB_STAKES.values())) + END
    often = np.geomspace(1.0 / max(judged, 1), 1.0, 400)
    events = often * judged / PATIENCE
    gained = growth(events, events, max(judged, 1), limit)
    return float(often[int(np.argmax(gained >= needed))]) if (gained >= needed).any() else 1.0


@lru_cache(maxsize=4096)
def _rarest_of_pure(claimed: float, judged: int, significance: float) -> float:
    """For pure losses.

    A rule about rare outputs is learned from as many events as gain `END` nats; then each event is a bet that is won,
    from the smallest part of the stake. What waiting for the next look costs was measured. 1 where no such event is
    refuted.
    """
    horizon, most = max(int(judged * guess_share(claimed)), 1), max(judged, 1)
    share = float(np.log(min(SUB_STAKES.values())))

    def gained(count: int) -> float:
        events = np.array(count, dtype=np.float64)
        return float(growth(events, events, most, PureLimit(claimed))) - END

    def won(count: int) -> float:
        return share + float(log_wealth(claimed, count, count, horizon, significance) + np.log(significance))

    learned, needed = (bisect_left(range(most), True, key=lambda count: of(count) >= 0) for of in (gained, won))
    if max(learned, needed) >= most:
        return 1.0
    events = PATIENCE * float(gammaincinv(learned + needed, POWER))
    return min(events / max(judged, 1), 1.0)
