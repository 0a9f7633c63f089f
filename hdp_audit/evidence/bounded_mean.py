"""The mean of numbers in [0, 1], bounded at any time by betting.

If the mean is at most m, wealth Π(1 + c(X/m − 1)) with 0 < c ≤ 1 never grows in expectation, and never falls below 0
as X ≥ 0; if it is at least m, the same holds for Π(1 + c(m − X)/(1 − m)), as X ≤ 1. A fixed mixture over c is again a
wealth: past 1/significance it refutes m (Ville). Wealth against "at most m" falls in m, so the refuted m end at one
point, found by bisection. No law, no variance is assumed: a rare large error is seen, or not excluded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Floats = NDArray[np.float64]

STAKES = 0.97 * 2.0 ** -np.arange(0.0, 11.0)  # c; the last doubles the wealth where X is m on average but spread wide
HALVINGS = 30
BLOCK = 1 << 16
NORMAL_80 = 0.8416212335729143  # the standard normal's 0.8 quantile


def log_wealth_above(values: Floats, m: float) -> float:
    """Against "the mean is at most m"."""
    return _mixture(values / m - 1.0) if m > 0 else (np.inf if values.any() else 0.0)


def log_wealth_below(values: Floats, m: float) -> float:
    """Against "the mean is at least m"."""
    return _mixture((m - values) / (1.0 - m)) if m < 1 else (np.inf if (values < 1).any() else 0.0)


@dataclass(frozen=True, eq=False)
class BoundedMean:
    """What draws of X ∈ [0, 1] say about its mean; `significance` is for each side."""

    values: Floats
    significance: float

    @property
    def draws(self) -> int:
        """How many there are."""
        return int(self.values.size)

    @property
    def measured(self) -> float:
        """The sample's mean."""
        return float(self.values.mean()) if self.draws else 0.0

    @property
    def _needed(self) -> float:
        return float(-np.log(self.significance))

    @cached_property
    def lower(self) -> float:
        """The largest mean that is refuted as too small; at most the sample's mean, where wealth is at most 1."""
        low, high = 0.0, self.measured
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if log_wealth_above(self.values, middle) >= self._needed else (low, middle)
        return low

    @cached_property
    def upper(self) -> float:
        """The smallest mean that is refuted as too large."""
        low, high = self.measured, 1.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if log_wealth_below(self.values, middle) >= self._needed else (middle, high)
        return high

    def refutes(self, bound: float) -> bool:
        """The mean is not at most `bound`."""
        return log_wealth_above(self.values, past_rounding(bound)) >= self._needed

    def refutes_from_below(self, bound: float) -> bool:
        """The mean is not at least `bound`."""
        return log_wealth_below(self.values, bound) >= self._needed

    def draws_needed(self, tolerance: float) -> float:
        """Draws at which a mean of tolerance × bound, by the same law scaled, is refuted with probability 0.8.

        Normal approximation of the best stake's log wealth; what a mixture costs is counted.
        """
        if self.measured <= 0:
            return float(np.ceil((self._needed + np.log(STAKES.size)) / np.log(1 + STAKES[0] * (tolerance - 1))))
        steps = self.values * (tolerance / self.measured) - 1.0
        needed = [_draws_for(np.log1p(c * steps), self._needed + np.log(STAKES.size)) for c in STAKES]
        return float(min(needed))

    def power_reached(self, tolerance: float) -> bool:
        """True when these draws were enough for that."""
        return self.draws >= self.draws_needed(tolerance)


def past_rounding(bound: float) -> float:
    """A bound that is attained is not refuted by the last bits of doubles."""
    return bound * (1 + 1e-9) + 1e-18


def _draws_for(logs: Floats, needed: float) -> float:
    """N with N·drift − z·√N·deviation = needed."""
    drift, deviation = float(logs.mean()), float(logs.std())
    if drift <= 0:
        return np.inf
    root = (NORMAL_80 * deviation + np.sqrt((NORMAL_80 * deviation) ** 2 + 4 * drift * needed)) / (2 * drift)
    return float(np.ceil(root**2))


def _mixture(steps: Floats) -> float:
    """log of the mean over stakes c of Π(1 + c·step)."""
    logs = np.zeros(STAKES.size)
    for start in range(0, steps.size, BLOCK):
        block = steps[start : start + BLOCK]
        logs += [np.log1p(c * block).sum() for c in STAKES]
    return float(logsumexp(logs) - np.log(STAKES.size))
