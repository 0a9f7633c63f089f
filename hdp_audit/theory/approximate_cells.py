"""The eight cells for demands (ε, δ): what Gaussian noise guarantees, and what nobody can beat (ours).

Guarantees are those of `gaussian_cells` at the largest ρ_i that implies (ε_i, δ_i), as the reference mechanisms take
it. Impossibilities are of (ε, δ) itself, which allows more than that ρ: m users together keep (E, D) with E = Σε_i and
D = Σ_j e^{Σ_{i<j} ε_i}·δ_j, whatever the order. In a packing of K + 1 datasets that differ in m users some rival's ball
has mass at most β/K under the first and 1 − β under its own, so 1 − β ≤ e^E·β/K + D. For the mean square, two datasets
m/n apart: V ≥ (m/n)²/4·(1 − TV), and TV ≤ (e^E − 1 + 2D)/(e^E + 1). Permuted data mix all sets of m users: of those
within the most careful q users each keeps what the m largest columns among these allow, the others are given away.
Ledger: `approximate-packing` to `approximate-by-lot`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.model.bound import Bound
from hdp_audit.theory.cells import Cell, below
from hdp_audit.theory.gaussian_cells import gaussian_cells
from hdp_audit.theory.names import Metric, Problem, Setting

Floats = NDArray[np.float64]

QUANTILES = 32  # of demands, at which permuted users are split into careful ones and others


def approximate_cells(
    epsilon: ArrayLike, delta: ArrayLike, rho: ArrayLike, categories: int = 10, beta: float = 0.05
) -> list[Cell]:
    """The eight cells in the order of `cells`; `rho` is what Gaussian noise keeps instead of (ε, δ)."""
    losses, leaked = np.asarray(epsilon, dtype=np.float64), np.asarray(delta, dtype=np.float64)
    if losses.ndim != 1 or losses.shape != leaked.shape or not bool(((leaked >= 0) & (leaked <= 1)).all()):
        raise InvalidInput("give one delta from 0 to 1 for each epsilon")
    return [_cell(cell, losses, leaked) for cell in gaussian_cells(rho, categories, beta)]


def _cell(cell: Cell, epsilon: Floats, delta: Floats) -> Cell:
    least = max(impossible_approximate(epsilon, delta, cell.problem), 0.0)
    lower = below(Bound.lower(least, "packing"), cell.upper.value)
    return Cell(cell.problem, cell.upper, lower, None, cell.level, cell.mechanism)


def impossible_approximate(epsilon: Floats, delta: Floats, problem: Problem) -> float:
    """What no mechanism that keeps these (ε, δ) can stay below."""
    order = np.lexsort((delta, epsilon))
    first, second = epsilon[order], delta[order]
    if problem.setting is not Setting.WEAK:
        return _least(problem, *group_limits(first, second), np.zeros(first.size + 1))
    ends = np.flatnonzero(np.append(first[1:] > first[:-1], True)) + 1
    chosen = ends[np.unique(np.linspace(0, ends.size - 1, QUANTILES).astype(int))]
    return max(_least(problem, *mixed_limits(first, second, int(few))) for few in chosen)


def _least(problem: Problem, together: Floats, leaked: Floats, otherwise: Floats) -> float:
    """From (E, D) of 0, 1, ..., n users, and how often their limits need not hold."""
    with np.errstate(over="ignore"):
        odds = np.exp(together)
    n = together.size - 1
    sizes = np.arange(n + 1) / n
    if problem.metric is Metric.MSE:
        apart = 2.0 * (1.0 - leaked) / (1.0 + odds) - otherwise  # 1 − TV, at least
        return float((sizes**2 / 4 * apart).max())
    possible = odds * (problem.beta / problem.rivals) + leaked + otherwise >= 1 - problem.beta
    enough = int(possible.argmax()) if possible.any() else n + 1
    return min(0.5, (enough - 1) / (2 * n)) if enough else 0.0


def group_limits(epsilon: Floats, delta: Floats) -> tuple[Floats, Floats]:
    """(E, D) of no user, of the first, of the first two, ..., of all."""
    sums = np.concatenate([[0.0], np.cumsum(epsilon)])
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.nan_to_num(np.exp(sums[:-1]) * delta, nan=0.0, posinf=np.inf)
    return sums, np.minimum(np.concatenate([[0.0], np.cumsum(steps)]), 1.0)


def mixed_limits(ascending: Floats, delta: Floats, few: int) -> tuple[Floats, Floats, Floats]:
    """(E, D) that any 0, 1, ..., n of the `few` most careful users keep, and how often a random set has others too.

    Each column is sorted by itself, most first: that allows more than any set of users keeps.
    """
    n = ascending.size
    largest = np.sort(ascending[:few])[::-1], np.sort(delta[:few])[::-1]
    within = group_limits(*(np.append(column, np.zeros(n - few)) for column in largest))
    inside = np.cumprod(np.maximum(few - np.arange(n), 0) / (n - np.arange(n)))
    return *within, np.concatenate([[0.0], 1.0 - inside])
