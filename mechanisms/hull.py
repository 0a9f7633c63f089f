"""HPF with noise on the sensitivity hull (ours): tables keep their sum, and so does their noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechanisms.demands import Floats
from mechanisms.hull_noise import LONGEST, hull_noise, narrowest_bits
from mechanisms.laws import ErrorLaw, Hull
from mechanisms.noise import Integers, Words, word_source
from mechanisms.weighted import Grid, Spending, WeightedMechanism, on_grid

FINEST_HULL = 46  # radii are sums of k − 1 numbers of the noise's size and must fit into a machine word
ROOM = 8


class HullMechanism(WeightedMechanism):
    """Σw_i·1{x_i = j} + c(1 − Σw) + v_j, Σv = 0, P(v) ∝ exp(−‖v‖₁/2^{bits+1}): user i loses W_i/2^bits.

    Moving W units from one bin to another changes ‖v‖₁ by at most 2W.
    """

    def _grid(self, spending: Spending) -> Grid:
        widest = self._widest
        return on_grid(spending, 1, min(FINEST_HULL, widest), widest, narrowest_bits(self.task.outputs))

    @property
    def _widest(self) -> int:
        return LONGEST - ROOM - self.task.outputs.bit_length()

    @property
    def noise_scale(self) -> float:
        """2^{bits+1}/M: each entry is Laplace of this scale, given that all sum to 0."""
        return 0.0 if self.grid.bits is None else float(Fraction(2 << self.grid.bits, self.grid.whole))

    def _exact_noise(self, bits: int, shape: tuple[int, int], words: Words) -> Integers:
        return hull_noise(bits, shape[1], shape[0], words, self.grid.whole)

    def _float_noise(self, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
        """The same law on a grid of its own, added in doubles: sums of doubles cannot be conditioned on being 0."""
        bits = min(40, self._widest)
        drawn = hull_noise(bits, shape[1], shape[0], word_source(rng), 1 << 60)
        return drawn.astype(np.float64) * (self.noise_scale / 2.0 ** (bits + 1))


def hull_law(mechanism: HullMechanism) -> ErrorLaw:
    """Weights, and noise that keeps the table's sum."""
    noise = Hull(mechanism.noise_scale, mechanism.task.outputs)
    return ErrorLaw(mechanism.weights, noise, mechanism.share, mechanism.offset)
