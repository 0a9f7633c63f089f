"""What moves of noise cost and what events show, in the strength of one kind of promise: ε, μ, or √(2ρ)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.tracing.laws import LAPLACE, NORMAL, Law

Floats = NDArray[np.float64]
Logs = tuple[float, float]  # of an event's probability on the first dataset, and on the second
ROUNDING = 64.0 * float(np.finfo(np.float64).eps)  # that no event is credited with
FAR = 37.0  # standard deviations, beyond which a quantile is not computed
SMALL = 1e-3  # below it a difference is taken from its series


class Measure(ABC):
    """One kind of promise. Costs bound a loss from above; `attained` says where a determined output loses as much."""

    ratio = False  # whether it bounds likelihood ratios alone

    @abstractmethod
    def costs(self, laws: Sequence[Law], moved: Floats) -> Floats:
        """What each row of moves costs at most, with one law for each column."""

    def cost(self, laws: Sequence[Law], moved: Floats) -> float:
        """Of one move of all noise."""
        return float(self.costs(laws, moved[None])[0])

    @abstractmethod
    def attained(self, laws: Sequence[Law]) -> bool:
        """Whether an output that determines noise of these laws, all of them moved, loses just what the move costs."""

    @abstractmethod
    def shown(self, logs: Logs) -> float:
        """The least strength that allows an event so much likelier on the first dataset; 0 where it is not."""

    @abstractmethod
    def rarest(self, probability: float, strength: float) -> float:
        """The least probability on the other dataset that such a strength leaves to an event."""

    def places(self, _law: Law, _moved: float | None) -> tuple[float, ...]:
        """Noise at which the events {U ≥ it} and {U < it} tell most of a move; of None, where levels differ in it."""
        return ()

    def shortest(self, laws: Sequence[Law]) -> bool:
        """Whether of all moves with the same effect the shortest costs least, and the noise left tells nothing."""
        return not self.ratio and all(law is NORMAL for law in laws)

    def of(self, _users: NDArray[np.int64]) -> Measure:
        """For these users, one for each row of moves."""
        return self


class Pure(Measure):
    """Likelihood ratios: costs of independent draws add up, and events attain them."""

    ratio = True

    def costs(self, laws: Sequence[Law], moved: Floats) -> Floats:
        """Law by law."""
        return _summed(laws, moved)

    def cost(self, laws: Sequence[Law], moved: Floats) -> float:
        """Draw by draw."""
        return float(sum(float(law.cost(np.asarray(each))) for law, each in zip(laws, moved, strict=True) if each))

    def attained(self, _laws: Sequence[Law]) -> bool:
        """Always."""
        return True

    def shown(self, logs: Logs) -> float:
        """The log-ratio."""
        return 0.0 if logs[0] == -np.inf else logs[0] - logs[1]

    def places(self, _law: Law, moved: float | None) -> tuple[float, ...]:
        """Any; far out, where a scale that depends on the data shows."""
        return (-3e4, -300.0, 300.0, 3e4) if moved is None else ()

    def rarest(self, probability: float, strength: float) -> float:
        """e^−ε of it."""
        return probability * float(np.exp(-strength))


class Gaussian(Measure):
    """μ: squares of independent draws add up."""

    def costs(self, laws: Sequence[Law], moved: Floats) -> Floats:
        """The root of their sum; of one draw, the μ of its whole trade-off."""
        return _in_squares(laws, moved, shift)

    def attained(self, laws: Sequence[Law]) -> bool:
        """Of normal noise, and of a single Laplace draw."""
        return all(law is NORMAL for law in laws) or list(laws) == [LAPLACE]

    def shown(self, logs: Logs) -> float:
        """Φ⁻¹ of one less Φ⁻¹ of the other."""
        from scipy.special import ndtri_exp

        if logs[0] <= logs[1]:
            return 0.0
        if logs[1] == -np.inf:
            return np.inf
        first, second = (float(np.clip(ndtri_exp(each), -FAR, FAR)) for each in logs)
        return max(first - second - ROUNDING * (2.0 + abs(first) + abs(second)), 0.0)

    def rarest(self, probability: float, strength: float) -> float:
        """By the trade-off of two normal laws."""
        from scipy.special import ndtr, ndtri

        return float(ndtr(ndtri(min(probability, 1.0 - 1e-12)) - strength))

    def places(self, _law: Law, moved: float | None) -> tuple[float, ...]:
        """In the middle between the two laws; as far out as quantiles are computed."""
        return (-FAR, FAR) if moved is None else (-moved / 2,)


class Concentrated(Measure):
    """√(2ρ): ρ of independent draws add up."""

    def costs(self, laws: Sequence[Law], moved: Floats) -> Floats:
        """The root of twice their sum."""
        return _in_squares(laws, moved, root)

    def attained(self, laws: Sequence[Law]) -> bool:
        """Of normal and Laplace noise, whose divergences over their order are largest at order 1, both."""
        return all(law is NORMAL or law is LAPLACE for law in laws)

    def shown(self, logs: Logs) -> float:
        """Divergences of order 1, and of the order at which what is left of the event out counts best."""
        if logs[0] <= logs[1]:
            return 0.0
        if logs[1] == -np.inf:
            return np.inf
        far = max((1.0 - ROUNDING) * np.sqrt(-logs[1]) - np.sqrt(-logs[0]), 0.0)
        rest, other = (float(np.log(-np.expm1(each))) if each < 0 else -np.inf for each in logs)
        near = np.exp(logs[0]) * (logs[0] - logs[1]) + (np.exp(rest) * (rest - other) if rest > -np.inf else 0.0)
        return float(np.sqrt(2.0 * max(far**2, near - ROUNDING)))

    def rarest(self, probability: float, strength: float) -> float:
        """P(S) − e^ε·Q(S) ≤ δ(ε), at the best ε of many."""
        from hdp_audit.model.zcdp import ConcentratedLimit

        epsilon = np.linspace(0.0, strength * (strength + 12.0), 400)
        return float(np.max((probability - ConcentratedLimit(strength).delta(epsilon)) * np.exp(-epsilon)))


@dataclass(frozen=True, eq=False)
class Approximate(Measure):
    """ε at each user's own δ: what other noise than normal costs without a δ, and what normal noise costs at δ."""

    leaked: Floats  # δ, one for each row of moves; or one for all

    def costs(self, laws: Sequence[Law], moved: Floats) -> Floats:
        """One after the other; of a single Laplace draw, exactly."""
        from hdp_audit.model.gaussian import lost_at

        normal = np.array([law is NORMAL for law in laws])
        others = [law for law in laws if law is not NORMAL]
        pure = _summed(others, moved[:, ~normal])
        mu = np.sqrt((moved[:, normal] ** 2).sum(axis=1))
        if all(law is LAPLACE for law in others):
            alone = (mu == 0) & ((moved[:, ~normal] != 0).sum(axis=1) == 1)
            pure = np.where(alone, np.maximum(pure + 2.0 * np.log1p(-self.leaked), 0.0), pure)
        return np.asarray(pure + lost_at(mu, self.leaked))

    def attained(self, laws: Sequence[Law]) -> bool:
        """Of normal noise, and of a single Laplace draw."""
        return all(law is NORMAL for law in laws) or list(laws) == [LAPLACE]

    def shown(self, logs: Logs) -> float:
        """log((P − δ)/Q)."""
        beyond = 1.0 - self._delta * float(np.exp(-logs[0])) if logs[0] > -np.inf else 0.0
        return float(max(logs[0] + np.log(beyond) - logs[1], 0.0)) if beyond > 0 else 0.0

    def rarest(self, probability: float, strength: float) -> float:
        """(P − δ)·e^−ε."""
        return (probability - self._delta) * float(np.exp(-strength))

    def places(self, law: Law, moved: float | None) -> tuple[float, ...]:
        """Where the likelihood ratio of a normal law is e^ε, either way; else where δ matters no more."""
        from hdp_audit.model.gaussian import lost_at

        if moved is None:
            return (-4.0, -2.0, 2.0, 4.0)
        size = abs(moved)
        if law is not NORMAL or size == 0:
            return (0.0, -moved)
        far = float(lost_at(np.array([size]), self.leaked)[0]) / size - size / 2
        sign = np.sign(moved)
        return (sign * far, -sign * (far + size))

    def of(self, users: NDArray[np.int64]) -> Approximate:
        """Their δ."""
        return Approximate(self.leaked[users] if self.leaked.size > 1 else self.leaked)

    @property
    def _delta(self) -> float:
        return float(self.leaked.flat[0])


