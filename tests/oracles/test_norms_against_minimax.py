"""Bounds in ℓ1 and ℓ2 against the true minimax error of two or three users, by linear programming."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit.theory.family import Family
from hdp_audit.theory.lower import LowerBounds
from hdp_audit.theory.minimise import best_upper
from hdp_audit.theory.names import Metric, Norm, Problem, Setting, Task
from tests.oracles.minimax import SOLVER, Bracket, Game

BETA = 0.2
# Demands, categories, outputs' grid: truths are multiples of 1/n and lie on it.
CASES = [
    ((1.0, 1.0), 4, 4),
    ((0.3, 2.0), 4, 4),
    ((0.0, 1.0), 3, 6),
    ((0.5, np.inf), 3, 6),
    ((2.0, 3.0), 3, 6),
    ((0.2, 0.7, 1.5), 3, 6),
]


@dataclass(frozen=True)
class NormGame(Game):
    """The same programme with lengths of errors."""

    norm: Norm = Norm.L2
    steps: int = 4

    @property
    def outputs(self) -> list[tuple[int, ...]]:
        return list(product(range(self.steps + 1), repeat=self.coordinates))

    @property
    def off(self) -> float:
        """How far the nearest grid point may be."""
        return (self.coordinates if self.norm is Norm.L1 else self.coordinates**0.5) / (2 * self.steps)

    def away(self) -> NDArray[np.float64]:
        differences = self.counts[:, None] / self.users - np.array(self.outputs) / self.steps
        return np.asarray(np.linalg.norm(differences, ord=1 if self.norm is Norm.L1 else 2, axis=2))

    def mean_square(self) -> Bracket:
        high = self._solve(self.outputs, self.away() ** 2, self.steps)
        return Bracket(max(np.sqrt(high) - self.off, 0.0) ** 2 - SOLVER, high + SOLVER)

    def failure_beyond(self, error: float) -> float:
        """The least worst probability of an error above this, of mechanisms with outputs on the grid."""
        return self._solve(self.outputs, (self.away() > error + 1e-12).astype(float), self.steps)


@pytest.mark.parametrize("norm", [Norm.L2, Norm.L1])
@pytest.mark.parametrize("setting", list(Setting))
@pytest.mark.parametrize(("epsilon", "k", "steps"), CASES)
def test_no_mechanism_beats_the_lower_bounds_and_the_best_keeps_the_guarantee(
    epsilon: tuple[float, ...], k: int, steps: int, setting: Setting, norm: Norm
) -> None:
    game = NormGame(epsilon, k, Task.FREQUENCY, setting, norm, steps)
    family, lowers = Family.of(epsilon), LowerBounds.of(np.array(epsilon), k, BETA)
    square = Problem(Task.FREQUENCY, setting, Metric.MSE, k, BETA, norm)
    truth = game.mean_square()
    assert lowers.best(square).value <= truth.high
    assert truth.low <= best_upper(family, square).value
    pac = Problem(Task.FREQUENCY, setting, Metric.PAC, k, BETA, norm)
    least, most = lowers.best(pac).value, best_upper(family, pac).value
    if least > 1e-9:  # an error that is smaller with probability 1 − β is what the bound forbids
        assert game.failure_beyond(least * (1 - 1e-6)) >= BETA - SOLVER
    assert game.failure_beyond(most + game.off) <= BETA + SOLVER
