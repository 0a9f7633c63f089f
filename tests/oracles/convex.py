"""Every convex criterion as a cone program over all weights (not over levels), solved by Clarabel through cvxpy.

Scaled by v = n·w and τ = n·t, so that the variables are of order one. Where the criterion is a square, its root is
minimised: a norm of affine functions, on which an interior-point method keeps its relative accuracy.
"""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from mechanisms import Entry, entry
from tests.oracles.criteria import WEAK, harmonic, largest_variance, log_factor, permutation_factor
from tests.oracles.features import mp
from tests.oracles.worst_case import max_exponential_quantile, mean_square, quantile

CLOSED = 3e-7
ATTEMPTS = (1e-11, 1e-9, 1e-8)  # Clarabel reports failure where doubles allow no further progress: ask for less


@dataclass(frozen=True)
class Weighing:
    """Variables and the constraints v ≤ τε with Σw = 1, or w ≤ 1/n (`capped`), or Σw free (`scaled`)."""

    n: int
    v: Any
    tau: Any
    mean: Any  # Σv/n as a variable of its own: written out inside a norm it would make a dense n × n matrix
    constraints: list[Any]

    @property
    def t(self) -> Any:
        return self.tau / self.n

    @property
    def half_l1(self) -> Any:
        return cp.norm1(self.v - 1) / (2 * self.n)

    @property
    def spread(self) -> Any:
        return cp.norm2(self.v - self.mean) / self.n

    @property
    def norm(self) -> Any:
        return cp.norm2(self.v) / self.n

    @property
    def lost(self) -> Any:
        return 1 - self.mean


def weighing(epsilon: ArrayLike, family: str) -> Weighing:
    """Variables for demands of which some may be 0 or infinite."""
    eps = np.asarray(epsilon, dtype=np.float64)
    v, tau, mean = cp.Variable(eps.size, nonneg=True), cp.Variable(nonneg=True), cp.Variable()
    inner = np.flatnonzero(np.isfinite(eps) & (eps > 0))
    constraints: list[Any] = [v[inner] <= tau * eps[inner], cp.sum(v) == eps.size * mean]
    if (eps == 0).any():
        constraints.append(v[np.flatnonzero(eps == 0)] == 0)
    if family == "simplex":
        constraints.append(mean == 1)
    elif family == "capped":
        constraints.append(v <= 1)
    return Weighing(int(eps.size), v, tau, mean, constraints)


def solve(objective: Any, constraints: list[Any], scale: float = 1.0) -> float:
    """The least value of a cone program; Clarabel's tolerances are absolute below 1, so `scale` lifts it above."""
    return clarabel(cp.Problem(cp.Minimize(scale * objective), constraints)) / scale


def clarabel(problem: Any) -> float:
    """Solve as tightly as Clarabel can; an answer short of the tolerance by up to 1e-6 is taken without its warning."""
    loose = dict.fromkeys(("reduced_tol_gap_abs", "reduced_tol_gap_rel", "reduced_tol_feas"), 1e-6)
    for tolerance in ATTEMPTS:
        tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), tolerance)
        with warnings.catch_warnings(), contextlib.suppress(cp.error.SolverError):
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            problem.solve(solver=cp.CLARABEL, **tight, **loose)
            return float(problem.value)
    raise ArithmeticError("Clarabel found no optimum to 1e-8")


def solve_linear(objective: Any, constraints: list[Any]) -> float:
    """The least value of a linear program (HiGHS, through scipy: a vertex, so no interior-point slack)."""
    problem = cp.Problem(cp.Minimize(objective), constraints)
    problem.solve(solver=cp.SCIPY)
    return float(problem.value)


def _root(*parts: Any) -> Any:
    return cp.norm2(cp.hstack(parts))


def paper_optimum(name: str, epsilon: ArrayLike, categories: int, beta: float) -> float:
    """Table of weights for HPF and HPM (eq:ws-rc, eq:ws-ru) and alg:BDPF; W is the smaller of two problems."""
    asked = entry(name)
    L = float(log_factor(asked, categories if asked.task == "frequency" else 1, beta))
    each = weighing(epsilon, "simplex")
    bias = np.sqrt(each.n) * each.spread if asked.rule == "turbo" else 2 * each.half_l1
    values = [solve(_root(bias, L * each.t), each.constraints, each.n)]
    if asked.setting == WEAK:
        values.append(solve(_root(np.sqrt(L) * each.norm, L * each.t), each.constraints, each.n))
    return min(values) ** 2


def squared_optimum(name: str, epsilon: ArrayLike, categories: int) -> float:
    """Criteria that are sums of squares: the MSE of the mean in all its forms, and the weak MSE of frequencies."""
    family = {"hpm-ce-centred": "capped", "hpm-we-centred": "scaled"}.get(name, "simplex")
    each = weighing(epsilon, family)
    n, t = each.n, each.t
    if name == "hpm-ce-sharp":
        objective = _root(each.half_l1, np.sqrt(2) * t)
    elif name == "hpm-we-sharp":
        objective = _root(float(mp.sqrt(largest_variance(n))) * each.spread, np.sqrt(2) * t)
    elif name == "hpm-ce-centred":
        objective = _root(each.lost / 2, np.sqrt(2) * t)
    elif name == "hpm-we-centred":
        objective = _root(cp.maximum(cp.abs(each.lost), np.sqrt(n / (n - 1)) * each.spread) / 2, np.sqrt(2) * t)
    else:
        H, H2 = float(harmonic(categories)), float(harmonic(categories, 2))
        bias = (1 - 1 / categories) * np.sqrt(n / (n - 1)) * each.spread
        objective = _root(bias + 2 * H * t, 2 * np.sqrt(H2) * t)
    return solve(objective, each.constraints, each.n) ** 2