def shift(law: Law, moved: Floats) -> Floats:
    """μ of one draw: exact for normal and Laplace noise, else that of the randomised response that loses as much."""
    from scipy.special import ndtri_exp

    if law is NORMAL:
        return np.abs(moved)
    if law is LAPLACE:
        return np.asarray(np.where(moved == 0, 0.0, -2.0 * ndtri_exp(-0.5 * np.abs(moved) - np.log(2.0))))
    pure = law.cost(moved)
    finite = np.where(np.isfinite(pure), pure, 0.0)
    return np.where(pure == 0, 0.0, np.where(np.isinf(pure), np.inf, -2.0 * ndtri_exp(-np.logaddexp(0.0, finite))))


def root(law: Law, moved: Floats) -> Floats:
    """√(2ρ) of one draw: exact for normal and Laplace noise, else by ρ ≤ ε·tanh(ε/2)."""
    if law is NORMAL:
        return np.abs(moved)
    if law is not LAPLACE:
        pure = law.cost(moved)
        return np.asarray(np.sqrt(2.0 * pure * np.tanh(pure / 2)))
    t = np.abs(moved)
    series = t**2 / 2 * (1.0 - t / 3 * (1.0 - t / 4 * (1.0 - t / 5)))
    return np.asarray(np.sqrt(2.0 * np.where(t < SMALL, series, t + np.expm1(-t))))


def _summed(laws: Sequence[Law], moved: Floats) -> Floats:
    total = np.zeros(moved.shape[0])
    for law, columns in _columns(laws):
        total += law.cost(moved[:, columns]).sum(axis=1)
    return total


def _in_squares(laws: Sequence[Law], moved: Floats, of: Callable[[Law, Floats], Floats]) -> Floats:
    total = np.zeros(moved.shape[0])
    for law, columns in _columns(laws):
        total += (of(law, moved[:, columns]) ** 2).sum(axis=1)
    return np.sqrt(total)


def _columns(laws: Sequence[Law]) -> Iterator[tuple[Law, list[int]]]:
    for law in dict.fromkeys(laws):
        yield law, [number for number, other in enumerate(laws) if other is law]
