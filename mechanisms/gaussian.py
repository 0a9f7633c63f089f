"""A weighted sum and Gaussian noise, for demands ρ_i (zCDP): the weights of the family, other tails.

User i gets W_i = ⌊r_i·2^bits⌋ units, where r_i² ≤ 2ρ_i/c exactly, and replacing their datum moves the totals by at most
√c·W_i in ℓ2 (c = 1 for a mean, 2 for frequencies). The noise is the discrete Gaussian with σ = 2^bits units, for which
D_α ≤ α·‖moved‖₂²/2σ² (Canonne, Kamath and Steinke 2020), so user i loses c·W_i²/2σ² ≤ c·r_i²/2 ≤ ρ_i: integers all the
way. It is equal to that where α is whole and nothing is clipped. Pure ε: unbounded for all who are used.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from mechanisms.demands import Floats, read_only
from mechanisms.gaussian_noise import discrete_gaussian
from mechanisms.laws import Ball, Gaussian
from mechanisms.mechanism import Noise
from mechanisms.noise import WIDEST, Integers, Words
from mechanisms.task import Task
from mechanisms.weighted import FINEST, Grid, Spending, WeightedMechanism, on_grid
from mechanisms.zcdp import Concentrated, square


class GaussianMechanism(WeightedMechanism):
    """Σw_i·x_i + (1 − Σw)/2 + Gaussian, clipped to [0, 1]; losses are in ρ, the level in μ = √(2ρ)."""

    def __init__(self, name: str, task: Task, demands: Concentrated, spending: Spending, noise: Noise) -> None:
        super().__init__(name, task, demands.epsilon, spending, noise)
        self.rho = demands.rho
        self.delta = demands.delta
        if spending.level is not None:
            self.level = spending.level * float(np.sqrt(task.moved))

    def _grid(self, spending: Spending) -> Grid:
        return on_grid(spending, 1, FINEST, WIDEST)

    @property
    def noise_scale(self) -> float:
        """σ, the standard deviation of each output: 2^bits/M."""
        return super().noise_scale

    @property
    def noise_law(self) -> Gaussian | Ball:
        """Of each output."""
        return Gaussian(self.noise_scale)

    def _loss(self, user: int) -> Fraction | float:
        """c·W_i²/2σ², exactly."""
        ratio = self.grid.loss(user)
        return ratio if isinstance(ratio, float) else Fraction(self.task.moved, 2) * ratio**2

    @cached_property
    def privacy_loss(self) -> Floats:
        """All users' ρ, rounded up where W_i² is no double."""
        ratio = self.grid.losses
        used = np.isfinite(ratio)
        high, low = square(ratio[used])
        losses = np.full(ratio.shape, np.inf)
        losses[used] = np.where(low > 0, np.nextafter(high, np.inf), high) * (self.task.moved / 2.0)
        return read_only(losses)

    def _exact_noise(self, bits: int, shape: tuple[int, int], words: Words) -> Integers:
        """Integer noise, clamped to ±M, which the clip hides."""
        return discrete_gaussian(Fraction(1 << 2 * bits), shape[0] * shape[1], words, self.grid.whole).reshape(shape)

    def _float_noise(self, shape: tuple[int, int], rng: np.random.Generator) -> Floats:
        return rng.normal(0.0, self.noise_scale, size=shape)
