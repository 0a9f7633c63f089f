"""The least value of a criterion over all levels, at 60 digits.

Along the level every branch but one is convex in t (each is a convex increasing function of a convex bias and t), so a
coarse scan brackets its minimum and golden section finishes. The exception, the weak PAC bound with its split of β, is
scanned more densely and every local minimum of the scan is polished.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from tests.oracles.criteria import Branch, Criterion, Family
from tests.oracles.features import Features, Profile, mp

GOLDEN = (mp.sqrt(5) - 1) / 2
BEYOND = 10.0**60  # above the last finite demand: further out the noise is below 1e-60 of every other term
Curve = Callable[[Any], tuple[Any, Features]]


@dataclass(frozen=True)
class Optimum:
    """The least value, and the weighting that has it."""

    value: Any
    features: Features


def optimum(criterion: Criterion, epsilon: ArrayLike, points: int = 80) -> Optimum:
    """The smallest of the branches' optima."""
    profile = Profile(epsilon)
    found = [_branch_optimum(profile, criterion.family, branch, points) for branch in criterion.branches]
    return min(found, key=lambda each: each.value)


def curve(profile: Profile, family: Family, branch: Branch) -> Curve:
    """log level -> (value, features)."""

    def at(log_level: Any) -> tuple[Any, Features]:
        level = mp.inf if log_level == mp.inf else mp.exp(log_level)
        features = _features(profile, family, level)
        return branch(features), features

    return at


def _features(profile: Profile, family: Family, level: Any) -> Features:
    if family == "capped":
        return profile.capped(mp.zero if level == mp.inf else 1 / (profile.n * level))
    full = profile.simplex(level)
    if family == "simplex":
        return full
    return profile.scaled(level, best_total(full))


def best_total(full: Features) -> Any:
    """argmin over s of ¼max((1−s)², s²V₀) + 2s²t₀²: 1/(1+8t₀²) while (1−s)² rules there, else the kink 1/(1+√V₀)."""
    kink = full.spread * mp.sqrt(mp.mpf(full.n) / max(full.n - 1, 1))
    return 1 / (1 + max(8 * full.t**2, kink))


def log_levels(profile: Profile, family: Family, points: int) -> list[Any]:
    """Ascending log levels from the least positive demand on; infinity last where it means something."""
    if not profile.sorted:
        return [mp.inf]
    open_ended = profile.public > 0 or family == "capped"
    low, high = mp.log(profile.sorted[0]), mp.log(profile.sorted[-1])
    inner = [low + (high - low) * i / (points - 1) for i in range(points)] if high > low else [low]
    if not open_ended:
        return inner
    step = mp.log(BEYOND) / points
    return [*inner, *(high + step * i for i in range(1, points + 1)), mp.inf]


def _branch_optimum(profile: Profile, family: Family, branch: Branch, points: int) -> Optimum:
    at = curve(profile, family, branch)
    grid = log_levels(profile, family, points)
    scanned = [at(x)[0] for x in grid]
    best = min(range(len(grid)), key=lambda i: scanned[i])
    candidates = [Optimum(*at(grid[best]))]
    finite = len(grid) - 1 if grid[-1] == mp.inf else len(grid)
    for i in range(finite):
        low, high = max(i - 1, 0), min(i + 1, finite - 1)
        if scanned[i] <= scanned[low] and scanned[i] <= scanned[high] and low < high:
            candidates.append(_golden(at, grid[low], grid[high]))
    return min(candidates, key=lambda each: each.value)


def _golden(at: Curve, low: Any, high: Any) -> Optimum:
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = at(left), at(right)
    for _ in range(50):
        if at_left[0] <= at_right[0]:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = at(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = at(right)
    return Optimum(*min(at_left, at_right, key=lambda pair: pair[0]))
