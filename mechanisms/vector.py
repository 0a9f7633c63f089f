"""A weighted mean of vectors in the unit ball with Gaussian noise: HVM."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from mechanisms.demands import Floats
from mechanisms.gaussian import GaussianMechanism
from mechanisms.gaussian_noise import discrete_gaussian
from mechanisms.laws import Ball
from mechanisms.mechanism import Noise
from mechanisms.noise import Integers, Words
from mechanisms.task import Task
from mechanisms.vector_mean import in_ball
from mechanisms.weighted import Spending
from mechanisms.zcdp import Concentrated


class VectorMechanism(GaussianMechanism):
    """Σw_i·x_i + Gaussian, moved into the unit ball; weight that is missing is worth 0, the centre of the ball."""

    def __init__(self, name: str, task: Task, demands: Concentrated, spending: Spending, noise: Noise) -> None:
        super().__init__(name, task, demands, replace(spending, share=0.0), noise)

    @property
    def noise_law(self) -> Ball:
        """Of all outputs together."""
        return Ball(self.noise_scale, self.task.outputs)

    def _exact_noise(self, bits: int, shape: tuple[int, int], words: Words) -> Integers:
        """Clamped to ±2M: totals lie within ±M, so a clip of the sum to ±M hides the clamp."""
        draws = discrete_gaussian(Fraction(1 << 2 * bits), shape[0] * shape[1], words, 2 * self.grid.whole)
        return draws.reshape(shape)

    def _finished(self, estimates: Floats) -> Floats:
        return in_ball(np.clip(estimates, -1.0, 1.0))
