"""Guaranteed error against saturation level: the data behind the plot of `bounds`."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.theory import paper
from hdp_audit.theory.family import Family
from hdp_audit.theory.minimise import Candidate, Rule, candidates, curve_of, minimise
from hdp_audit.theory.names import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mark:
    """A choice of level worth pointing at."""

    name: str
    level: float
    error: float


@dataclass(frozen=True)
class Curve:
    """One mechanism's guarantee at each level, and its best choice."""

    mechanism: str
    rule: Rule
    errors: Floats
    best: Mark


@dataclass(frozen=True)
class Sweep:
    """Curves over common levels; `paper` marks the paper's choice of level, judged by the explicit bound."""

    problem: Problem
    levels: Floats
    curves: tuple[Curve, ...]
    paper: Mark


def sweep(demands: ArrayLike, problem: Problem, points: int = 200) -> Sweep:
    """Error bounds at `points` levels from the smallest to the largest finite positive demand (and half as
    far again).
    """
    family = Family.of(demands)
    low, high = family.level_range()
    levels = np.geomspace(low, max(high, low * 1.5) * 1.5, points)
    tried = candidates(problem, family.n) if family.usable else []
    curves = tuple(_curve(family, candidate, levels) for candidate in tried)
    return Sweep(problem, levels, curves, _paper_mark(family, problem, tried))


def _curve(family: Family, candidate: Candidate, levels: Floats) -> Curve:
    best = minimise(family, candidate)
    errors = curve_of(family, candidate)(levels)
    return Curve(candidate.mechanism, candidate.rule, errors, Mark(candidate.mechanism, best.level, best.value))


def _paper_mark(family: Family, problem: Problem, tried: list[Candidate]) -> Mark:
    choice = paper.minimum(family, problem)
    simplex = [candidate for candidate in tried if not candidate.centred]
    if not simplex:
        return Mark(choice.mechanism, choice.level, math.inf)
    at = np.array([choice.level])
    error = min(float(curve_of(family, candidate)(at)[0]) for candidate in simplex)
    return Mark(choice.mechanism, choice.level, error)
