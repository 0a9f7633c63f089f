"""The exact law of the error on given data: weighted sums with Laplace noise, clipped, against the truth.

Entries are independent, so P(‖error‖∞ ≤ α) is a product over entries; quantile and mean square need no simulation. A
third opinion beside the guarantee and the trials.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(8)
_STEPS = np.array([0.5, 1.0, 2.0, 4.0, 7.0, 11.0, 17.0, 26.0, 38.0])
_AROUND = np.concatenate([-_STEPS, [0.0], _STEPS])


class Law(ABC):
    """An estimate in [0, 1]^k with independent entries, against the truth μ in [0, 1]^k."""

    truth: Floats

    @abstractmethod
    def up_to(self, at: Floats) -> Floats:
        """P(entry ≤ at), for `at` from 0 on."""

    @abstractmethod
    def below(self, at: Floats) -> Floats:
        """P(entry < at), for `at` up to 1."""

    @abstractmethod
    def kinks(self) -> Floats:
        """The α at which P(error ≤ α) is not smooth, and enough around them for the quadrature."""

    def within(self, alpha: Floats) -> Floats:
        """P(‖error‖∞ ≤ α)."""
        a = np.asarray(alpha, dtype=np.float64)[..., None]
        return np.asarray(np.prod(self.up_to(self.truth + a) - self.below(self.truth - a), axis=-1))

    def quantile(self, probability: float) -> float:
        """The smallest α with P(error ≤ α) at least this: the first of 65 points that reaches it, ten times over."""
        low, high = 0.0, 1.0
        for _ in range(10):
            points = np.linspace(low, high, 65)
            first = max(int(np.argmax(self.within(points) >= probability)), 1)
            low, high = float(points[first - 1]), float(points[first])
        return high

    def mean_square(self) -> float:
        """∫2α·P(error > α)dα, piece by piece between the kinks."""
        edges = np.unique(np.concatenate([np.clip(self.kinks(), 0.0, 1.0), [0.0, 1.0]]))
        half = 0.5 * np.diff(edges)[:, None]
        alpha = edges[:-1, None] + half * (_NODES + 1.0)
        return float((2.0 * alpha * (1.0 - self.within(alpha)) * half * _NODE_WEIGHTS).sum())


@dataclass(frozen=True, eq=False)
class ErrorLaw(Law):
    """Entry j is clip(θ_j + N_j): θ, the truth μ (both in [0, 1]) and the noise's scale."""

    centre: Floats
    truth: Floats
    scale: float

    def up_to(self, at: Floats) -> Floats:
        """At 1 and above the clip stops the noise."""
        return np.where(at >= 1.0, 1.0, self.cdf(at))

    def below(self, at: Floats) -> Floats:
        """So it does at 0 and below."""
        return np.where(at <= 0.0, 0.0, self.cdf(at))

    def cdf(self, at: Floats) -> Floats:
        """P(θ + N ≤ at), before the clip."""
        if self.scale == 0:
            return (at >= self.centre).astype(np.float64)
        z = (at - self.centre) / self.scale
        return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(z, 0.0)))

    def kinks(self) -> Floats:
        """θ and the ends of [0, 1]."""
        gap = np.abs(self.centre - self.truth)
        around = (gap[:, None] + _AROUND * self.scale).ravel()
        return np.concatenate([around, _STEPS * self.scale, self.truth, 1.0 - self.truth])

    def quantile(self, probability: float) -> float:
        """Without noise the error is a number."""
        return float(np.abs(self.centre - self.truth).max()) if self.scale == 0 else super().quantile(probability)

    def mean_square(self) -> float:
        """Without noise its square."""
        return float(np.abs(self.centre - self.truth).max() ** 2) if self.scale == 0 else super().mean_square()


@dataclass(frozen=True, eq=False)
class AnchoredLaw(Law):
    """Entry j is the opinion moved into anchor ± h.

    The answer is at most c where the anchor is at most c − h, above c where the anchor is above c + h, and in between
    the opinion decides: P(y ≤ c) = P(y₁ ≤ c − h) + P(c − h < y₁ ≤ c + h)·P(y₂ ≤ c). Both parts are clipped already.
    """

    anchor: ErrorLaw
    opinion: ErrorLaw
    reach: float

    @property
    def truth(self) -> Floats:  # type: ignore[override]
        """The same for both."""
        return self.anchor.truth

    def up_to(self, at: Floats) -> Floats:
        """Below 0 the clipped anchor has no mass, from 1 on all of it."""
        low, high = at - self.reach, at + self.reach
        first = np.where(low < 0.0, 0.0, self.anchor.up_to(low))
        second = self.anchor.up_to(high)
        return np.where(at >= 1.0, 1.0, first + (second - first) * self.opinion.cdf(at))

    def below(self, at: Floats) -> Floats:
        """The same without what lies at the ends: P(y < c)."""
        low, high = at - self.reach, at + self.reach
        first = self.anchor.below(low)
        second = np.where(high > 1.0, 1.0, self.anchor.below(high))
        return np.where(at <= 0.0, 0.0, first + (second - first) * self.opinion.cdf(at))

    def kinks(self) -> Floats:
        """Around the box's ends and the opinion's centre; h and 1 − h, where a clipped anchor puts them."""
        ends = (self.anchor.centre - self.reach, self.anchor.centre + self.reach)
        around = [(np.abs(end - self.truth)[:, None] + _AROUND * self.anchor.scale).ravel() for end in ends]
        fixed = [np.abs(at - self.truth) for at in (self.reach, 1.0 - self.reach)]
        return np.concatenate([*around, *fixed, _STEPS * self.anchor.scale, self.opinion.kinks()])
