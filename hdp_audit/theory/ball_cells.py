"""Four cells for the mean of vectors in the unit ball of ℓ2: what Gaussian noise guarantees, what nobody can beat.

Errors are lengths. The constant answer at the centre errs by 1 at most. Data on a diameter are a mean of numbers from
−1 to 1, and the answer's place along it estimates that: so nobody can do better than twice the error of a mean of
numbers from 0 to 1, or four times its mean square, at the same demands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.bound import Bound
from hdp_audit.theory.ball import BallEstimator, ball_guarantee
from hdp_audit.theory.cells import Cell, below
from hdp_audit.theory.names import Metric, Problem, Setting, Task


@dataclass(frozen=True)
class BallMechanism:
    """What a guarantee needs to know of a mechanism for vectors."""

    name: str
    level: float
    weights: NDArray[np.float64]
    scale: float


@dataclass(frozen=True)
class BallCell(Cell):
    """One of the four; its problem is that of the mean along a diameter."""

    dimensions: int = 1

    @property
    def task(self) -> str:
        """`vector-mean`."""
        return "vector-mean"

    @property
    def what(self) -> str:
        """Of what."""
        return f"a mean of vectors in {self.dimensions} dimensions"


def ball_cells(
    mechanisms: Iterable[BallMechanism], impossible: Callable[[Problem], float], dimensions: int, beta: float = 0.05
) -> list[Cell]:
    """Correlated first, error quantile first; `impossible` is that of a mean of numbers from 0 to 1."""
    known = list(mechanisms)
    problems = [Problem(Task.MEAN, setting, metric, beta=beta) for setting in Setting for metric in Metric]
    return [_cell(known, impossible(problem), dimensions, problem) for problem in problems]


def _cell(known: list[BallMechanism], least: float, dimensions: int, problem: Problem) -> BallCell:
    best, level, name, method = 1.0, 0.0, "constant-centre", "constant"
    for each in known:
        estimator = BallEstimator(each.weights, each.scale, dimensions)
        found = ball_guarantee(estimator, problem.setting, problem.metric, problem.beta)
        if found < best:
            best, level, name, method = found, each.level, each.name, "saturation-level"
    wider = 2.0 if problem.metric is Metric.PAC else 4.0
    lower = below(Bound.lower(wider * least, "packing"), best)
    return BallCell(problem, Bound.upper(best, method), lower, None, level, name, dimensions)
