"""The fixed-sample bound for promises with a δ: V right guesses among the first W, in M judged draws.

A draw's guess is right with probability a, wrong with b, and there may be none. If (ε, δ) is kept then a ≤ e^ε·b + δ,
for a fair coin and a rule that was fixed before the draw. So a draw is at best this: with probability δ a right guess
for nothing; else a guess, if it is one, is right with probability at most p = e^ε/(1 + e^ε). Let D ~ Binomial(M, δ) be
how many are for nothing, whether used or not, and let the others be successes of a coin p in their order. The number of
right ones among the first W is d + (successes of the first W − d) with some d ≤ D, which rises with d: so it is
stochastically at most D + Binomial(W − D, p), whatever the rules learned on the way. At ε = 0 and with a guess in each
draw, W = M, that is Binomial(M, (1 + δ)/2), and nothing is lost.

A curve is held against one ε that was fixed before the judged draws: its δ(ε) rises with its strength.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln

from hdp_audit.model.promise import Limit

SPREAD = 9.0  # standard deviations of D beyond which nothing is left
LEFT_OUT = 1e-15  # at most, of probability
LARGEST = 64.0
PRECISE = 1e-6


def tail(right: int, guesses: int, judged: int, epsilon: float, delta: float) -> float:
    """P(D + Binomial(guesses − D, p) ≥ right): how likely so many right guesses are at most, if (ε, δ) is kept."""
    if right <= 0:
        return 1.0
    share = 1.0 / (1.0 + np.exp(-epsilon))
    if guesses == judged:  # each guess is right by itself with probability δ + (1 − δ)p
        return float(bdtrc(right - 1, guesses, delta + (1.0 - delta) * share))
    free, chances = _free(judged, delta)
    needed, left = right - free, guesses - free
    certain = needed <= 0
    found = bdtrc(np.where(certain, 0, needed - 1), np.where(certain, 1, left), share)
    each = np.where(certain, 1.0, np.where(needed > left, 0.0, found))
    return min(float(chances @ each) + LEFT_OUT, 1.0)


def _free(judged: int, delta: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Values of D and their probabilities, all but nothing of them."""
    mean, reach = judged * delta, SPREAD * np.sqrt(judged * delta * (1.0 - delta)) + 20.0
    values = np.arange(max(int(mean - reach), 0), min(int(mean + reach), judged) + 1)
    if delta <= 0 or delta >= 1:
        return np.array([0 if delta <= 0 else judged], dtype=np.int64), np.ones(1)
    logs = gammaln(judged + 1.0) - gammaln(values + 1.0) - gammaln(judged - values + 1.0)
    return values, np.exp(logs + values * np.log(delta) + (judged - values) * np.log1p(-delta))


def strength_lower(
    right: int, guesses: int, judged: int, significance: float, limit: Limit, epsilon: float = 0.0
) -> float:
    """The largest strength that the guesses refute; a curve is held against its δ at `epsilon`."""

    def refuted(strength: float) -> bool:
        tried = limit.at(strength)
        at = strength if limit.straight else epsilon
        return tail(right, guesses, judged, at, float(tried.delta(at))) <= significance

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while refuted(high):
        low, high = high, 2.0 * high
        if high > LARGEST:
            return low
    while high - low > PRECISE * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low
