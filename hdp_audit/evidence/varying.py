"""Accuracy against limits of their own, draw by draw: what the demands of those who happened to be moved allow.

Before a draw its limit is fixed by who is moved. If P(right) ≤ p for this draw, betting on r > p, wealth ×= r/p when
right and (1−r)/(1−p) when not, never grows in expectation; no bet is laid where p ≥ r. If a squared error in [0, 1] has
a mean of at least m, the same holds for 1 + c(m − X)/(1 − m), laid where m is large enough to be worth it. All bets are
fixed before the first draw, so their mixture is a wealth.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence import proportion
from hdp_audit.evidence.bounded_mean import STAKES, BoundedMean
from hdp_audit.evidence.e_process import EProcess, mixed

Floats = NDArray[np.float64]

HOPED = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995, 0.999, 0.9999])  # r
WORTH = np.array([0.0, 0.01, 0.03, 0.08])  # bets on squared errors are laid where at least so much is due


@dataclass(frozen=True, eq=False)
class Varying(EProcess):
    """Errors, the limit of each draw, and `distance`: twice the error that is right, or the largest that can occur."""

    errors: Floats
    limits: Floats
    distance: float
    significance: float

    @property
    def draws(self) -> int:
        """How many answers."""
        return int(self.errors.size)

    @property
    def limit(self) -> float:
        """What is allowed on average."""
        return float(self.limits.mean()) if self.draws else 0.0

    @cached_property
    def truth_needs(self) -> float:
        """Draws after which somebody who always tells the truth is refuted, as far as the limits drawn can tell."""
        if not self.draws:
            return np.inf
        gains = self._gains(np.zeros(self.draws), self.limits)
        wealth = _even(np.cumsum(gains, axis=0))
        if wealth[-1] >= self.goal:
            return float(np.argmax(wealth >= self.goal) + 1)
        steady = float(gains.mean(axis=0).max())
        return float(np.ceil((self.goal + np.log(gains.shape[1])) / steady)) if steady > 0 else np.inf

    @property
    def score(self) -> float:
        """Growth of the wealth a draw, at the best bet, less one draw's doubt."""
        if not self.draws:
            return -np.inf
        doubt = self._gains(np.array([self.distance]), np.array([self.limit]))
        return float(((self._gains(self.errors, self.limits).sum(axis=0) + doubt[0]) / (self.draws + 1)).max())

    @cached_property
    def log(self) -> float:
        """Logarithm of the wealth against "every draw keeps its limit"."""
        return float(_even(self._gains(self.errors, self.limits).sum(axis=0))) if self.draws else 0.0

    @property
    @abstractmethod
    def measured(self) -> float:
        """The sample's own figure."""

    @property
    @abstractmethod
    def proved(self) -> float:
        """The end of its interval that counts."""

    @abstractmethod
    def _gains(self, errors: Floats, limits: Floats) -> Floats:
        """What each bet (columns) gains by each draw, as logarithms."""


@dataclass(frozen=True, eq=False)
class VaryingRight(Varying):
    """How often the error stays below Δ/2; each draw's limit is the largest probability of that."""

    @cached_property
    def right(self) -> int:
        """Errors below Δ/2, rounding aside."""
        return int(self._hits(self.errors).sum())

    @property
    def measured(self) -> float:
        """Their share."""
        return self.right / self.draws if self.draws else 0.0

    @cached_property
    def proved(self) -> float:
        """The share is at least this."""
        return proportion.rate_lower(self.right, self.draws, self.significance)

    def _hits(self, errors: Floats) -> NDArray[np.bool_]:
        return np.asarray(errors < 0.5 * self.distance * (1 - 1e-9))

    def _gains(self, errors: Floats, limits: Floats) -> Floats:
        allowed = np.clip(limits, 1e-12, 1.0)[:, None]  # raised, if anything: no bet becomes an unfair one
        laid = allowed < HOPED
        with np.errstate(divide="ignore"):
            gains = np.where(
                self._hits(errors)[:, None], np.log(HOPED / allowed), np.log1p(-HOPED) - np.log1p(-allowed)
            )
        return np.where(laid, gains, 0.0)


@dataclass(frozen=True, eq=False)
class VaryingRisk(Varying):
    """The squared error in units of the largest that can occur; each draw's limit is the least mean of that."""

    @cached_property
    def _mean(self) -> BoundedMean:
        return BoundedMean(self._squares(self.errors), self.significance)

    @property
    def measured(self) -> float:
        """The sample's mean."""
        return self._mean.measured

    @cached_property
    def proved(self) -> float:
        """The mean is at most this."""
        return self._mean.upper

    def _squares(self, errors: Floats) -> Floats:
        return np.asarray(np.minimum(errors / self.distance, 1.0) ** 2)

    def _gains(self, errors: Floats, limits: Floats) -> Floats:
        steps = (limits - self._squares(errors)) / (1.0 - limits)
        gains = np.log1p(STAKES * steps[:, None])
        laid = limits[:, None] >= WORTH
        return (gains[:, None, :] * laid[:, :, None]).reshape(errors.size, -1)


def _even(gains: Floats) -> Floats:
    """The mixture of all bets, each with the same stake."""
    return np.asarray(mixed(gains) - np.log(gains.shape[-1]))
