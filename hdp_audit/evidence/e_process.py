"""An e-process: a wealth that starts at 1, is never negative, and does not grow in expectation while a claim is true.

By Ville's inequality it ever reaches 1/s with probability at most s. So at any time, however it was chosen: wealth past
1/s refutes the claim at significance s; 1 over the largest wealth so far is a p-value; and where claims differ in one
number, those that are refuted end at one point, a confidence bound. Wealths whose stakes sum to 1 sum to another one.

What is bet on is for others to say: guesses of a coin (wealth.py), events (proportion.py), numbers from 0 to a largest
one (bounded_mean.py). Each lays out several bets before the first draw and tells what every one of them gained.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class EProcess(ABC):
    """Evidence against one claim; it may be looked at after every draw."""

    significance: float

    @property
    @abstractmethod
    def log(self) -> float:
        """Logarithm of the wealth against the claim."""

    @property
    def goal(self) -> float:
        """Logarithm of the wealth that refutes the claim."""
        return goal(self.significance)

    @property
    def refutes(self) -> bool:
        """True when the claim is refuted; it may be asked at any time."""
        return self.log >= self.goal


def goal(significance: float) -> float:
    """log(1/significance): the logarithm of the wealth that refutes a claim."""
    return -float(np.log(significance))


def p_value(largest: float) -> float:
    """1 over the largest wealth so far, given by its logarithm: holds at any time."""
    return float(np.exp(-max(largest, 0.0)))


def mixed(gains: Floats, shares: Floats | float = 0.0) -> Floats:
    """log of the sum of the wealths of the last axis, each with its share of the stake; all as logarithms."""
    logs = gains + shares
    top = logs.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).sum(axis=-1)))


def together(logs: Sequence[ArrayLike]) -> Floats:
    """log of the sum of a few wealths that are played side by side."""
    return np.asarray(np.logaddexp.reduce(np.broadcast_arrays(*logs)))


def edge(refuted: Callable[[float], bool], inside: float, outside: float, halvings: int) -> tuple[float, float]:
    """(the last value that is refuted, the first that is not), from one that is to one that is not."""
    for _ in range(halvings):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if refuted(middle) else (inside, middle)
    return inside, outside
