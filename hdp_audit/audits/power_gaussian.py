"""The power of a pass where a promise is a curve: the smallest loss of normal noise that would have been refuted.

The best event of a normal shift by μ is a half-line, and its best bet is known. After n draws the logarithm of the
wealth is close to normal, with n times the mean and the variance of one bet. What learning the event costs is
`EFFICIENCY`, which was measured.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from hdp_audit.evidence.bets import GROWTHS, Line, best_line
from hdp_audit.evidence.wealth import goal_of_one
from hdp_audit.model.promise import Limit

POWER = 0.8
EVENTS = np.geomspace(1e-9, 0.5, 60)  # probabilities of the best events, where they should not happen
# judged calls of an ideal rule that do as well as one of ours, by the shift that is allowed: rules for large shifts,
# which are hardly ever wrong, are harder to learn
EFFICIENCY = {2.0: 0.7, 4.0: 0.25}
LARGEST = 40.0


@lru_cache(maxsize=4096)
def detectable_shift(limit: Limit, judged: int, significance: float) -> float:
    """The smallest strength, lost by normal noise, that is refuted with probability 0.8; inf where there is none."""
    allowed = limit.gaussian()
    calls = judged * float(np.interp(allowed, list(EFFICIENCY), list(EFFICIENCY.values())))
    goal = goal_of_one(significance) + np.log(2.0)

    def refuted(mu: float) -> bool:
        mean, deviation = best_bet(limit, mu)
        return bool(calls * mean + float(ndtri(1.0 - POWER)) * np.sqrt(calls) * deviation >= goal)

    low, high = allowed, allowed + 1e-3
    while not refuted(high):
        low, high = high, 1.5 * high
        if high > LARGEST:
            return float("inf")
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if refuted(middle) else (middle, high)
    return max(limit.lost_by(high), limit.strength)


def best_bet(limit: Limit, mu: float) -> tuple[float, float]:
    """Mean and standard deviation of the logarithm of what one draw pays, for the event and bet that grow fastest."""
    always = float(ndtr(-0.5 * mu))
    wrong = np.append(EVENTS[always > EVENTS], always)
    right = ndtr(ndtri(wrong) + mu)
    means, touching = best_line(right, wrong, limit, 2)
    at = int(np.argmax(means))
    line = Line.of(limit, touching[at], 2)
    logs = np.log1p(np.multiply.outer(GROWTHS / (line.price + line.free), line.pays))
    chances = np.array([right[at], wrong[at], 1.0 - right[at] - wrong[at]])
    paid = logs[int(np.argmax(logs @ chances))]
    return float(paid @ chances), float(np.sqrt(max(paid**2 @ chances - (paid @ chances) ** 2, 0.0)))
