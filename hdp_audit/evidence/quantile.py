"""The (1−β)-quantile of an error: counts above a bound, and order statistics around the truth, both at any time.

The quantile x* is one fixed number: at most a share β of errors lies above it, at least β at or above it. So an x is
refuted from below when too many errors exceed it ("P(error > x) ≤ β", proportion.py), and from above when too few
reach it. What is left is an interval between two order statistics, and it lies above a bound exactly when the count of
errors above the bound refutes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence import proportion

Floats = NDArray[np.float64]

LARGEST_ERROR = 1.0
POWER = 0.8


@dataclass(frozen=True, eq=False)
class Quantile:
    """What draws of an error say about its (1−β)-quantile; `significance` is for each side."""

    errors: Floats
    beta: float
    significance: float

    @cached_property
    def _descending(self) -> Floats:
        return np.sort(self.errors)[::-1]

    @property
    def draws(self) -> int:
        """How many there are."""
        return int(self.errors.size)

    @property
    def measured(self) -> float:
        """The sample's own quantile: the smallest error with at most a share β above it."""
        if not self.draws:
            return 0.0
        return float(self._descending[min(int(np.floor(self.beta * self.draws)), self.draws - 1)])

    @cached_property
    def lower(self) -> float:
        """The (most + 1)-th largest error: everything below has too many errors above it."""
        most = proportion.most_allowed(self.draws, self.beta, self.significance)
        return float(self._descending[most]) if most < self.draws else 0.0

    @cached_property
    def upper(self) -> float:
        """The least-th largest error: fewer than that many exceed everything above it."""
        least = proportion.least_allowed(self.draws, self.beta, self.significance)
        return float(self._descending[least - 1]) if least > 0 else LARGEST_ERROR

    def above(self, bound: float) -> int:
        """How many errors exceed the bound, past rounding."""
        return int((self.errors > past_rounding(bound)).sum())

    def log_wealth(self, bound: float) -> float:
        """Against "at most a share β of errors lies above the bound"."""
        return float(proportion.log_wealth_above(self.above(bound), self.draws, self.beta))

    def refutes(self, bound: float) -> bool:
        """Too many errors lie above the bound for it to be the quantile's; the lower end lies above it as well."""
        return self.above(bound) > proportion.most_allowed(self.draws, self.beta, self.significance)

    def refutes_from_below(self, bound: float) -> bool:
        """The interval lies below `bound`."""
        return self.upper <= bound

    def _scaled_rate(self, tolerance: float) -> float:
        """P(error > bound) if the same law were scaled until its quantile is tolerance × bound."""
        return float((self.errors > self.measured / tolerance).mean()) if self.measured > 0 else 1.0

    def power(self, tolerance: float) -> float:
        """How probably a quantile of tolerance × bound, by the same law scaled, would have been refuted."""
        return proportion.power(self.draws, self.beta, self._scaled_rate(tolerance), self.significance)

    def power_reached(self, tolerance: float) -> bool:
        """True when these draws were enough for a power of 0.8."""
        return self.power(tolerance) >= POWER

    def draws_needed(self, tolerance: float) -> float:
        """Draws at which that power is 0.8."""
        return proportion.draws_needed(self.beta, self._scaled_rate(tolerance), self.significance)


def past_rounding(bound: float) -> float:
    """Doubles add up with errors near 1e-12: only what lies beyond counts against a bound that is attained."""
    return bound * (1 + 1e-9) + 1e-12
