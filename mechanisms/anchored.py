"""Two releases from one budget (ours): a safe one from below the level, a second opinion from what lies above it.

The paper calls the part of a demand above the saturation level *free privacy*: nobody spends it. Here the anchor y₁
spends min(ε, ρ) and carries the worst-case guarantee; the opinion y₂ spends what is left, min((ε − ρ)₊, ρ₂), and is
precise where the data are benign. What is released is y₂ moved into the box y₁ ± h, entry by entry.

Privacy: user i loses min(ε_i, ρ) + min((ε_i − ρ)₊, ρ₂) ≤ ε_i; moving into the box is post-processing.
Accuracy: the answer lies within h of y₁, so ‖y − μ‖∞ ≤ ‖y₁ − μ‖∞ + h whatever the data: the anchor's exact worst
quantile plus h, or (√V₁ + h)² for the squared error. And wherever ‖y₁ − μ‖∞ ≤ h the truth lies in the box, and moving
into a convex set that holds the truth never increases an entry's error: |y_j − μ_j| ≤ |y₂_j − μ_j|.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from mechanisms.demands import Floats, read_only
from mechanisms.laws import ErrorLaw
from mechanisms.mechanism import Noise, ReferenceMechanism
from mechanisms.task import Data, Task
from mechanisms.weighted import Spending, WeightedMechanism, weighted_law


@dataclass(frozen=True)
class Anchoring:
    """What the anchor spends, what the opinion spends of the rest, and how far the answer may leave the anchor."""

    anchor: Spending
    opinion: Spending | None = None  # None: too little is left above the level to be worth a second release
    reach: float = 0.0


class AnchoredMechanism(ReferenceMechanism):
    """The opinion, moved into the box around the anchor; the anchor alone where there is no opinion."""

    def __init__(self, name: str, task: Task, epsilon: Floats, plan: Anchoring, noise: Noise) -> None:
        self.name = name
        self.task = task
        self.epsilon = epsilon
        self.noise = noise
        self.level = None
        self.reach = plan.reach
        self.anchor = WeightedMechanism(name, task, epsilon, plan.anchor, noise)
        self.opinion = WeightedMechanism(name, task, epsilon, plan.opinion, noise) if plan.opinion else None

    @property
    def _leading(self) -> WeightedMechanism:
        return self.opinion or self.anchor

    @property
    def weights(self) -> Floats:
        """The opinion's weights: those of the answer wherever it stays inside the box."""
        return self._leading.weights

    @property
    def noise_scale(self) -> float:
        """The opinion's scale; the anchor's is `anchor.noise_scale`."""
        return self._leading.noise_scale

    @cached_property
    def privacy_loss(self) -> Floats:
        """Both losses together, rounded up where their sum is no double (two doubles and what their sum lost)."""
        first = self.anchor.privacy_loss
        if self.opinion is None:
            return first
        second = self.opinion.privacy_loss
        total = first + second
        large, small = np.maximum(first, second), np.minimum(first, second)
        with np.errstate(invalid="ignore"):
            lost = small - (total - large)  # exact: Dekker's fast two-sum, larger number first
        return read_only(np.where(lost > 0, np.nextafter(total, np.inf), total))

    def _loss(self, user: int) -> Fraction | float:
        """The sum of two exact rationals."""
        first = self.anchor._loss(user)
        return first if self.opinion is None else first + self.opinion._loss(user)

    def _outputs(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        safe = self.anchor._outputs(datasets, rng)
        return safe if self.opinion is None else self._within(safe, self.opinion._outputs(datasets, rng))

    def _repeated(self, data: Data, size: int, rng: np.random.Generator | None) -> Floats:
        safe = self.anchor._repeated(data, size, rng)
        return safe if self.opinion is None else self._within(safe, self.opinion._repeated(data, size, rng))

    def _permuted(self, data: Data, size: int, rng: np.random.Generator) -> Floats:
        """Both releases see the same permutation."""
        if self.opinion is None:
            return self.anchor._permuted(data, size, rng)
        first, second = np.empty((2, size, self.task.outputs), dtype=np.int64)
        for row in range(size):
            shuffled = rng.permutation(data)[None, :]
            first[row] = self.task.totals(self.anchor.grid.units, shuffled)
            second[row] = self.task.totals(self.opinion.grid.units, shuffled)
        return self._within(self.anchor._noisy(first, size, rng), self.opinion._noisy(second, size, rng))

    def _within(self, safe: Floats, opinion: Floats) -> Floats:
        return np.clip(np.clip(opinion, safe - self.reach, safe + self.reach), 0.0, 1.0)


def anchored_law(mechanism: AnchoredMechanism) -> ErrorLaw:
    """The anchor's, from which the opinion keeps its reach."""
    anchor = weighted_law(mechanism.anchor)
    if mechanism.opinion is None:
        return anchor
    return replace(anchor, reach=mechanism.reach, opinion=weighted_law(mechanism.opinion))
