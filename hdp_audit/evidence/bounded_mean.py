"""The mean of numbers in [0, top], bounded at any time by betting.

If the mean is at most m, wealth Π(1 + c(X/m − 1)) with 0 < c ≤ 1 never grows in expectation, and never falls below 0
as X ≥ 0; if it is at least m, the same holds for Π(1 + c(m − X)/(top − m)), as X ≤ top. A mixture over stakes c that
are fixed before the first draw is again a wealth: past 1/significance it refutes m (Ville). Wealth against "at most m"
falls in m, so the refuted m end at one point, found by bisection. No law, no variance is assumed: a rare large error is
seen, or not excluded. Hence the upper end can never come nearer than about top·log(1/significance)/draws.

A mixture over all stakes pays the logarithm of their number for not knowing the best one. Earlier draws may say which
is best for the excess that has to be seen: half of the mixture on that one pays log 2, and is as valid, whatever they
said.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.e_process import edge, goal, mixed

Floats = NDArray[np.float64]

STAKES = 0.97 * 2.0 ** -np.arange(0.0, 11.0)  # c; the last doubles the wealth where X is m on average but spread wide
FINE = 0.97 * 2.0 ** -np.arange(0.0, 11.0, 0.125)  # where a single stake is looked for
HALVINGS = 30
BLOCK = 1 << 16
NORMAL_80 = 0.8416212335729143  # the standard normal's 0.8 quantile


@dataclass(frozen=True, eq=False)
class Mixture:
    """The bets of the e-process, c for each, and their shares of its stake."""

    stakes: Floats
    shares: Floats

    @classmethod
    def aimed(cls, stake: float | None = None) -> Mixture:
        """All STAKES alike; or half on one stake, and half on them."""
        even = np.full(STAKES.size, 1.0 / STAKES.size)
        if stake is None:
            return cls(STAKES, even)
        return cls(np.append(STAKES, stake), np.append(0.5 * even, 0.5))

    def log_wealth(self, steps: Floats) -> float:
        """log of Σ share·Π(1 + c·step)."""
        gains = np.zeros(self.stakes.size)
        for start in range(0, steps.size, BLOCK):
            block = steps[start : start + BLOCK]
            gains += [np.log1p(c * block).sum() for c in self.stakes]
        return float(mixed(gains, np.log(self.shares)))


def best_stake(values: Floats, tolerance: float, significance: float) -> float | None:
    """The stake that soonest refutes m when the mean is tolerance × m, by the law of these values scaled."""
    if not values.any():
        return None
    steps, needed = values * (tolerance / values.mean()) - 1.0, np.log(2.0 / significance)
    return float(FINE[np.argmin([_draws_for(np.log1p(c * steps), needed) for c in FINE])])


def log_wealth_above(values: Floats, m: float, mixture: Mixture | None = None) -> float:
    """Against "the mean is at most m"."""
    mixture = mixture or Mixture.aimed()
    return mixture.log_wealth(values / m - 1.0) if m > 0 else (np.inf if values.any() else 0.0)


def log_wealth_below(values: Floats, m: float, top: float = 1.0) -> float:
    """Against "the mean is at least m"."""
    if m < top:
        return Mixture.aimed().log_wealth((m - values) / (top - m))
    return np.inf if (values < top).any() else 0.0


@dataclass(frozen=True, eq=False)
class BoundedMean:
    """What draws of X ∈ [0, top] say about its mean; `significance` is for each side.

    `aim`: the stake on which half of the lower end's bets is put; fixed before the first of these draws.
    """

    values: Floats
    significance: float
    top: float = 1.0
    aim: float | None = None

    def __post_init__(self) -> None:
        if self.values.size and self.values.max() > self.top * (1 + 1e-9):
            raise ValueError(f"a value of {self.values.max()} above {self.top}; give the largest that can occur")

    @property
    def draws(self) -> int:
        """How many there are."""
        return int(self.values.size)

    @property
    def measured(self) -> float:
        """The sample's mean."""
        return float(self.values.mean()) if self.draws else 0.0

    @cached_property
    def _mixture(self) -> Mixture:
        return Mixture.aimed(self.aim)

    @property
    def _goal(self) -> float:
        return goal(self.significance)

    @cached_property
    def lower(self) -> float:
        """The largest mean that is refuted as too small; at most the sample's mean, where wealth is at most 1."""

        def refuted(mean: float) -> bool:
            return log_wealth_above(self.values, mean, self._mixture) >= self._goal

        return edge(refuted, 0.0, self.measured, HALVINGS)[0]

    @cached_property
    def upper(self) -> float:
        """The smallest mean that is refuted as too large."""
        return edge(self.refutes_from_below, self.top, self.measured, HALVINGS)[0]

    def log_wealth(self, bound: float) -> float:
        """Against "the mean is at most `bound`"."""
        return log_wealth_above(self.values, past_rounding(bound), self._mixture)

    def refutes(self, bound: float) -> bool:
        """The mean is not at most `bound`."""
        return self.log_wealth(bound) >= self._goal

    def refutes_from_below(self, bound: float) -> bool:
        """The mean is not at least `bound`: the interval lies below it."""
        return log_wealth_below(self.values, bound, self.top) >= self._goal

    def draws_needed(self, tolerance: float) -> float:
        """Draws at which a mean of tolerance × bound, by the same law scaled, is refuted with probability 0.8.

        Normal approximation of the best stake's log wealth; what the mixture costs is counted.
        """
        stakes, shares = self._mixture.stakes, self._mixture.shares
        steps = self.values * (tolerance / self.measured) - 1.0 if self.measured > 0 else np.array([tolerance - 1.0])
        pairs = zip(stakes, shares, strict=True)
        return float(min(_draws_for(np.log1p(c * steps), self._goal - np.log(share)) for c, share in pairs))

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
