"""How much δ a promise would need at an ε: the largest (ε, δ) that the guesses of some games refute.

The same counts, bet against (ε, δ) instead of the promise. Where several ε are asked about, each bound takes its part
of the significance, so that all of them hold together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.e_process import goal
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.model.approximate import ApproximateLimit

HALVINGS = 15
SMALLEST = 1e-12


def least_deltas(games: Sequence[Wealth], epsilons: Sequence[float]) -> NDArray[np.float64]:
    """At each ε the δ below which all are refuted; 0 where none is. All hold together."""
    needed = goal(games[0].significance / len(epsilons))
    return np.array([_least(games, float(epsilon), needed) for epsilon in epsilons])


def _least(games: Sequence[Wealth], epsilon: float, needed: float) -> float:
    """All games are one wealth, bet on from one to the next."""

    def refuted(delta: float) -> bool:
        limit = ApproximateLimit(epsilon, delta)
        return sum(wealth.log_of(limit) for wealth in games) >= needed

    if not refuted(SMALLEST):
        return 0.0
    low, high = np.log(SMALLEST), 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if refuted(float(np.exp(middle))) else (low, middle)
    return float(np.exp(low))
