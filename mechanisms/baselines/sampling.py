r"""SM, the sampling mechanism (Jorgensen, Yu and Cormode 2015), in the form that is private when a record is
*replaced*.

User i enters a sample with probability p_i = (e^{ε_i} − 1)/(e^τ − 1), τ the largest demand; a τ-private sum over the
sample is released and divided by the *expected* size P = Σp_i. Dividing by, or scaling noise to, the realised size
leaks (see broken/sm_realised.py).

Proof. Fix the others' sample. Let c, a, d be the output's density with user i unsampled, sampled with x, sampled with
x'. The sum is τ-private for adding, removing and replacing: a ≤ e^τ·min(c, d). With p ≤ p_i (the code rounds down),
so that p(e^τ − 1) ≤ e^{ε_i} − 1,

    e^{ε_i}[(1−p)c + pd] − [(1−p)c + pa] = (e^{ε_i} − 1)[(1−p)c + pd] + p(d − a)
                                       ≥ p·{(e^τ − 1)[(1−p)c + pd] + d − a}
                                       ≥ p·{(e^τ − 1)min(c, d) + min(c, d) − a} ≥ 0.

Mixing over the others' sample keeps the inequality. For frequencies one record moves one bin when added and two when
replaced, so the noise has scale 2/(τP); then a ≤ e^{τ/2}c, and the loss log((1−p+pe^{τ/2})/(1−p+pe^{−τ/2})) is at
most ε_i.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mechanisms.demands import Floats, budgets, read_only
from mechanisms.laws import ErrorLaw, Sampled
from mechanisms.mechanism import Noise, ReferenceMechanism
from mechanisms.noise import WIDEST, discrete_laplace, float_laplace, word_source
from mechanisms.task import Data, Task, blocks

SHAVE = 2.0**-40  # far above the rounding error of the exponentials below


class SamplingMechanism(ReferenceMechanism):
    """Each sampled user spends τ, the largest demand; being sampled rarely makes that cheap."""

    def __init__(self, name: str, task: Task, epsilon: Floats, noise: Noise) -> None:
        self.name = name
        self.task = task
        self.epsilon = epsilon
        self.noise = noise
        self.level = None
        self.tau = float(budgets(epsilon).max())
        # 62-bit integers: user i is sampled when a uniform word is below chances[i].
        self.chances = np.floor(np.ldexp(self.ideal_chances, WIDEST)).astype(np.uint64)
        self.sampled = np.flatnonzero(self.chances)
        self.expected_size = float(np.ldexp(self.chances.astype(np.float64), -WIDEST).sum())
        self.unit, self.bits = self._unit_and_bits()

    @cached_property
    def ideal_chances(self) -> Floats:
        """(e^{ε_i} − 1)/(e^τ − 1), rounded down; with public users these are always sampled and nobody else is."""
        if np.isinf(self.tau):
            return np.isinf(self.epsilon).astype(np.float64)
        usable = budgets(self.epsilon)
        ratio = np.exp(usable - self.tau) * np.expm1(-usable) / np.expm1(-self.tau)
        return np.where(usable == self.tau, 1.0, ratio * (1.0 - SHAVE))

    def _unit_and_bits(self) -> tuple[int, int | None]:
        """A sampled user's units U and the noise's scale 2^bits with c·U/2^bits ≤ τ; n·U stays below 2^60."""
        room = 60 - int(np.ceil(np.log2(self.epsilon.size + 1)))
        if np.isinf(self.tau):
            return 1 << room, None
        shift = room - int(np.ceil(np.log2(self.tau / self.task.sensitivity)))
        shift = max(min(shift, WIDEST), shift - room + 20)
        return int(np.floor(np.ldexp(self.tau, shift) / self.task.sensitivity)), max(shift, 0)

    @property
    def weights(self) -> Floats:
        """p_i/P: a user's weight in the mean of the estimate."""
        return np.ldexp(self.chances.astype(np.float64), -WIDEST) / self.expected_size

    @property
    def noise_scale(self) -> float:
        """c/(τP)."""
        return 0.0 if self.bits is None else float(Fraction(1 << self.bits, self.unit)) / self.expected_size

    @cached_property
    def privacy_loss(self) -> Floats:
        """log of the worst mixture ratio, rounded up by 2⁻⁴⁰: the exact value is no rational number."""
        if self.bits is None:
            return read_only(np.where(self.chances > 0, np.inf, 0.0))
        p = np.ldexp(self.chances.astype(np.float64), -WIDEST)
        step = float(Fraction(self.unit, 1 << self.bits))
        loss = _log_mixture(p, step)
        if self.task.sensitivity == 2:
            loss = loss - _log_mixture(p, -step)
        return read_only(np.minimum(loss * (1.0 + SHAVE), self.epsilon))

    def _loss(self, user: int) -> Fraction | float:
        """A rational number no smaller than the loss and no larger than the demand."""
        loss = float(self.privacy_loss[user])
        return loss if np.isinf(loss) else Fraction(loss)

    def _outputs(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        words = word_source(rng)
        totals = np.empty((datasets.shape[0], self.task.outputs), dtype=np.int64)
        for rows in blocks(datasets.shape[0], max(self.sampled.size, 1)):
            chosen = datasets[rows][:, self.sampled]
            drawn = words(chosen.size).reshape(chosen.shape) >> np.uint64(64 - WIDEST)
            units = np.where(drawn < self.chances[self.sampled], self.unit, 0).astype(np.int64)
            totals[rows] = self.task.totals(units, chosen)
        return self._noisy(totals, rng)

    def _noisy(self, totals: NDArray[np.int64], rng: np.random.Generator | None) -> Floats:
        whole = self.unit * self.expected_size
        if self.bits is None:
            estimates = totals / whole
        elif self.noise == "float":
            estimates = totals / whole + float_laplace(self.noise_scale, totals.shape, rng or np.random.default_rng())
        else:
            drawn = discrete_laplace(self.bits, totals.size, word_source(rng), 1 << 61)
            estimates = (totals + drawn.reshape(totals.shape)) / whole
        return np.clip(estimates, 0.0, 1.0)


def sampled_law(mechanism: SamplingMechanism) -> ErrorLaw:
    """Weights in the mean, the chances behind them, and Laplace noise."""
    weights = mechanism.weights
    return ErrorLaw(weights, Sampled(weights * mechanism.expected_size, mechanism.noise_scale))


def _log_mixture(p: Floats, step: float) -> Floats:
    """log(1 − p + p·e^step), accurate for the smallest steps and free of overflow for the largest."""
    if abs(step) < 1.0:
        return np.log1p(p * np.expm1(step))
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log1p(-p), step + np.log(p))
