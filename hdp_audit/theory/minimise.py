"""Upper bounds minimised over the saturation level: each mechanism is one criterion of one number."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory import hull, hull_law, norm_upper, upper, weak_tail
from hdp_audit.theory.family import Family, Statistics
from hdp_audit.theory.hull_tail import hull_tail
from hdp_audit.theory.names import Metric, Norm, Problem, Setting, Task
from hdp_audit.theory.two_weights import two_weights_square

Floats = NDArray[np.float64]
Rule = Literal["sharp", "centred", "hull", "paper"]
Criterion = Callable[[Statistics], Floats]
_GRID = 257
_ZOOMS = 6


@dataclass(frozen=True)
class Candidate:
    """A catalog name and its rule, its family, and the bound it guarantees as a function of its statistics."""

    mechanism: str
    rule: Rule
    centred: bool
    criterion: Criterion
    exact: Callable[[Family, float], float] | None = None  # a sharper bound at one level, too slow for a search


@dataclass(frozen=True)
class Optimum:
    """The best level of one candidate and the error it guarantees there."""

    mechanism: str
    level: float
    value: float


def candidates(problem: Problem, n: int) -> list[Candidate]:
    """The mechanisms that compete in a cell; a correlated guarantee is valid in the weak setting too."""
    letters = "hpf" if problem.task is Task.FREQUENCY else "hpm"
    end = "p" if problem.metric is Metric.PAC else "e"
    if not problem.one_number:
        return _in_norm(problem, n, end)
    correlated = [
        Candidate(f"{letters}-c{end}-centred", "centred", True, lambda s: _correlated(problem, s, centred=True)),
        Candidate(f"{letters}-c{end}-sharp", "sharp", False, lambda s: _correlated(problem, s, centred=False)),
    ]
    if problem.task is Task.FREQUENCY:
        correlated.insert(0, _hull_candidate(problem, end))
    if problem.setting is Setting.CORRELATED:
        return correlated
    weak = Candidate(f"{letters}-w{end}-sharp", "sharp", False, lambda s: _weak(problem, s, n))
    if problem.task is Task.FREQUENCY and problem.categories == 2:
        # The mean y of x = 1{second category} answers (1 − y, y), and both frequencies err alike.
        return [*candidates(replace(problem, task=Task.MEAN), n), *correlated]
    if problem.task is Task.MEAN and problem.metric is Metric.MSE:
        shrunk = Candidate("hpm-we-centred", "centred", False, lambda s: upper.shrunk_mean_weak_mse(s.spread, s.t, n))
        return [shrunk, weak, *correlated]
    if problem.task is Task.FREQUENCY:
        return [_weak_hull_candidate(problem, n, end), weak, *correlated]
    return [weak, *correlated]


def _in_norm(problem: Problem, n: int, end: str) -> list[Candidate]:
    """Those of `norm_upper`."""
    around = Candidate(f"hpf-c{end}-hull", "hull", True, lambda s: norm_upper.around_share(problem, s))
    if problem.setting is Setting.CORRELATED:
        return [around]
    return [Candidate(f"hpf-w{end}-hull", "hull", False, lambda s: norm_upper.on_simplex(problem, s, n)), around]


def _hull_candidate(problem: Problem, end: str) -> Candidate:
    exact = (lambda family, level: _exact_hull(problem, family, level)) if problem.categories > 2 else None
    return Candidate(f"hpf-c{end}-hull", "hull", True, lambda s: _hull(problem, s), exact)


def _weak_hull_candidate(problem: Problem, n: int, end: str) -> Candidate:
    k, beta = problem.categories, problem.beta if problem.metric is Metric.PAC else None
    tangents = weak_tail.hull_tangents(hull_tail(k), 1.0)

    def criterion(s: Statistics) -> Floats:
        tilted = weak_tail.tilted_bound(tangents, problem.scale * s.t, s.spread, n, k, beta)
        return tilted if beta is not None else np.minimum(tilted, _minkowski(s, n, k))

    def exact(family: Family, level: float) -> float:
        s = family.simplex(np.array([level]))
        if s.spread[0] == 0:  # with equal weights permuting changes nothing
            return math.inf
        scale = problem.scale * float(s.t[0])
        weights = weak_tail.simplex_weights(family.ascending, level)
        tail = weak_tail.WeakTail(weights, weak_tail.hull_tangents(hull_tail(k), scale), k)
        return two_weights_square(weights, scale, k, tail.mse()) if beta is None else tail.pac(beta)

    return Candidate(f"hpf-w{end}-hull", "hull", False, criterion, exact)


def _minkowski(s: Statistics, n: int, k: int) -> Floats:
    """(√E‖A‖∞² + √E‖v‖∞²)², as in `guarantee`."""
    moved = (1 - 1 / k) * np.sqrt(s.spread * n / max(n - 1, 1))
    return np.asarray((moved + s.t * np.sqrt(hull.hull_mse(0.0, 1.0, k))) ** 2)


def _correlated(problem: Problem, s: Statistics, *, centred: bool) -> Floats:
    b = problem.scale * s.t
    if problem.task is Task.MEAN:
        if problem.metric is Metric.PAC:
            return upper.correlated_pac(s.bias, b, problem.beta, 1, 0)
        return upper.mean_correlated_mse(s.bias, b)
    k = problem.categories
    biased, plain = (k, 0) if centred else (2, k - 2)
    if problem.metric is Metric.PAC:
        return upper.correlated_pac(s.bias, b, problem.beta, biased, plain)
    return upper.frequency_correlated_mse(s.bias, b, biased, plain)


def _hull(problem: Problem, s: Statistics) -> Floats:
    # The centred family's bias is half the missing mass.
    if problem.metric is Metric.PAC:
        return hull.hull_pac(2 * s.bias, s.t, problem.categories, problem.beta)
    return hull.hull_mse(2 * s.bias, s.t, problem.categories)


def _exact_hull(problem: Problem, family: Family, level: float) -> float:
    """The exact law at the level and the centre that the union bound chose, as the mechanism does."""
    s = family.centred(np.array([level]))
    deficit, t = 2 * float(s.bias[0]), float(s.t[0])
    # Farther out the largest bias decides, and the union bound is as good.
    if not 0 <= deficit <= 400 * t or t == 0:
        return math.inf
    beta = problem.beta if problem.metric is Metric.PAC else None
    centre = float(hull.hull_centre(s.bias * 2, s.t, problem.categories, beta)[0])
    if beta is None:
        return hull_law.exact_mse(deficit, t, problem.categories, centre, total=1.0)
    return hull_law.exact_pac(deficit, t, problem.categories, beta, centre, total=1.0)


def _weak(problem: Problem, s: Statistics, n: int) -> Floats:
    b = problem.scale * s.t
    if problem.metric is Metric.PAC:
        return upper.weak_pac(s.bias, s.spread, b, n, problem.coordinates, problem.beta)
    if problem.task is Task.MEAN:
        return upper.mean_weak_mse(s.spread, b, n)
    return upper.frequency_weak_mse(s.bias, s.spread, b, n, problem.categories)


def minimise(family: Family, candidate: Candidate) -> Optimum:
    """The least value over all levels: a logarithmic grid, the limit ρ = ∞, and six zooms into the best
    bracket.

    Any level gives a valid bound; the search decides only how good it is. The correlated criteria are convex
    in t = 1/Z, hence have one valley; the weak ones may have two, and the grid picks the deeper.
    """
    curve = curve_of(family, candidate)
    low, high = search_range(family, centred=candidate.centred)
    grid = np.geomspace(low, high, _GRID) if high > low else np.array([low])
    limit = float(curve(np.array([math.inf]))[0])
    level, value = grid[0], math.inf
    for _ in range(_ZOOMS):
        heights = curve(grid)
        best = int(np.argmin(heights))
        if heights[best] < value:
            level, value = float(grid[best]), float(heights[best])
        left, right = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
        if right <= left:
            break
        grid = np.geomspace(left, right, 33)
    return (
        Optimum(candidate.mechanism, math.inf, limit) if limit <= value else Optimum(candidate.mechanism, level, value)
    )


def curve_of(family: Family, candidate: Candidate) -> Callable[[Floats], Floats]:
    """Guaranteed error as a function of the level."""
    statistics = family.centred if candidate.centred else family.simplex

    def curve(levels: Floats) -> Floats:
        heights = candidate.criterion(statistics(levels))
        return np.where(np.isnan(heights), np.inf, heights)

    return curve


def search_range(family: Family, *, centred: bool) -> tuple[float, float]:
    """Levels worth trying. Above the largest finite demand noise falls on if the family is centred or has
    public users.
    """
    low, high = family.level_range()
    # A noise scale 10⁻⁸ of the one at the largest demand differs from the limit ρ = ∞ by less than any figure
    # shown.
    return (low, high * 1e8) if centred or family.public else (low, high)


def _sharpened(family: Family, candidate: Candidate, found: Optimum) -> Optimum:
    """The same level with the sharper bound; the limit ρ = ∞ with public users has no noise, and none."""
    if candidate.exact is None or (math.isinf(found.level) and (family.public or candidate.centred)):
        return found
    level = min(found.level, family.level_range()[1]) if math.isinf(found.level) else found.level
    return replace(found, value=min(found.value, candidate.exact(family, level)))


def constant(problem: Problem) -> str:
    """The best answer that looks at no data."""
    in_norm = "constant-zero" if problem.norm is Norm.L1 else "constant-uniform"
    return "constant-half" if problem.one_number else in_norm


def best_upper(family: Family, problem: Problem, correlated: Optimum | None = None) -> Optimum:
    """The best guarantee in a cell: the candidates of `candidates` and the constant answer ½.

    In the weak setting the answer of the correlated cell, if known, saves its candidates' search.
    """
    if problem.categories == 2 and not problem.one_number:
        mean = best_upper(family, norm_upper.as_mean(problem))
        return replace(mean, value=mean.value * norm_upper.pair_factor(problem))
    best = Optimum(constant(problem), math.inf, problem.trivial)
    if family.usable == 0:
        return best
    known = replace(problem, setting=Setting.CORRELATED) if correlated else None
    done = {candidate.mechanism for candidate in candidates(known, family.n)} if known else set()
    tried = [candidate for candidate in candidates(problem, family.n) if candidate.mechanism not in done]
    found = [_sharpened(family, candidate, minimise(family, candidate)) for candidate in tried]
    for optimum in [*found, correlated] if correlated else found:
        best = optimum if optimum.value < best.value else best
    return best
