"""(ε, δ)-differential privacy: likelihood ratios are at most e^ε, but for events of probability δ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.model.columns import beside, column
from hdp_audit.model.gaussian import GaussianLimit
from hdp_audit.model.promise import Limit, OfColumns, PureLimit

Floats = NDArray[np.float64]
Users = NDArray[np.int64]

LARGEST = 1e6


@dataclass(frozen=True)
class ApproximateLimit(Limit):
    """(ε, δ) of a group; the strength is its ε, at the δ that follows for the group from those of its members."""

    epsilon: float
    leaked: float  # δ
    members: tuple[tuple[float, float, int], ...] = ()  # of several: (ε, δ, how many) of each kind
    straight = True

    @property
    def strength(self) -> float:
        """ε."""
        return self.epsilon

    def at(self, strength: float) -> ApproximateLimit:
        """Another ε, at the same δ of one user; of a group everybody's ε grows alike, and the group's δ with it."""
        if not self.members:
            return ApproximateLimit(strength, self.leaked)
        epsilon, delta, count = (np.array(part) for part in zip(*self.members, strict=True))
        whole = float(np.repeat(epsilon, count).sum())
        scaled = epsilon * (strength / whole) if whole > 0 else np.full(epsilon.size, strength / count.sum())
        leaked = _leaked(np.repeat(scaled, count), np.repeat(delta, count))
        return ApproximateLimit(strength, leaked, self.members)

    def delta(self, epsilon: ArrayLike) -> Floats:
        """δ₀ from ε₀ on; below it δ₀ + (1−δ₀)(e^ε₀ − e^ε)/(1 + e^ε₀)."""
        return np.asarray(self.leaked + (1.0 - self.leaked) * PureLimit(self.epsilon).delta(epsilon))

    def tangent(self, wrong: ArrayLike) -> Floats:
        """ε₀ for every event that is rare enough."""
        return np.full(np.shape(wrong), self.epsilon)

    def shown_by(self, right: ArrayLike, wrong: ArrayLike) -> Floats:
        """log((right − δ)/wrong)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(np.asarray(right) - self.leaked, 1e-300)) - np.log(wrong))

    def gaussian(self) -> float:
        """Where the curve of normal noise passes through (ε, δ)."""
        if self.leaked <= 0 or self.epsilon == np.inf:
            return 0.0 if self.leaked <= 0 else np.inf
        return _halved(lambda mu: GaussianLimit(mu).delta(self.epsilon) > self.leaked)

    def lost_by(self, mu: float) -> float:
        """The ε at which the curve of normal noise has fallen to δ."""
        if self.leaked <= 0 or mu == np.inf:
            return np.inf if mu > 0 else 0.0
        return _halved(lambda epsilon: GaussianLimit(mu).delta(epsilon) <= self.at(epsilon).leaked)


def _leaked(epsilon: Floats, delta: Floats) -> float:
    """The smallest Σ_j e^{ε of those before j}·δ_j over all orders, at most 1.

    Of two neighbours in an order i goes before j if δ_i + e^{ε_i}·δ_j ≤ δ_j + e^{ε_j}·δ_i, so by falling δ/(e^ε − 1).
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        order = np.argsort(-np.nan_to_num(delta / np.expm1(epsilon), posinf=np.inf), kind="stable")
        before = np.concatenate([[0.0], np.cumsum(epsilon[order])[:-1]])
        leaked = float(np.nan_to_num(np.exp(before) * delta[order], nan=0.0).sum())
    return min(leaked, 1.0)


def _halved(beyond: Callable[[float], ArrayLike]) -> float:
    """The number from 0 on from which on `beyond` is true."""
    low, high = 0.0, 1.0
    while not beyond(high) and high < LARGEST:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return low


class ApproximateDP(OfColumns):
    """User i loses at most ε_i, but for events of probability δ_i.

    Args:
        epsilon: One number from 0 to inf for each user.
        delta: One number from 0 to 1 for each user, or one for all.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import ApproximateDP
        >>> promise = ApproximateDP([1.0, 2.0], delta=1e-6)
        >>> both = promise.group(np.array([0, 1]))
        >>> both.strength, round(float(both.delta(3.0)) * 1e6, 6)  # δ + e·δ: who demands less goes first
        (3.0, 3.718282)
    """

    kind = "approximate"

    def __init__(self, epsilon: ArrayLike, delta: ArrayLike) -> None:
        self._epsilon = column("epsilon", epsilon)
        self._delta = beside("delta", delta, self._epsilon.size, 1.0)
        super().__init__(epsilon=self._epsilon, delta=self._delta)
        self._strengths = np.where(self._delta < 1.0, self._epsilon, np.inf)
        self._strengths.setflags(write=False)

    @property
    def strengths(self) -> Floats:
        """ε_i; infinite where δ_i = 1, which promises nothing."""
        return self._strengths

    def group(self, users: Users) -> ApproximateLimit:
        """(Σε_i, the smallest δ over all orders in which they may be moved one after another)."""
        epsilon, delta = self._strengths[users], self._delta[users]
        members: tuple[tuple[float, float, int], ...] = ()
        if epsilon.size > 1 and np.isfinite(epsilon).all():
            kinds, counts = np.unique(np.stack([epsilon, delta]), axis=1, return_counts=True)
            members = tuple(zip(*kinds.tolist(), counts.tolist(), strict=True))
            epsilon, delta = (np.repeat(part, counts) for part in kinds)
        return ApproximateLimit(float(epsilon.sum()), _leaked(epsilon, delta), members)

    def exchanged(self, one: int, other: int) -> ApproximateLimit:
        """A user leaves and comes back with another promise: the order is given, and either dataset may be first."""
        epsilon, delta = self._strengths[[one, other]], self._delta[[one, other]]
        with np.errstate(over="ignore", invalid="ignore"):
            orders = delta + np.nan_to_num(np.exp(epsilon) * delta[::-1], nan=0.0)
        return ApproximateLimit(float(epsilon.sum()), min(float(orders.max()), 1.0))

    def beside(self, users: Users) -> str:
        """Their δ."""
        low, high = self._delta[users].min(), self._delta[users].max()
        return f" at δ = {high:g}" if low == high else f" at δ from {low:g} to {high:g}"
