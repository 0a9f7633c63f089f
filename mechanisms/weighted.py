"""A weighted sum and Laplace noise: every mechanism of the paper and most baselines are this one with other budgets.

A mechanism is what each user *spends*: losses ℓ_i ≤ ε_i. Weights are proportional to ℓ, and the noise makes the loss
exactly ℓ_i (lem:eps-dp). On the integer grid that is a line of arithmetic: user i gets W_i = ⌊ℓ_i·2^bits/c⌋ units (c
= 1 for a mean, 2 for frequencies), the noise has scale 2^bits units, so user i loses c·W_i/2^bits ≤ ℓ_i ≤ ε_i, and
the estimate is total/M. Weights, totals and noise are integers; dividing, shifting and clipping come after the noise
and cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from mechanisms.demands import Floats, read_only
from mechanisms.laws import Ball, ErrorLaw, Gaussian, Laplace
from mechanisms.mechanism import Noise, ReferenceMechanism
from mechanisms.noise import WIDEST, Integers, Words, discrete_laplace, float_laplace, word_source
from mechanisms.permuting import permuted_totals
from mechanisms.task import Data, Task, blocks

FINEST = 60  # M stays below 2^60, so that total + noise fits into 64 bits
COARSEST = 33  # rather than fewer than 2^33 units a user, noise wider than a machine word


@dataclass(frozen=True, eq=False)
class Spending:
    """Losses to spend, and what they are divided by to give weights."""

    losses: Floats
    level: float | None = None
    divisor: float | None = None  # None: their sum, weights on the simplex; larger: weights around ½
    noiseless: bool = False  # only public users, or nobody, are used
    share: float = 0.5  # what a missing unit of weight is taken to be worth in each output


@dataclass(frozen=True)
class Grid:
    """Integer units for each user, of M in all, and the noise's scale 2^bits in units (None: no noise)."""

    units: Integers
    whole: int
    bits: int | None
    sensitivity: int

    def loss(self, user: int) -> Fraction | float:
        """c·W_i/2^bits, exactly."""
        own = int(self.units[user])
        if self.bits is None:
            return np.inf if own else Fraction(0)
        return Fraction(self.sensitivity * own, 1 << self.bits)

    @cached_property
    def losses(self) -> Floats:
        """The same for all users. W_i is a double rounded down, so each quotient is a double too."""
        if self.bits is None:
            return read_only(np.where(self.units > 0, np.inf, 0.0))
        return read_only(np.ldexp(self.units.astype(np.float64) * self.sensitivity, -self.bits))


@lru_cache(maxsize=4)  # like spendings, as a mechanism is built for each check of an audit; nobody may write into them
def on_grid(spending: Spending, sensitivity: int, finest_bits: int, widest: int, narrowest: int = 0) -> Grid:
    """W_i = ⌊ℓ_i·2^shift/c⌋: scaling by a power of two is exact in doubles, and rounding down only ever spends less.

    Noise narrower than 2^narrowest units gets a finer grid, and where no finer one fits into a word, wider noise.
    """
    divisor = float(spending.losses.sum()) if spending.divisor is None else spending.divisor
    size = int(np.ceil(np.log2(divisor / sensitivity)))
    finest_bits = max(finest_bits, min(size + narrowest, FINEST))
    finest = finest_bits - size
    coarsest = min(COARSEST + int(np.ceil(np.log2(spending.losses.size))), finest_bits)
    shift = finest if spending.noiseless else max(min(finest, widest), finest - (finest_bits - coarsest))
    units = np.floor(np.ldexp(spending.losses, shift) / sensitivity).astype(np.int64)
    units.setflags(write=False)
    used = int(units.sum())
    whole = used if spending.divisor is None else max(used, round(np.ldexp(divisor, shift) / sensitivity))
    return Grid(units, whole, None if spending.noiseless else max(shift, narrowest), sensitivity)


