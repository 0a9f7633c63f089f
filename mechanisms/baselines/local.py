"""LDP: every user randomises their own datum, the server only adds up (sec:adx:ldp).

Means: x_i plus Laplace of scale 1/ε_i. Frequencies: k-RAPPOR, each bit of the one-hot vector flipped with probability
1/(1 + e^{ε_i/2}), unbiased by coth(ε_i/4). What the server does with the messages is post-processing; only the
messages must be exact.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from mechanisms.criteria import Aim
from mechanisms.demands import Floats, budgets, read_only
from mechanisms.errors import InvalidInput
from mechanisms.laws import ErrorLaw, FlippedBits, NoisyMessages
from mechanisms.mechanism import Noise, ReferenceMechanism
from mechanisms.noise import WIDEST, discrete_laplace, float_laplace, word_source
from mechanisms.task import Data, Task, blocks

MEAN_BITS = 48  # a user's noise has scale 2^48 units, their datum spans ⌊ε·2^48⌋ units
LARGEST_LOCAL = 2.0**12  # more than this is not spent: the noise is far below any use already
SMALLEST_LOCAL = 2.0**-40  # users who demand less are not asked: their message would be noise
SHAVE = 2.0**-40  # far above the rounding error of a hyperbolic tangent


class LocalMechanism(ReferenceMechanism):
    """Σ w_i·(unbiased message of user i), clipped."""

    level = None

    def __init__(self, name: str, task: Task, epsilon: Floats, weights: Floats, noise: Noise) -> None:
        self.name = name
        self.task = task
        self.epsilon = epsilon
        self.noise = noise
        self._weights = read_only(weights)

    @property
    def weights(self) -> Floats:
        """The server's weights."""
        return self._weights

    messages: ClassVar[type[NoisyMessages | FlippedBits]]  # how a user's own message errs

    @abstractmethod
    def _estimates(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        """One estimate a row, before clipping."""

    def _outputs(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        table = np.empty((datasets.shape[0], self.task.outputs))
        for rows in blocks(datasets.shape[0], datasets.shape[1] * self.task.outputs):
            table[rows] = self._estimates(datasets[rows], rng)
        return np.clip(table, 0.0, 1.0)


class LocalMean(LocalMechanism):
    """x_i + Laplace(1/ε_i) from each user; on the grid a datum spans ⌊ε_i·2^48⌋ units against noise of 2^48."""

    messages = NoisyMessages

    @cached_property
    def spans(self) -> Floats:
        """⌊ε_i·2^48⌋: exact, as scaling by a power of two is; 0 for public users, who add no noise."""
        capped = np.minimum(np.where(np.isinf(self.epsilon), 0.0, self.epsilon), LARGEST_LOCAL)
        return np.floor(np.ldexp(capped, MEAN_BITS))

    @property
    def noise_scale(self) -> float:
        """Root mean square of the whole noise, over √2: a Laplace scale of equal variance."""
        used = (self._weights > 0) & (self.spans > 0)
        per_user = self._weights[used] * 2.0**MEAN_BITS / self.spans[used]
        return float(np.sqrt((per_user**2).sum()))

    @property
    def privacy_loss(self) -> Floats:
        """⌊ε_i·2^48⌋/2^48; inf for public users; 0 where the message carries no weight (it is not sent)."""
        loss = np.where(np.isinf(self.epsilon), np.inf, np.ldexp(self.spans, -MEAN_BITS))
        return np.where(self._weights > 0, loss, 0.0)

    def _loss(self, user: int) -> Fraction | float:
        """The same as a rational number."""
        loss = float(self.privacy_loss[user])
        return loss if np.isinf(loss) else Fraction(loss)

    def _estimates(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        noisy = np.flatnonzero((self._weights > 0) & (self.spans > 0))
        open_users = np.flatnonzero((self._weights > 0) & np.isinf(self.epsilon))
        spans = self.spans[noisy]
        messages = datasets[:, noisy]
        if self.noise == "float":
            scales = 2.0**MEAN_BITS / spans
            messages = messages + scales * float_laplace(1.0, messages.shape, rng or np.random.default_rng())
        else:
            drawn = discrete_laplace(MEAN_BITS, messages.size, word_source(rng), 1 << 61).reshape(messages.shape)
            # Noise comes capped at 2^61; capping the message at 2^60 as well makes the cap depend on the message alone.
            capped = np.clip(np.rint(messages * spans).astype(np.int64) + drawn, -(1 << 60), 1 << 60)
            messages = capped / spans
        public = datasets[:, open_users] @ self._weights[open_users]
        return (messages @ self._weights[noisy] + public)[:, None]


class LocalFrequency(LocalMechanism):
    """k-RAPPOR from each user: a flip has probability (2^61 − G_i)/2^62 with G_i = ⌊2^61·tanh(ε_i/4)·(1 − 2⁻⁴⁰)⌋."""

    messages = FlippedBits

    @cached_property
    def gains(self) -> Floats:
        """G_i/2^61 = 1 − 2f_i ≤ tanh(ε_i/4): how much of a bit survives; 1 for public users only."""
        kept = np.floor(np.ldexp(np.tanh(budgets(self.epsilon) / 4.0) * (1.0 - SHAVE), WIDEST - 1))
        return np.where(np.isinf(self.epsilon), 1.0, np.ldexp(kept, 1 - WIDEST))

    @cached_property
    def flips(self) -> np.ndarray:
        """2^61 − G_i: a bit is flipped when a uniform 62-bit number is below."""
        return (1 << (WIDEST - 1)) - np.ldexp(self.gains, WIDEST - 1).astype(np.int64)

    @property
    def noise_scale(self) -> float:
        """A Laplace scale of the same variance as one empty category: √(Σw²f(1−f)/(1−2f)²/2)."""
        used = self._weights > 0
        gain = self.gains[used]
        return float(np.sqrt((self._weights[used] ** 2 * (1.0 - gain**2) / gain**2).sum() / 8.0))

    @cached_property
    def privacy_loss(self) -> Floats:
        """2·log((1−f)/f) = 4·artanh(G/2^61), rounded up by 2⁻⁴⁰; two bits differ between any two one-hot vectors."""
        with np.errstate(divide="ignore"):
            loss = 4.0 * np.arctanh(self.gains) * (1.0 + SHAVE)
        return read_only(np.where(self._weights > 0, np.minimum(loss, self.epsilon), 0.0))

    def _loss(self, user: int) -> Fraction | float:
        """A rational number no smaller than the loss and no larger than the demand."""
        loss = float(self.privacy_loss[user])
        return loss if np.isinf(loss) else Fraction(loss)

    def _estimates(self, datasets: Data, rng: np.random.Generator | None) -> Floats:
        used = np.flatnonzero(self._weights > 0)
        gain = self.gains[used][:, None]
        one_hot = datasets[:, used, None] == np.arange(self.task.outputs)
        drawn = word_source(rng)(one_hot.size).reshape(one_hot.shape) >> np.uint64(64 - WIDEST)
        bits = one_hot ^ (drawn < self.flips[used].astype(np.uint64)[:, None])
        unbiased = (bits - 0.5 * (1.0 - gain)) / gain
        return np.einsum("i,rij->rj", self._weights[used], unbiased)


def local_law(mechanism: LocalMechanism) -> ErrorLaw:
    """The server's weights, and the noise of everybody who adds some."""
    noisy = (mechanism.weights > 0) & np.isfinite(mechanism.privacy_loss)
    noise = mechanism.messages(mechanism.weights[noisy], mechanism.privacy_loss[noisy])
    return ErrorLaw(mechanism.weights, noise)


def asked(spendable: Floats) -> Floats:
    """The budgets of the users who are asked at all."""
    kept = np.where(spendable >= SMALLEST_LOCAL, spendable, 0.0)
    if not kept.any():
        raise InvalidInput(
            f"the largest demand is {spendable.max()}: too small for local privacy, which needs one of at least 2^-40"
        )
    return kept


def frequency_weights(demands: Floats, aim: Aim, weakly: bool) -> Floats:
    """∝ 1/(n + L·a_i), or in the second weak branch 1/(1 + a_i).

    A_i = coth(ε_i/4)/ε_i (sec:adx:ldp with ‖·‖₁² ≤ n‖·‖₂²).
    """
    n, L = demands.size, aim.log_term
    with np.errstate(divide="ignore"):
        a = np.where(np.isinf(demands), 0.0, 1.0 / (np.tanh(demands / 4.0) * demands))
    plain = _normalised(1.0 / (n + L * a))
    if not weakly:
        return plain
    other = _normalised(1.0 / (1.0 + a))
    cost = L * _weighted_square(plain, a) + n * ((plain - 1.0 / n) ** 2).sum()
    other_cost = L * _weighted_square(other, a) + L * (other**2).sum()
    return plain if cost <= other_cost else other


def _weighted_square(weights: Floats, a: Floats) -> float:
    used = weights > 0
    return float((weights[used] ** 2 * a[used]).sum())


def _normalised(raw: Floats) -> Floats:
    return raw / raw.sum()
