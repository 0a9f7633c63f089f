"""HPM at a public level (ours): outputs tell no more of a demand than of a datum.

The estimate is ½ + Σm_i(x_i − ½)/(nρ) + Laplace(1/(nρ)) with m_i = min(ε_i, ρ). Level ρ, number of users and noise are
the same whatever anybody demands, so datum and demand of a user go in through m_i(x_i − ½) alone. Whatever both become,
that moves by at most the larger of the two m_i (ledger: secret-demands), which is what the two demands are allowed.

On the grid the largest W is an even number w, M = nw, and W_i is the even part of what m_i allows: then W_i/2 is whole,
and the ½ of a missing unit is added before the noise. Added in doubles afterwards, its last bits would tell Σm_i.
"""

from __future__ import annotations

import numpy as np

from mechanisms.demands import Floats
from mechanisms.noise import Integers
from mechanisms.weighted import Grid, Spending, WeightedMechanism


class SecretMechanism(WeightedMechanism):
    """Weights around ½ whose level was not chosen from the demands."""

    offset_in_units = True

    def _grid(self, spending: Spending) -> Grid:
        """Only a user's own units depend on their demand."""
        level = spending.level
        assert level is not None  # noqa: S101 - the builder gives one
        finest = super()._grid(Spending(np.full(spending.losses.size, level), level, level * spending.losses.size))
        largest = int(finest.units[0]) // 2 * 2
        scaled = np.ldexp(spending.losses, finest.bits or 0) / finest.sensitivity
        units = np.minimum(np.floor(scaled / 2.0).astype(np.int64) * 2, largest)
        return Grid(units, largest * units.size, finest.bits, finest.sensitivity)

    def _noisy(self, totals: Integers, size: int, rng: np.random.Generator | None) -> Floats:
        return super()._noisy(totals + (self.grid.whole - int(self.grid.units.sum())) // 2, size, rng)
