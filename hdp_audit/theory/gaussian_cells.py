"""The eight cells for demands ρ (zCDP): what Gaussian noise guarantees, and what nobody can beat (ours).

Guarantees: with r_i = √(2ρ_i/c), c = 1 for a mean and 2 for frequencies, weights min(r, level)/Z need noise of standard
deviation 1/Z; the best level of the sharp and the centred family is searched as for Laplace noise.

Impossibilities: m users together lose at most R_m = (Σ√ρ_i)². In a packing of K + 1 datasets that differ in m users
some rival's ball has mass at most β/K under the first and 1 − β under its own, so kl(1−β‖β/K) ≤ R_m. For the mean
square, two datasets m/n apart: V ≥ (m/n)²/8·e^{−R_m} (Bretagnolle and Huber). Permuted data mix the m users, and the
divergence is convex: the mean of R over all sets of m users. Ledger: `gaussian-group` to `gaussian-mean-group`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from hdp_audit.errors import InvalidInput
from hdp_audit.model.bound import Bound
from hdp_audit.theory.cells import Cell, below
from hdp_audit.theory.family import Family, Statistics
from hdp_audit.theory.gaussian import correlated_pac, frequency_correlated_mse, frequency_weak_mse, weak_pac
from hdp_audit.theory.minimise import Candidate, Optimum, minimise
from hdp_audit.theory.names import Metric, Problem, Setting, Task, problems
from hdp_audit.theory.upper import largest_variance

Floats = NDArray[np.float64]


def gaussian_cells(rho: ArrayLike, categories: int = 10, beta: float = 0.05) -> list[Cell]:
    """The eight cells in the order of `cells`; the paper has no rate for ρ, so that is None."""
    values = np.asarray(rho, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not bool((values >= 0).all()):
        raise InvalidInput("demands rho must be a non-empty list of numbers from 0 to inf")
    return [_cell(values, problem) for problem in problems(categories, beta)]


def _cell(rho: Floats, problem: Problem) -> Cell:
    found = best_gaussian(rho, problem)
    lower = below(Bound.lower(impossible(rho, problem), "packing"), found.value)
    method = "constant" if found.mechanism == "constant-half" else "saturation-level"
    return Cell(problem, Bound.upper(found.value, method), lower, None, found.level, found.mechanism)


def best_gaussian(rho: Floats, problem: Problem) -> Optimum:
    """The best guarantee of the catalog's Gaussian forms, or of the constant answer ½; levels are √(2ρ)."""
    moved = 1.0 if problem.task is Task.MEAN else 2.0
    family = Family.of(np.sqrt(2.0 * rho / moved))
    best = Optimum("constant-half", math.inf, problem.trivial)
    if family.usable == 0:
        return best
    for candidate in _candidates(problem, family.n):
        found = minimise(family, candidate)
        if found.value < best.value:
            best = Optimum(found.mechanism, found.level * math.sqrt(moved), found.value)
    return best


def _candidates(problem: Problem, n: int) -> list[Candidate]:
    letters = "hpf" if problem.task is Task.FREQUENCY else "hpm"
    end = "p" if problem.metric is Metric.PAC else "e"
    k = problem.coordinates
    plain = [
        Candidate(f"{letters}-c{end}-centred", "centred", True, lambda s: _worst(problem, s, k)),
        Candidate(f"{letters}-c{end}-sharp", "sharp", False, lambda s: _worst(problem, s, min(k, 2))),
    ]
    if problem.setting is Setting.CORRELATED:
        return plain
    return [Candidate(f"{letters}-w{end}-sharp", "sharp", False, lambda s: _permuted(problem, s, n)), *plain]


def _worst(problem: Problem, s: Statistics, biased: int) -> Floats:
    """At the vertex with `biased` coordinates off by the whole bias."""
    plain = problem.coordinates - biased
    if problem.metric is Metric.PAC:
        return correlated_pac(s.bias, s.t, problem.beta, biased, plain)
    return s.bias**2 + s.t**2 if biased + plain == 1 else frequency_correlated_mse(s.bias, s.t, biased, plain)


def _permuted(problem: Problem, s: Statistics, n: int) -> Floats:
    k = problem.coordinates
    if problem.metric is Metric.PAC:
        return weak_pac(s.spread, s.t, n, k, problem.beta)
    return s.spread * largest_variance(n) + s.t**2 if k == 1 else frequency_weak_mse(s.bias, s.spread, s.t, n, k)


def impossible(rho: Floats, problem: Problem) -> float:
    """What no mechanism that keeps these ρ can stay below."""
    together = group_losses(np.sort(rho), permuted=problem.setting is Setting.WEAK)
    n = rho.size
    if problem.metric is Metric.MSE:
        sizes = np.arange(n + 1) / n
        return float((sizes**2 / 8 * np.exp(-together)).max())
    right, wrong = 1 - problem.beta, problem.beta / problem.rivals
    if right <= wrong:
        return 0.0
    due = special.rel_entr(right, wrong) + special.rel_entr(1 - right, 1 - wrong)
    enough = int(np.searchsorted(together, due))  # the smallest m with R_m ≥ due
    return min(0.5, (enough - 1) / (2 * n)) if enough else 0.0


def group_losses(ascending: Floats, *, permuted: bool) -> Floats:
    """R_0 = 0, R_1, …, R_n: of the m users who demand most privacy, or in the mean over all sets of m users."""
    roots = np.sqrt(ascending)
    if not permuted:
        return np.concatenate([[0.0], np.cumsum(roots) ** 2])
    n, m = roots.size, np.arange(roots.size + 1)
    if np.isinf(roots).any():
        return np.where(m > 0, np.inf, 0.0)
    own, cross = float(ascending.sum()), float(roots.sum()) ** 2 - float(ascending.sum())
    return own * m / n + cross * m * (m - 1) / (n * max(n - 1, 1))
