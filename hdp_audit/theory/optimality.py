"""The paper's optimality theorems, asked of one demand vector: does the theorem speak about it, and what is
the actual ratio?
"""

import enum
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp_audit.theory.cells import Cell, cells
from hdp_audit.theory.family import Family
from hdp_audit.theory.lower import rounded_up
from hdp_audit.theory.minimise import Candidate, minimise
from hdp_audit.theory.names import Metric, Problem, Setting
from hdp_audit.theory.population import impossible, population_upper
from hdp_audit.theory.statistical import statistical_rate


class Regime(enum.Enum):
    """Whether a theorem's conditions hold; undecided when our bounds on the rate straddle its limits."""

    APPLIES = "applies"
    OUTSIDE = "outside"
    UNDECIDED = "undecided"
    NONE = "no theorem"


@dataclass(frozen=True)
class Optimality:
    """A theorem's verdict on one cell."""

    cell: Cell
    theorem: str
    regime: Regime
    reason: str

    @property
    def ratio(self) -> float:
        """The actual upper/lower, whatever the theorem says."""
        return self.cell.ratio


def optimality(demands: ArrayLike, categories: int = 10, beta: float = 0.05) -> list[Optimality]:
    """One verdict for each of the eight cells."""
    values = np.asarray(demands, dtype=np.float64)
    return [judge(cell, values) for cell in cells(values, categories, beta)]


def judge(cell: Cell, values: np.ndarray) -> Optimality:
    """Which theorem covers the cell, and whether these demands lie in its regime."""
    match cell.problem.setting, cell.problem.metric:
        case Setting.CORRELATED, Metric.PAC:
            return _correlated_pac(cell, values.size)
        case Setting.CORRELATED, _:
            return Optimality(cell, "", Regime.NONE, "the paper has no lower bound here; ours is explicit")
        case _, Metric.PAC:
            return _weak_pac(cell, values)
        case _:
            return _weak_mse(cell, values)


def _correlated_pac(cell: Cell, n: int) -> Optimality:
    """thm:corr-minimax: order-optimal when 1/(2n) ≤ R ≤ ¼."""
    low, high = cell.lower.value, cell.upper.value
    floor = 1 / (2 * n)
    if low >= floor and high <= 0.25:
        regime, reason = Regime.APPLIES, f"1/(2n) = {floor:.3g} <= {low:.3g} <= R <= {high:.3g} <= 1/4"
    elif high < floor or low > 0.25:
        regime, reason = Regime.OUTSIDE, f"R in [{low:.3g}, {high:.3g}] misses [1/(2n), 1/4]"
    else:
        regime, reason = (
            Regime.UNDECIDED,
            f"R in [{low:.3g}, {high:.3g}] may or may not lie in [{floor:.3g}, 1/4]",
        )
    return Optimality(cell, "thm:corr-minimax", regime, reason)


def _weak_pac(cell: Cell, values: np.ndarray) -> Optimality:
    found, reason = weak_regime(cell.problem, values, cell.lower.value, cell.upper.value)
    return Optimality(cell, "thm:uncorr-minimax-pac", found, reason)


def _weak_mse(cell: Cell, values: np.ndarray) -> Optimality:
    return Optimality(cell, "thm:uncorr-minimax-mse", *weak_regime(cell.problem, values, cell.lower.value))


def weak_regime(problem: Problem, values: np.ndarray, low: float, high: float = math.inf) -> tuple[Regime, str]:
    """Whether the theorem of the weakly correlated setting speaks of these demands, R lying in [low, high]; and why."""
    return _pac_regime(problem, values, low, high) if problem.metric is Metric.PAC else _mse_regime(values)


def _pac_regime(problem: Problem, values: np.ndarray, low: float, high: float) -> tuple[Regime, str]:
    """thm:uncorr-minimax-pac: ‖ε‖∞ ≤ 1 and R ≥ 1/(2n); tight order if also Var(e^{−ε}) ≤ log²(k/β)/n²
    (constant taken as one).
    """
    n = values.size
    if values.max() > 1:
        return Regime.OUTSIDE, f"the largest demand {values.max():.3g} exceeds 1"
    if high < 1 / (2 * n):
        return Regime.OUTSIDE, "R is below 1/(2n)"
    if low < 1 / (2 * n):
        return Regime.UNDECIDED, "R may be below 1/(2n)"
    limit = (math.log(problem.coordinates / problem.beta) / n) ** 2
    variance = float(np.var(np.exp(-values)))
    if variance <= limit:
        return Regime.APPLIES, f"Var(exp(-eps)) = {variance:.3g} <= {limit:.3g}: same order"
    return Regime.UNDECIDED, f"Var(exp(-eps)) = {variance:.3g} > {limit:.3g}: orders may differ"


def _mse_regime(values: np.ndarray) -> tuple[Regime, str]:
    """thm:uncorr-minimax-mse: optimal (up to log²k for frequencies) when E_stat ≥ 1/(2n)."""
    floor, family, ascending = 1 / (2 * values.size), Family.of(values), rounded_up(values)
    low, high = statistical_rate(ascending), statistical_upper(family)
    if low < floor <= high:  # sharper bounds, which take longer
        low, high = max(impossible(ascending).values()), min(high, population_upper(family))
    if low >= floor:
        return Regime.APPLIES, f"E_stat >= {low:.3g} >= 1/(2n) = {floor:.3g}"
    if high < floor:
        return Regime.OUTSIDE, f"E_stat <= {high:.3g} < 1/(2n) = {floor:.3g}"
    return Regime.UNDECIDED, f"E_stat in [{low:.3g}, {high:.3g}] straddles {floor:.3g}"


def statistical_upper(family: Family) -> float:
    """E_stat ≤ min over weights of ‖w‖₂²/4 + 2t² (HPM on independent data), and ≤ ¼ by answering ½."""
    if family.usable == 0:
        return 0.25
    criterion = Candidate("e-stat", "paper", False, lambda s: (s.spread + 1 / family.n) / 4 + 2 * s.t**2)
    return min(0.25, minimise(family, criterion).value)