def log_cosh_optimum(epsilon: ArrayLike, beta: float, *, centred: bool) -> float:
    """b·log(cosh(a/b)/β), β ≤ ½: two exponential cones, b·e^{(±a−s)/b} ≤ p±, p₊ + p₋ ≤ 2b."""
    each = weighing(epsilon, "capped" if centred else "simplex")
    a, b, s, p, q = (cp.Variable() for _ in range(5))
    bias = each.lost / 2 if centred else each.half_l1
    cones = [cp.ExpCone(a - s, b, p), cp.ExpCone(-a - s, b, q), p + q <= 2 * b, a >= bias, b == each.t]
    return solve(s - b * np.log(beta), each.constraints + cones)


def tangent_lower_bound(name: str, epsilon: ArrayLike, categories: int, beta: float) -> float:
    """A linear program below the correlated worst case of *all* weights: tangents of its exact value.

    Quantile and root mean square are convex and homogeneous in (a, b), so every tangent g_a·a + g_b·b lies below. A
    tangent is added at the program's own solution until its value there is met to 3e-7 (Kelley's method; HiGHS
    itself keeps a constraint to 1e-7).
    """
    asked = entry(name)
    centred = asked.rule == "centred"
    each = weighing(epsilon, "capped" if centred else "simplex")
    a: Any = cp.Variable()
    value: Any = cp.Variable()
    base = [*each.constraints, a >= (each.lost / 2 if centred else each.half_l1)]
    b = (2 if asked.task == "frequency" else 1) * each.t
    slopes = [_tangent(asked, categories, beta, x) for x in np.geomspace(0.05, 50, 30)]
    for _ in range(30):
        G = np.array(slopes)
        least = solve_linear(value, [*base, value >= G[:, 0] * a + G[:, 1] * b])
        bias, noise = float(a.value), max(float(b.value), 1e-9)
        slopes.append(_tangent(asked, categories, beta, max(bias / noise, 1e-6)))
        if slopes[-1][0] * bias + slopes[-1][1] * noise <= least * (1 + CLOSED):
            return least**2 if asked.metric == "mse" else least
    raise ArithmeticError("the tangents do not close in")


def _tangent(asked: Entry[Any], categories: int, beta: float, x: float) -> tuple[float, float]:
    """(∂/∂a, ∂/∂b) at a/b = x: with φ(x) the value for b = 1, φ'(x) and φ(x) − xφ'(x)."""
    k = categories if asked.task == "frequency" else 1
    biased = k if asked.rule == "centred" else min(k, 2)

    def phi(at: Any) -> Any:
        if asked.metric == "mse":
            return mp.sqrt(mean_square(at, mp.one, k, biased))
        return quantile(at, mp.one, beta, k, biased)

    step, point = mp.mpf(10) ** -15, mp.mpf(x)
    slope = (phi(point + step) - phi(point - step)) / (2 * step)
    return float(slope), float(phi(point) - point * slope)


def split_optimum(epsilon: ArrayLike, outputs: int, noise: int, beta: float) -> float:
    """The least weak PAC bound over splits of β and, for each split, over all weights (a cone program)."""
    each = weighing(epsilon, "simplex")
    root = float(mp.sqrt(permutation_factor(each.n)))
    first, second = cp.Parameter(nonneg=True), cp.Parameter(nonneg=True)
    problem = cp.Problem(cp.Minimize(each.n * (first * root * each.spread + second * each.t)), each.constraints)

    def at(theta: float) -> float:
        spent = beta / (1 + np.exp(-theta))
        first.value = float(np.sqrt(np.log(2 * outputs / spent) / 2))
        second.value = noise * float(max_exponential_quantile(beta - spent, outputs))
        return clarabel(problem) / each.n

    grid = np.linspace(-10, 5, 11)
    best = grid[int(np.argmin([at(x) for x in grid]))]
    return float(minimize_scalar(at, bounds=(best - 1.5, best + 1.5), method="bounded", options={"xatol": 1e-5}).fun)


def tilted_optimum(epsilon: ArrayLike, outputs: int, noise: int, beta: float) -> float:
    """The least b·log(k/β) + K_n‖w−u‖₂²/(8b) over all weights: a quadratic over a linear term is convex."""
    each = weighing(epsilon, "simplex")
    factor = float(permutation_factor(each.n)) / (8 * noise)
    deviation = cp.quad_over_lin(each.v - each.mean, each.tau) / each.n
    objective = noise * float(np.log(outputs / beta)) * each.t + factor * deviation
    return clarabel(cp.Problem(cp.Minimize(each.n * objective), each.constraints)) / each.n
