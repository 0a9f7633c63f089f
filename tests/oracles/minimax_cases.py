"""Which small problems are solved, and what our bounds are compared with: shared by the tests and the benchmark."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hdp_audit.model.vocabulary import Metric, Setting, Task
from hdp_audit.theory.family import Family
from hdp_audit.theory.lower import LowerBounds
from hdp_audit.theory.minimise import best_upper
from hdp_audit.theory.names import Problem
from tests.oracles.minimax import Bracket, Game

VALUES = (0.0, 0.1, 0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, np.inf)
BETAS = (0.02, 0.07, 0.15, 0.3)
STEPS = {2: 12, 3: 8, 4: 4}  # of the grid of outputs, by categories: the programme grows with its power
Demands = tuple[float, ...]


@dataclass(frozen=True)
class Comparison:
    """One cell of one demand vector: our two bounds and the bracket of the truth."""

    demands: Demands
    problem: Problem
    lower: float
    upper: float
    truth: Bracket

    @property
    def holds(self) -> bool:
        """lower ≤ truth ≤ upper, but for rounding."""
        return self.lower <= self.truth.high * (1 + 1e-6) + 1e-9 and self.truth.low <= self.upper * (1 + 1e-6) + 1e-9


def some_demands(users: int, count: int, seed: int) -> list[Demands]:
    """Different vectors from `VALUES`, ascending, zeros and infinities among them; none of zeros alone."""
    rng = np.random.default_rng([seed, users])
    found: dict[Demands, None] = {}
    while len(found) < count:
        drawn = tuple(sorted(float(value) for value in rng.choice(VALUES, users)))
        if any(drawn):
            found[drawn] = None
    return list(found)


def compare(demands: Demands, categories: int, task: Task, steps: int, betas: tuple[float, ...]) -> list[Comparison]:
    """Both settings, PAC at every β, and the mean square on a grid of so many steps (0: leave it out)."""
    found = []
    for setting in Setting:
        game = Game(demands, categories, task, setting)
        failures = [game.failure(width) for width in range(game.users + 1)]
        asked = [(Metric.PAC, beta, game.rate(failures, beta)) for beta in betas]
        if steps:
            asked.append((Metric.MSE, betas[0], game.square(steps)))
        for metric, beta, truth in asked:
            problem = Problem(task, setting, metric, categories, beta)
            lower = LowerBounds.of(np.array(demands), categories, beta).best(problem).value
            found.append(Comparison(demands, problem, lower, best_upper(Family.of(demands), problem).value, truth))
    return found
