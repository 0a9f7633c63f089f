"""What a weighting looks like to a criterion, at 60 digits: noise, biases and spread, for weights given or on a level.

The sums are prefix sums over the sorted demands, exact enough for demands that span forty orders of magnitude (their
squares span eighty).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from mpmath import MPContext
from numpy.typing import ArrayLike

mp = MPContext()
mp.dps = 60


@dataclass(frozen=True)
class Features:
    """Numbers that every criterion is made of; u = 1/n."""

    n: int
    t: Any  # ‖w/ε‖∞
    shortfall: Any  # Σ(u − w_i)₊: half the ℓ1 distance when Σw = 1, and 1 − Σw when w ≤ u
    total: Any  # Σw
    spread: Any  # ‖w − (Σw)u‖₂
    norm: Any  # ‖w‖₂

    def worse_by(self, bias: float, noise: float) -> Features:
        """Every bias larger by `bias` (in ‖·‖₁, which bounds ‖·‖₂) and t larger by `noise`."""
        return replace(
            self,
            t=self.t + noise,
            shortfall=self.shortfall + bias,
            total=self.total - bias,
            spread=self.spread + bias,
            norm=self.norm + bias,
        )


def of_weights(weights: ArrayLike, t: Any) -> Features:
    """Features of the given doubles, summed at 60 digits."""
    w = [mp.mpf(float(x)) for x in np.asarray(weights)]
    n = len(w)
    u = mp.one / n
    total, squares = mp.fsum(w), mp.fsum(w, squared=True)
    spread = mp.sqrt(mp.fsum([(x - total * u) ** 2 for x in w]))
    shortfall = mp.fsum([u - x for x in w if x < u])
    return Features(n, mp.mpf(t), shortfall, total, spread, mp.sqrt(squares))


class Profile:
    """Sorted demands with their prefix sums; weights of any level without touching the users again."""

    def __init__(self, epsilon: ArrayLike) -> None:
        demands = np.asarray(epsilon, dtype=np.float64)
        self.n = int(demands.size)
        self.zeros = int(np.count_nonzero(demands == 0))
        self.public = int(np.count_nonzero(np.isinf(demands)))
        inner = np.sort(demands[(demands > 0) & np.isfinite(demands)])
        self.sorted = [mp.mpf(float(x)) for x in inner]
        self.first, self.second = [mp.zero], [mp.zero]
        for x in self.sorted:
            self.first.append(self.first[-1] + x)
            self.second.append(self.second[-1] + x * x)

    @property
    def positive(self) -> int:
        """Users whose data may be used."""
        return len(self.sorted) + self.public

    def shortfall(self, t: Any) -> Any:
        """Σ(1/n − tε_i)₊, the least bias that noise t allows."""
        cut = bisect_left(self.sorted, 1 / (self.n * t)) if t > 0 else len(self.sorted)
        return mp.mpf(self.zeros + cut) / self.n - t * self.first[cut]

    def _sums(self, level: Any) -> tuple[Any, Any, Any]:
        """(largest weight, Σ, Σ²) of min(ε, level), divided by the level where that is infinite."""
        if level == mp.inf and self.public:
            return mp.one, mp.mpf(self.public), mp.mpf(self.public)
        top = self.sorted[-1] if level == mp.inf else level
        cut = bisect_left(self.sorted, top)
        rest = self.positive - cut
        return top, self.first[cut] + rest * top, self.second[cut] + rest * top * top

    def simplex(self, level: Any) -> Features:
        """w = min(ε, level)/Σ; the shortfall is summed over weights below 1/n."""
        _, z, squares = self._sums(level)
        public_only = level == mp.inf and self.public
        t = mp.zero if public_only else 1 / z
        norm2 = squares / (z * z)
        return self._features(t, self.shortfall(t), mp.one, norm2)

    def scaled(self, level: Any, total: Any) -> Features:
        """The same times `total` ≤ 1."""
        full = self.simplex(level)
        return replace(
            full, t=full.t * total, total=total, shortfall=1 - total, spread=full.spread * total, norm=full.norm * total
        )

    def capped(self, t: Any) -> Features:
        """w = min(1/n, tε)."""
        short = self.shortfall(t)
        cut = bisect_left(self.sorted, 1 / (self.n * t)) if t > 0 else len(self.sorted)
        norm2 = t * t * self.second[cut] + mp.mpf(self.positive - cut) / self.n**2
        return self._features(t, short, 1 - short, norm2)

    def _features(self, t: Any, shortfall: Any, total: Any, norm2: Any) -> Features:
        rest = norm2 - total * total / self.n
        spread = mp.sqrt(rest) if rest > mp.mpf(10) ** -50 else mp.zero
        return Features(self.n, t, shortfall, total, spread, mp.sqrt(norm2))
