"""The saturation family w ∝ min(ε, ρ) and the centred family w = min(1/n, tε), as functions of one number.

Everything a bound needs is a sum over users below or above the level, so that sorted demands with cumulative
sums answer for a whole array of levels at once.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.errors import InvalidInput

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Statistics:
    """What bounds see of weights: t = ‖w/ε‖∞, bias = ½‖w − 1/n‖₁ (centred: half the missing mass), ‖w −
    1/n‖₂².
    """

    t: Floats
    bias: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class Family:
    """Demands sorted once: `zeros` users with ε = 0, `finite` ones ascending, `public` users with ε = ∞."""

    n: int
    zeros: int
    finite: Floats
    public: int

    @classmethod
    def of(cls, demands: ArrayLike) -> "Family":
        """Sort demands; each lies in [0, ∞]."""
        values = np.asarray(demands, dtype=np.float64)
        if values.ndim != 1 or values.size == 0 or not bool((values >= 0).all()):
            raise InvalidInput("demands must be a non-empty list of numbers from 0 to inf")
        ordered = np.sort(values)
        # Rounding down keeps a guarantee valid, and squares finite: below 1e-100 is 0, above 1e100 is 1e100.
        zeros = int(np.searchsorted(ordered, 1e-100, side="left"))
        public = int(values.size - np.searchsorted(ordered, np.inf, side="left"))
        return cls(values.size, zeros, np.minimum(ordered[zeros : values.size - public], 1e100), public)

    @property
    def usable(self) -> int:
        """Users who may be used at all: ε > 0."""
        return self.n - self.zeros

    @cached_property
    def ascending(self) -> Floats:
        """All demands in ascending order, zeros first, infinities last."""
        return np.concatenate([np.zeros(self.zeros), self.finite, np.full(self.public, np.inf)])

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        first = np.concatenate([[0.0], np.cumsum(self.finite)])
        return first, np.concatenate([[0.0], np.cumsum(self.finite**2)])

    def level_range(self) -> tuple[float, float]:
        """The finite levels between which something changes: smallest and largest demand in (0, ∞)."""
        if self.finite.size == 0:
            return (1.0, 1.0)
        return float(self.finite[0]), float(self.finite[-1])

    def shortfall(self, t: ArrayLike) -> Floats:
        """A(t) = Σ(1/n − tε_i)₊, convex and piecewise linear in t; t = 0 leaves out all but public users."""
        t = np.asarray(t, dtype=np.float64)
        with np.errstate(divide="ignore"):
            below = np.searchsorted(self.finite, 1.0 / (self.n * t), side="left")
        gaps = (self.zeros + below) / self.n - t * self._sums[0][below]
        return np.maximum(gaps, self.zeros / self.n)

    def simplex(self, level: ArrayLike) -> Statistics:
        """w = min(ε, ρ)/Z, Z = Σ min(ε, ρ): t = 1/Z, ½‖w − u‖₁ = A(t), ‖w − u‖₂² = ‖w‖₂² − 1/n.

        ρ = ∞ with public users is the limit: all weight on them, t = 0. The l1 identity needs ρ ≥ the
        smallest positive demand (below it the weights no longer change, only t grows).
        """
        rho = np.asarray(level, dtype=np.float64)
        below = np.searchsorted(self.finite, rho, side="left")
        above = self.usable - below
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            total = self._sums[0][below] + np.where(above > 0, above * rho, 0.0)
            # Divided by Z twice rather than by Z², which may overflow.
            saturated = np.where(above > 0, above * (rho / total) ** 2, 0.0)
            squares = self._sums[1][below] / total / total + saturated
        squares = np.where(np.isinf(rho) & (self.public > 0), 1.0 / max(self.public, 1), squares)
        t = 1.0 / total
        return Statistics(t, self.shortfall(t), np.maximum(squares - 1.0 / self.n, 0.0))

    def centred(self, level: ArrayLike) -> Statistics:
        """w = min(1, ε/ρ)/n, t = 1/(nρ): bias ½·A(t) around the centre ½; `spread` is unused and 0."""
        with np.errstate(divide="ignore"):
            t = 1.0 / (self.n * np.asarray(level, dtype=np.float64))
        return Statistics(t, self.shortfall(t) / 2, np.zeros_like(t))
