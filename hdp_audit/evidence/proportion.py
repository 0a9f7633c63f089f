"""Is a probability at most p? Every draw is a bet of an e-process, which refutes it past 1/significance, at any time.

If P(event | everything before) ≤ p, then betting on q > p, wealth ×= q/p when the event happens and (1−q)/(1−p) when
not, never grows in expectation; a fixed mixture of such bets is one too. The mirrored bets test "at least p".
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from hdp_audit.evidence.e_process import edge, goal, mixed

Floats = NDArray[np.float64]

# Alternatives by their distance from p in log-odds: from barely above to certain.
STEPS = np.array([0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.3, 2.0, 4.0, 8.0])
HALVINGS = 60
MOST_DRAWS = 10**12  # beyond, nobody waits


def log_wealth_above(events: Floats | int, draws: int, p: float) -> Floats:
    """log wealth against "the probability is at most p"; it grows with `events`."""
    return _mixture(np.asarray(events, dtype=np.float64), draws, p, STEPS)


def log_wealth_below(events: Floats | int, draws: int, p: float) -> Floats:
    """log wealth against "the probability is at least p"; it falls with `events`."""
    return _mixture(np.asarray(events, dtype=np.float64), draws, p, -STEPS)


@lru_cache(maxsize=4096)
def most_allowed(draws: int, p: float, significance: float) -> int:
    """The largest count that does not refute "at most p"; `draws` if no count does."""
    low, high = 0, draws + 1
    while high - low > 1:
        middle = (low + high) // 2
        refuted = log_wealth_above(middle, draws, p) >= goal(significance)
        low, high = (low, middle) if refuted else (middle, high)
    return low


@lru_cache(maxsize=4096)
def least_allowed(draws: int, p: float, significance: float) -> int:
    """The smallest count that does not refute "at least p"; 0 if no count does."""
    low, high = -1, draws
    while high - low > 1:
        middle = (low + high) // 2
        refuted = log_wealth_below(middle, draws, p) >= goal(significance)
        low, high = (middle, high) if refuted else (low, middle)
    return high


def rate_lower(events: int, draws: int, significance: float) -> float:
    """A confidence sequence: the largest p refuted by these counts; 0 where none is."""
    return edge(lambda p: bool(log_wealth_above(events, draws, p) >= goal(significance)), 0.0, 1.0, HALVINGS)[0]


def rate_upper(events: int, draws: int, significance: float) -> float:
    """The same from above."""
    return 1.0 - rate_lower(draws - events, draws, significance)


def power(draws: int, p: float, truth: float, significance: float) -> float:
    """How probably so many draws refute "at most p" when the probability is `truth`."""
    least = most_allowed(draws, p, significance) + 1
    if least > draws:
        return 0.0
    return 1.0 if truth >= 1 else float(betainc(least, draws - least + 1, truth))


def draws_needed(p: float, truth: float, significance: float, wanted: float = 0.8) -> float:
    """The number of draws, to a tenth, at which `power` reaches what is wanted; inf beyond MOST_DRAWS."""
    if truth <= p:
        return np.inf
    draws = 16
    while draws <= MOST_DRAWS and power(draws, p, truth, significance) < wanted:
        draws = int(1.1 * draws) + 1
    return float(draws) if draws <= MOST_DRAWS else np.inf


def _mixture(events: Floats, draws: int, p: float, steps: Floats) -> Floats:
    if not 0 < p < 1:
        # "At most 0" is refuted by one event, "at least 1" by one miss; the rest cannot be.
        broken = events > 0 if p <= 0 and steps[0] > 0 else (events < draws) & (p >= 1) & (steps[0] < 0)
        return np.where(broken, np.inf, 0.0)
    odds = np.log(p) - np.log1p(-p)
    # q = 1/(1 + e^−(odds + step)): both logarithms without cancellation.
    gain = np.logaddexp(0.0, -odds) - np.logaddexp(0.0, -(odds + steps))
    cost = np.logaddexp(0.0, odds) - np.logaddexp(0.0, odds + steps)
    logs = events[..., None] * gain + (draws - events[..., None]) * cost
    return mixed(logs) - np.log(steps.size)
