"""The paper's own rates r_C, r_WC and their minima R_C, R_WC: sympy expressions, turned into numpy functions
when first used.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.family import Family, Statistics
from hdp_audit.theory.minimise import Candidate, Optimum, minimise
from hdp_audit.theory.names import Metric, Problem, Setting, Task

Floats = NDArray[np.float64]
ARGUMENTS = ("l1", "l2", "t", "k", "beta")


@cache
def expressions() -> dict[str, Any]:
    """r_C² (eq. ws-rc) and the two branches of r_WC² (eq. ws-ru) in l1 = ‖w−u‖₁, l2 = ‖w‖₂, t = ‖w/ε‖∞, k, β.

    r_WC² = Min(l1², L·l2²) + L²t² with L = log(k/β), r_C² = l1² + L²t².
    """
    import sympy

    l1, l2, t, k, beta = sympy.symbols(" ".join(ARGUMENTS), nonnegative=True)
    log = sympy.log(k / beta)
    noise = log**2 * t**2
    return {"r_C": sympy.sqrt(l1**2 + noise), "r_WC": sympy.sqrt(sympy.Min(l1**2, log * l2**2) + noise)}


@cache
def function(name: str) -> Callable[..., Floats]:
    """`r_C` or `r_WC` as a numpy function of ARGUMENTS."""
    import sympy

    symbols = sympy.symbols(" ".join(ARGUMENTS), nonnegative=True)
    made: Callable[..., Floats] = sympy.lambdify(symbols, expressions()[name], "numpy")
    return made


def parameters(problem: Problem) -> tuple[float, float]:
    """(k, β) as the paper sets them: means have k = 1; MSE has β = 1, and k = e for means."""
    if problem.metric is Metric.MSE:
        return (float(problem.categories) if problem.task is Task.FREQUENCY else math.e), 1.0
    return float(problem.coordinates), problem.beta


def minimum(family: Family, problem: Problem) -> Optimum:
    """R_C or R_WC (eqs. RC-def, RU-def), min over weights of r, at most 1; squared for MSE (Theorems pac-ub,
    mse-ub).

    The minimum over all weights lies in the saturation family, so it is one over the level. No constant is
    implied: the paper states orders only.
    """
    name = "r_C" if problem.setting is Setting.CORRELATED else "r_WC"
    power = 1 if problem.metric is Metric.PAC else 2
    if family.usable == 0:
        return Optimum(name, math.inf, 1.0)
    k, beta = parameters(problem)

    def criterion(s: Statistics) -> Floats:
        return function(name)(2 * s.bias, np.sqrt(s.spread + 1 / family.n), s.t, k, beta)

    found = minimise(family, Candidate(name, "paper", False, criterion))
    return Optimum(name, found.level, min(found.value, 1.0) ** power)
