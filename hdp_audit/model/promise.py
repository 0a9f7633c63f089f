"""What users may lose: every promise is a curve, P(S) ≤ e^ε·Q(S) + δ(ε) for every event S, in both directions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.errors import InvalidDemands
from hdp_audit.model.frozen import frozen

Floats = NDArray[np.float64]
Users = NDArray[np.int64]


class Limit(ABC):
    """What some users may lose together: one curve. `strength` orders limits of one kind, and is what is printed."""

    @property
    @abstractmethod
    def strength(self) -> float:
        """The parameter of the curve: ε of pure differential privacy."""

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """The smallest δ at this ε."""

    def largest_right_share(self) -> float:
        """How often a guess which of two datasets was used can be right, if one has to guess: (1 + δ(0))/2."""
        return 0.5 * (1.0 + self.delta(0.0))


class Promise(ABC):
    """What everybody was promised: one entry per user in each of its columns. Nobody can write into them.

    Games bet against `strength` as a pure ε so far: a promise whose curve is another one cannot be audited yet.
    `group` says what several users together were promised; that rule is what makes group privacy of single promises.
    `PureDP` is one; a new kind of promise is a subclass.

    Example:
        >>> from hdp_audit import Promise, PureDP
        >>> promise = PureDP([0.1, 0.5])
        >>> isinstance(promise, Promise), len(promise), list(promise.columns)
        (True, 2, ['epsilon'])
    """

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, Floats]:
        """Parameters by the names under which a mechanism is given them."""

    @property
    @abstractmethod
    def strengths(self) -> Floats:
        """One number a user: 0 promises everything, inf nothing; equal numbers are equal promises."""

    @abstractmethod
    def group(self, users: Users) -> Limit:
        """What these users may lose together."""

    @abstractmethod
    def keeping(self, users: Users) -> Promise:
        """The promises to these users alone, in this order."""

    def __len__(self) -> int:
        return int(self.strengths.size)


class PureLimit(Limit):
    """ε-differential privacy of a group: likelihood ratios are at most e^ε."""

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon

    @property
    def strength(self) -> float:
        """ε."""
        return self._epsilon

    def delta(self, epsilon: float) -> float:
        """0 from ε₀ on; below it (e^ε₀ − e^ε)/(1 + e^ε₀), which randomised response attains."""
        if epsilon >= self._epsilon:
            return 0.0
        return float(-np.expm1(epsilon - self._epsilon) / (1.0 + np.exp(-self._epsilon)))


class PureDP(Promise):
    """User i loses at most ε_i: pure differential privacy with a demand of each user's own.

    Args:
        epsilon: One number from 0 to inf for each user: 0 means "never use my datum", inf "my datum is public".

    Example:
        >>> import numpy as np
        >>> from hdp_audit import PureDP
        >>> promise = PureDP([0.1, 0.5, 2.0])
        >>> round(promise.group(np.array([0, 1])).strength, 6)  # what two users may lose together
        0.6
    """

    def __init__(self, epsilon: ArrayLike) -> None:
        values: Floats = np.array(epsilon, dtype=np.float64) + 0.0  # a demand of -0 is 0
        if values.ndim != 1 or not (values >= 0).all():
            raise InvalidDemands(f"epsilon = {epsilon!r:.80}; give one number from 0 to inf for each user")
        self._epsilon: Floats = frozen(values, np.float64)

    def __reduce__(self) -> tuple[type[PureDP], tuple[Floats]]:
        """Made anew where it arrives: a pickled array forgets that it is read-only."""
        return type(self), (self._epsilon,)

    @property
    def columns(self) -> Mapping[str, Floats]:
        """`epsilon`."""
        return {"epsilon": self._epsilon}

    @property
    def strengths(self) -> Floats:
        """ε_i."""
        return self._epsilon

    def group(self, users: Users) -> PureLimit:
        """Σε_i: replacing one after another."""
        return PureLimit(float(self._epsilon[users].sum()))

    def keeping(self, users: Users) -> PureDP:
        """Their ε_i."""
        return PureDP(self._epsilon[users])
