"""What users may lose: every promise is a curve, P(S) ≤ e^ε·Q(S) + δ(ε) for every event S, in both directions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.model.columns import column

Floats = NDArray[np.float64]
Users = NDArray[np.int64]


class Limit(ABC):
    """What some users may lose together: one curve, made of a number that adds up over users, its strength."""

    straight = False  # whether one ε says it all, so that every rule is held against the same line

    @property
    @abstractmethod
    def strength(self) -> float:
        """Orders limits of one kind; two users may lose the sum of both: ε of pure differential privacy, μ."""

    @property
    def shown(self) -> float:
        """The parameter that is printed."""
        return self.strength

    @abstractmethod
    def at(self, strength: float) -> Limit:
        """The limit of the same kind with another strength."""

    @abstractmethod
    def delta(self, epsilon: ArrayLike) -> Floats:
        """The smallest δ at each ε ≥ 0."""

    @abstractmethod
    def tangent(self, wrong: ArrayLike) -> Floats:
        """The ε ≥ 0 at which the best event has these probabilities under the other dataset: −dδ/d(e^ε)."""

    @abstractmethod
    def shown_by(self, right: ArrayLike, wrong: ArrayLike) -> Floats:
        """About the smallest strength that allows an event of such probabilities under the two datasets."""

    @property
    def ratio(self) -> bool:
        """Whether it is a bound on likelihood ratios alone: one line, and no δ."""
        return self.straight and float(self.delta(self.strength)) == 0.0

    @abstractmethod
    def gaussian(self) -> float:
        """The largest shift, in standard deviations, of a normal output that keeps the limit."""

    @abstractmethod
    def lost_by(self, mu: float) -> float:
        """The strength that such a shift loses."""

    @property
    def guess_share(self) -> float:
        """The share of all calls on which the best rule guesses; 1 where abstaining has its price, too."""
        return 1.0

    def largest_right_share(self) -> float:
        """How often a guess which of two datasets was used can be right, if one has to guess: (1 + δ(0))/2."""
        return 0.5 * (1.0 + float(self.delta(0.0)))


class Promise(ABC):
    """What everybody was promised: one entry per user in each of its columns. Nobody can write into them.

    `group` says what several users together were promised; that rule is what makes group privacy of single promises.
    `PureDP`, `ApproximateDP`, `ZCDP` and `GaussianDP` are promises; a new kind is a subclass.

    Example:
        >>> from hdp_audit import Promise, PureDP
        >>> promise = PureDP([0.1, 0.5])
        >>> isinstance(promise, Promise), len(promise), list(promise.columns)
        (True, 2, ['epsilon'])
    """

    kind = "own"  # its name in specs and reports
    symbol = "ε"  # of the parameter that is printed

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, Floats]:
        """Parameters by the names under which a mechanism is given them; the first is given where none is named."""

    @property
    @abstractmethod
    def strengths(self) -> Floats:
        """One number a user: 0 promises everything, inf nothing; equal numbers are equal promises."""

    @abstractmethod
    def group(self, users: Users) -> Limit:
        """What these users may lose together."""

    def exchanged(self, one: int, other: int) -> Limit:
        """What a user may lose who is promised what the other one is: they leave, and come back with that."""
        return self.group(np.array([one, other]))

    @abstractmethod
    def keeping(self, users: Users) -> Promise:
        """The promises to these users alone, in this order."""

    @property
    def pure(self) -> bool:
        """Whether it bounds likelihood ratios, by numbers ε: then losses are told in ε, too."""
        return isinstance(self.group(np.arange(1)), PureLimit)

    def parameters(self, strengths: Floats) -> Floats:
        """What is printed for strengths."""
        return strengths

    def parameter(self, strength: float) -> float:
        """What is printed for a strength."""
        return float(self.parameters(np.asarray(strength)))

    def beside(self, _users: Users) -> str:
        """What else was promised to these users, in words after their parameter."""
        return ""

    def __len__(self) -> int:
        return int(self.strengths.size)


class OfColumns(Promise):
    """A promise that its columns make: the constructor takes them by position, in this order."""

    def __init__(self, **columns: Floats) -> None:
        self._columns = columns

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._columns)}; n = {len(self)})"

    def __reduce__(self) -> tuple[type[Self], tuple[Floats, ...]]:
        """Made anew where it arrives: a pickled array forgets that it is read-only."""
        return type(self), tuple(self._columns.values())

    @property
    def columns(self) -> Mapping[str, Floats]:
        """What it was made of."""
        return dict(self._columns)

    @property
    def strengths(self) -> Floats:
        """The first column."""
        return next(iter(self._columns.values()))

    def keeping(self, users: Users) -> Self:
        """Their entries of each column."""
        return type(self)(*(column[users] for column in self._columns.values()))


@dataclass(frozen=True)
class PureLimit(Limit):
    """ε-differential privacy of a group: likelihood ratios are at most e^ε."""

    epsilon: float
    straight = True

    @property
    def strength(self) -> float:
        """ε."""
        return self.epsilon

    def at(self, strength: float) -> PureLimit:
        """Another ε."""
        return PureLimit(strength)

    def delta(self, epsilon: ArrayLike) -> Floats:
        """0 from ε₀ on; below it (e^ε₀ − e^ε)/(1 + e^ε₀), which randomised response attains."""
        below = np.minimum(np.asarray(epsilon, dtype=np.float64) - self.epsilon, 0.0)
        return np.asarray(-np.expm1(below) / (1.0 + np.exp(-self.epsilon)))

    def tangent(self, wrong: ArrayLike) -> Floats:
        """ε₀ for every event that is rare enough."""
        return np.full(np.shape(wrong), self.epsilon)

    def shown_by(self, right: ArrayLike, wrong: ArrayLike) -> Floats:
        """Their log-ratio."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(right) - np.log(wrong))

    def gaussian(self) -> float:
        """None but 0: a normal output's likelihood ratio has no bound."""
        return 0.0

    def lost_by(self, mu: float) -> float:
        """No bound."""
        return np.inf if mu > 0 else 0.0

    @property
    def guess_share(self) -> float:
        """(1 + e^−ε)/2: how often Laplace noise of that loss gives an output with the full likelihood ratio."""
        return float(0.5 * (1.0 + np.exp(-self.epsilon)))


class PureDP(OfColumns):
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

    kind = "pure"

    def __init__(self, epsilon: ArrayLike) -> None:
        super().__init__(epsilon=column("epsilon", epsilon))

    def group(self, users: Users) -> PureLimit:
        """Σε_i: replacing one after another."""
        return PureLimit(float(self.strengths[users].sum()))
