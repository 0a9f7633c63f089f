"""How far the laws of neighbouring counts are apart when a random subset of users holds the ones (ours).

Users A, a uniform j-subset S of them has datum 1; P_j is the law of the output. P_{j+1} is the average of M(S ∪ {i})
over j-subsets S and users i outside, each at most e^{ε_i}·M(S), so it is at most the average of m(S)·M(S), m(S) the
mean of e^ε over the |A| − j users outside S. Likewise P_j is at most an average over (j+1)-subsets, with the mean over
S itself. Two ways to go on, with r = min(|A| − j, j + 1):
- m is at most the mean of e^ε over the r largest demands of A: P_{j+1} ≤ e^s·P_j and P_j ≤ e^s·P_{j+1}, exactly.
- For any s, m ≤ e^s + (m − e^s)₊: the same but for a mass η = E(m − e^s)₊, m the mean of at least r random users. With
  (x)₊ ≤ e^{λx − 1}/λ and Hoeffding's comparison of sampling without and with replacement,
  η ≤ e^{−λe^s − 1}/λ·(mean over A of e^{λe^ε/r})^r for every λ > 0.
Both fall in r, so the least r of all j serves a whole chain with equal steps s; `Chain.swing` has the price of η.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.symmetric import compress

Floats = NDArray[np.float64]
LEAK = 1e-8  # η
_RATES = np.array([0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])


@dataclass(frozen=True, eq=False)
class Steps:
    """e^ε of the users of A, ascending."""

    growth: Floats

    def step(self, r: int) -> tuple[float, float]:
        """(s, η): the smaller of the exact and the typical s for means over at least r users."""
        exact = float(np.log(self.growth[-max(r, 1) :].mean()))
        typical = self._typical(max(r, 1))
        return (max(exact, 1e-9), 0.0) if exact <= typical else (max(typical, 1e-9), LEAK)

    @cached_property
    def _rounded(self) -> tuple[Floats, Floats]:
        """e^ε rounded up to few values, and how many users have each."""
        values, counts = compress(self.growth, 300)
        return values, counts.astype(np.float64)

    def _typical(self, r: int) -> float:
        """The least s over some λ with η ≤ LEAK."""
        values, counts = self._rounded
        size = float(counts.sum())
        mean = float(counts @ values) / size
        deviation = math.sqrt(float(counts @ (values - mean) ** 2) / size)
        if deviation <= 1e-12 * mean:
            return math.log(float(values[-1]))
        rates = _RATES * math.sqrt(r) / deviation
        tilts = rates[:, None] / r * (values - mean)
        top = tilts.max(axis=1)
        logs = r * (top + np.log(np.exp(tilts - top[:, None]) @ counts / size))
        excess = logs - 1 - np.log(rates) - math.log(LEAK)
        return math.log(mean + max(float((excess / rates).min()), 0.0))


def promising_steps(growth: Floats, sizes: NDArray[np.int64], r: NDArray[np.int64]) -> Floats:
    """About what `Steps.step` says for the first `sizes` users, for searches only."""
    mean, square = (np.cumsum(growth**power)[sizes - 1] / sizes for power in (1, 2))
    spread = np.sqrt(np.maximum(square - mean**2, 0.0) / r)
    return np.asarray(np.log(np.minimum(mean + 5 * spread, growth[sizes - 1])))
