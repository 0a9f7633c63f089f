"""Closed forms of the paper's criteria on sorted demands, at 60 digits; a second derivation beside the level scan."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from mechanisms import entry
from tests.oracles.criteria import WEAK, bias_l1, criterion, largest_variance, log_factor
from tests.oracles.features import Features, Profile, mp
from tests.oracles.optimum import Optimum


def best_l1(profile: Profile, L: Any) -> Optimum:
    """min of 4A(t)² + L²t², A(t) = Σ(1/n − tε_i)₊ convex and piecewise linear, over t ≥ 1/Σε.

    Between breakpoints A = m/n − tS with m the users below 1/(nt): the vertex is t = 4(m/n)S/(4S²+L²). The slope at
    the breakpoints grows with t, so the segment is found by bisection.
    """
    value = bias_l1(L)
    least = mp.zero if profile.public else 1 / profile.first[-1]
    t = max(least, _stationary(profile, L))
    level = _level_of_noise(profile, t)
    features = profile.simplex(level)
    if abs(features.t - t) > mp.mpf(10) ** -50 * t:
        raise ArithmeticError("the level does not reproduce its own noise")
    return Optimum(value(features), features)


def _stationary(profile: Profile, L: Any) -> Any:
    """The root of d/dt[4A² + L²t²] on t > 0; the breakpoints 1/(nε) fall as ε grows."""
    n, eps = profile.n, profile.sorted
    low, high = 0, len(eps)  # users counted in A at the optimum
    while low < high:
        middle = (low + high) // 2
        t = 1 / (n * eps[middle])  # here exactly `middle` finite users (ties apart) are below
        slope = -8 * profile.shortfall(t) * profile.first[middle] + 2 * L * L * t
        low, high = (middle + 1, high) if slope > 0 else (low, middle)
    S, m = profile.first[low], profile.zeros + low
    t = 4 * (mp.mpf(m) / n) * S / (4 * S * S + L * L)
    uppermost = 1 / (n * eps[low - 1]) if low else mp.inf
    lowermost = 1 / (n * eps[low]) if low < len(eps) else mp.zero
    return min(max(t, lowermost), uppermost) if m else lowermost


def _level_of_noise(profile: Profile, t: Any) -> Any:
    """ρ with Σmin(ε, ρ) = 1/t; the uniform level where even that is not needed."""
    if not profile.sorted or t == 0:
        return mp.inf
    goal = 1 / t
    low, high = 0, len(profile.sorted)
    while low < high:
        middle = (low + high) // 2
        reached = profile.first[middle] + (profile.positive - middle) * profile.sorted[middle]
        low, high = (middle + 1, high) if reached < goal else (low, middle)
    rest = profile.positive - low
    if rest == 0:
        return mp.inf
    return (goal - profile.first[low]) / rest


def best_l2(profile: Profile, c: Any) -> Features:
    """argmin of ‖w‖₂² + c·t²: the level is the root of Σε_i(ρ − ε_i)₊ = c."""
    eps = profile.sorted
    if not eps:
        return profile.simplex(mp.inf)
    low, high = 0, len(eps)
    while low < high:
        middle = (low + high) // 2
        reached = eps[middle] * profile.first[middle] - profile.second[middle]
        low, high = (middle + 1, high) if reached < c else (low, middle)
    if low == len(eps) and not profile.public:
        return profile.simplex(mp.inf)
    if low == 0:
        return profile.simplex(eps[0])
    return profile.simplex((c + profile.second[low]) / profile.first[low])


def closed_optimum(name: str, epsilon: ArrayLike, categories: int | None, beta: float) -> Optimum:
    """The optimum of cp, ce, wp, we, ct, wt for either task, and of hpm-we-sharp."""
    profile = Profile(epsilon)
    rule = criterion(name, categories, beta)
    asked = entry(name)
    if name == "hpm-we-sharp":
        variance = largest_variance(profile.n)
        ends = [best_l2(profile, 2 / variance if variance else mp.inf)]
        return min((Optimum(rule.at(f), f) for f in ends), key=lambda each: each.value)
    L = log_factor(asked, categories if asked.task == "frequency" and categories else 1, beta)
    found = [best_l2(profile, L * L / profile.n)] if asked.rule == "turbo" else [best_l1(profile, L).features]
    if asked.setting == WEAK:
        found.append(best_l2(profile, L))
    return min((Optimum(rule.at(f), f) for f in found), key=lambda each: each.value)