class WeightedMechanism(ReferenceMechanism):
    """Σw_i·x_i + (1 − Σw)/2 + Laplace, clipped to [0, 1]: alg. (ADPF) and (ADPM) where Σw = 1."""

    places_units = True
    offset_in_units: ClassVar[bool] = False  # whether totals have it before the noise is added

    def __init__(self, name: str, task: Task, epsilon: Floats, spending: Spending, noise: Noise) -> None:
        self.name = name
        self.task = task
        self.epsilon = epsilon
        self.noise = noise
        self.level = spending.level
        self.share = spending.share
        self.grid = self._grid(spending)

    def _grid(self, spending: Spending) -> Grid:
        return on_grid(spending, self.task.sensitivity, FINEST, WIDEST)

    @cached_property
    def weights(self) -> Floats:
        """W_i/M."""
        return read_only(self.grid.units / self.grid.whole)

    @property
    def noise_scale(self) -> float:
        """2^bits/M."""
        return 0.0 if self.grid.bits is None else float(Fraction(1 << self.grid.bits, self.grid.whole))

    @property
    def noise_law(self) -> Laplace | Gaussian | Ball:
        """Of each output."""
        return Laplace(self.noise_scale)

    def _loss(self, user: int) -> Fraction | float:
        """c·W_i/2^bits; with float noise, what it would be if doubles were real numbers."""
        return self.grid.loss(user)

    @property
    def privacy_loss(self) -> Floats:
        """All users' losses."""
        return self.grid.losses

    @cached_property
    def offset(self) -> float:
        """c·(1 − Σw), c = ½ but for hull noise: what the missing weight is taken to be worth; 0 on the simplex."""
        return self.share * (self.grid.whole - int(self.grid.units.sum())) / self.grid.whole

    def _outputs(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        totals = np.empty((datasets.shape[0], self.task.outputs), dtype=np.int64)
        for rows in blocks(datasets.shape[0], int(np.prod(datasets.shape[1:]))):
            totals[rows] = self.task.totals(self.grid.units, datasets[rows])
        return self._noisy(totals, datasets.shape[0], rng)

    def _repeated(self, data: Data, size: int, rng: np.random.Generator | None) -> Floats:
        return self._noisy(self.task.totals(self.grid.units, data[None, :]), size, rng)

    def _permuted(self, data: Data, size: int, rng: np.random.Generator) -> Floats:
        totals = permuted_totals(self.task, self.grid.units, data, size, rng)
        return self._noisy(totals, size, rng)

    def _noisy(self, totals: Integers, size: int, rng: np.random.Generator | None) -> Floats:
        """Totals (one row, or one a release) plus noise, as estimates in [0, 1]."""
        shape = (size, totals.shape[1])
        if self.grid.bits is None:
            estimates = np.broadcast_to(totals / self.grid.whole, shape).copy()
        elif self.noise == "float":
            estimates = self._float_noise(shape, rng or np.random.default_rng())
            estimates += totals / self.grid.whole
        else:
            estimates = (self._exact_noise(self.grid.bits, shape, word_source(rng)) + totals) / self.grid.whole
        if self.offset and not self.offset_in_units:
            estimates += self.offset
        return self._finished(estimates)

    def _finished(self, estimates: Floats) -> Floats:
        """Estimates where answers may lie."""
        return np.clip(estimates, 0.0, 1.0, out=estimates)

    def _exact_noise(self, bits: int, shape: tuple[int, int], words: Words) -> Integers:
        """Integer noise, clamped to ±M: total + offset lies between 0 and M, so the clip hides the clamp."""
        return discrete_laplace(bits, shape[0] * shape[1], words, self.grid.whole).reshape(shape)

    def _float_noise(self, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
        return float_laplace(self.noise_scale, shape, rng)


def weighted_law(mechanism: WeightedMechanism) -> ErrorLaw:
    """Weights and independent noise."""
    return ErrorLaw(mechanism.weights, mechanism.noise_law, mechanism.share, mechanism.offset)


laplace_law = weighted_law  # the name that extensions know it by
