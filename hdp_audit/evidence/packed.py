"""Accuracy on packing datasets, against what the demands allow: right answers, and projected squared errors."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence import proportion
from hdp_audit.evidence.bounded_mean import STAKES, BoundedMean, log_wealth_below
from hdp_audit.evidence.e_process import EProcess, mixed

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Packed(EProcess):
    """Errors of answers, the truths' distance Δ, and the limit that keeping the demands sets; refuted if beyond it."""

    errors: Floats
    distance: float
    limit: float
    significance: float

    @property
    def draws(self) -> int:
        """How many answers."""
        return int(self.errors.size)

    @property
    def truth_needs(self) -> float:
        """Draws after which somebody who always tells the truth is refuted."""
        draws = 8
        while draws < proportion.MOST_DRAWS:
            if self._log_wealth_of_truth(draws) >= self.goal:
                return float(draws)
            draws = int(1.25 * draws) + 1
        return float("inf")

    @property
    @abstractmethod
    def measured(self) -> float:
        """The sample's own figure."""

    @property
    @abstractmethod
    def proved(self) -> float:
        """The end of its interval that counts."""

    @property
    @abstractmethod
    def score(self) -> float:
        """Growth of the wealth a draw, at a cautious guess."""

    @abstractmethod
    def _log_wealth_of_truth(self, draws: int) -> float: ...


@dataclass(frozen=True, eq=False)
class PackedRight(Packed):
    """How often the error stays below Δ/2; keeping the demands allows at most p*."""

    @cached_property
    def right(self) -> int:
        """Errors below Δ/2, rounding aside."""
        return int((self.errors < 0.5 * self.distance * (1 - 1e-9)).sum())

    @property
    def measured(self) -> float:
        """Their share."""
        return self.right / self.draws if self.draws else 0.0

    @property
    def proved(self) -> float:
        """The share is at least this."""
        return proportion.rate_lower(self.right, self.draws, self.significance)

    @property
    def score(self) -> float:
        """Growth of the wealth a draw, at a cautious guess of the share."""
        share = (self.right + 0.5) / (self.draws + 1.0)
        gain = share * np.log(share / self.limit) + (1 - share) * np.log((1 - share) / (1 - self.limit))
        return float(np.sign(share - self.limit) * gain)

    @cached_property
    def log(self) -> float:
        """Logarithm of the wealth against "at most so many are right"."""
        return float(proportion.log_wealth_above(self.right, self.draws, self.limit))

    def _log_wealth_of_truth(self, draws: int) -> float:
        return float(proportion.log_wealth_above(draws, draws, self.limit))


@dataclass(frozen=True, eq=False)
class PackedRisk(Packed):
    """The mean of (projected error/Δ)²; keeping the demands needs at least r*."""

    @cached_property
    def _mean(self) -> BoundedMean:
        return BoundedMean(np.minimum(self.errors / self.distance, 1.0) ** 2, self.significance)

    @property
    def measured(self) -> float:
        """The sample's mean."""
        return self._mean.measured

    @cached_property
    def proved(self) -> float:
        """The mean is at most this."""
        return self._mean.upper

    @property
    def score(self) -> float:
        """Growth of the wealth a draw, at the best stake, less one draw's doubt."""
        if not self.draws:
            return -np.inf
        values = np.append(self._mean.values, 1.0)
        steps = (self.limit - values) / (1.0 - self.limit)
        return float(max(np.log1p(c * steps).mean() for c in STAKES))

    @cached_property
    def log(self) -> float:
        """Logarithm of the wealth against "the risk is at least this"."""
        return log_wealth_below(self._mean.values, self.limit)

    def _log_wealth_of_truth(self, draws: int) -> float:
        growth = np.log1p(STAKES * self.limit / (1.0 - self.limit))  # of each stake's log wealth, by a draw of 0
        return float(mixed(draws * growth) - np.log(STAKES.size))
