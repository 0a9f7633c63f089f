"""The sharp and centred weights are optimal on the standard demands: certificates by duality, solver-free.

Their error is f(a, b), a = κA(t) the bias and b = c·t the noise, A(t) = Σ(1/n − tε_i)₊: on the simplex no weights with
‖w/ε‖∞ = t have a smaller bias than A(t), around ½ none a smaller one than A(t)/2. f is convex and grows with a factor
of both, so it lies above its tangent at any x, with f(x) for f(x, 1):

    f(a, b) ≥ f′(x)·a + (f(x) − x·f′(x))·b.

The right side is κf′(x)·A(t) + c(f(x) − xf′(x))·t: convex and piecewise linear in t, so its least value over all t is
at a breakpoint t = 1/(nε_i), found exactly. Where f at the level found agrees with it to one part in 10⁹, no weights
are better. f and f′ are enclosed by intervals: for a mean log(cosh x/β) in quantiles and √(x² + 2) in squares; of
tables the quantile y of m entries |x + N| and k − m entries |N|, with y′ = −F_x/F_y. Doubles only choose t and x.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less
from hdp_audit.proofs.certificates import BETA, CATEGORIES, ONE, Demands, end_of, standard
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude

CLOSE = Fraction(1, 10**9)
_FARTHEST = 600.0  # noise scales of bias that doubles can hold
Law = Callable[[Any, Any], tuple[Any, Any]]


@dataclass(frozen=True)
class Error:
    """f(x, 1) and its slope, of intervals or of doubles; κ of the bias and c of the noise."""

    law: Law
    bias: Fraction
    noise: int


def mean_quantile(x: Any, context: Any) -> tuple[Any, Any]:
    """log(cosh x/β), tanh x."""
    fall = context.exp(-2 * x)
    return x + context.log((1 + fall) / 2) - context.log(_beta(context)), (1 - fall) / (1 + fall)


def mean_root(x: Any, context: Any) -> tuple[Any, Any]:
    """√(x² + 2)."""
    root = context.sqrt(x * x + 2)
    return root, x / root


def table_quantile(biased: int) -> Law:
    """The y with (1 − e^{−y}cosh x)^m·(1 − e^{−y})^{k−m} = 1 − β, which is above x."""
    free = CATEGORIES - biased

    def law(x: Any, context: Any) -> tuple[Any, Any]:
        wide, steep = (context.exp(x) + context.exp(-x)) / 2, (context.exp(x) - context.exp(-x)) / 2
        y = _root(x, wide, biased, context)
        near = context.exp(-y)
        moved = biased * near / (1 - near * wide)
        return y, moved * steep / (moved * wide + free * near / (1 - near))

    return law


def _root(x: Any, wide: Any, biased: int, context: Any) -> Any:
    """A double, or an interval around it at whose ends the signs are certain."""

    def outside(y: Any, cosh: Any, at: Any) -> Any:
        near = at.exp(-y)
        return biased * at.log(1 - near * cosh) + (CATEGORIES - biased) * at.log(1 - near) - at.log(1 - _beta(at))

    start = _middle(x)
    low, high = start, start + 40.0
    for _ in range(100):
        middle = (low + high) / 2
        below = math.exp(-middle) * math.cosh(start) >= 1 or outside(middle, math.cosh(start), math) < 0
        low, high = (middle, high) if below else (low, middle)
    if context is math:
        return high
    ends = [interval(Fraction(high) + sign * Fraction(1, 10**12)) for sign in (-1, 1)]
    if not (surely_less(outside(ends[0], wide, context), 0) and surely_less(0, outside(ends[1], wide, context))):
        raise ArithmeticError("the quantile is not where doubles have it")
    return context.mpf([ends[0].a, ends[1].b])


def _beta(context: Any) -> Any:
    return float(BETA) if context is math else interval(BETA)


def _middle(x: Any) -> float:
    return x if isinstance(x, float) else float((end_of(x.a) + end_of(x.b)) / 2)


def lack(demands: Demands, t: Fraction) -> Fraction:
    """A(t)."""
    limit = ONE / (demands.users * t)
    few = [one for one in demands.finite if one < limit]
    return Fraction(len(few), demands.users) - t * Fraction(sum(few), ONE)


def least(demands: Demands, bias: Fraction, noise: Fraction) -> Fraction:
    """min over t > 0 of bias·A(t) + noise·t: left of user i's breakpoint the slope is noise − bias·Σ_{j≤i}ε_j."""
    limit = noise * ONE / bias
    place = next((at for at, summed in enumerate(accumulate(demands.finite)) if summed > limit), None)
    if place is None:  # it grows from t = 0 on, where public users alone have weight
        return bias * Fraction(len(demands.finite), demands.users)
    t = Fraction(ONE, demands.users * demands.finite[place])
    return bias * lack(demands, t) + noise * t


def gap(demands: Demands, error: Error, cheaper: float = 1.0) -> Fraction:
    """By which part of itself the error at the level found may exceed the least of all. `cheaper`: a level for noise
    that costs this much.
    """
    t = best_noise(demands, error, cheaper)
    noise, context = error.noise * t, iv()
    x = interval(Fraction(float(error.bias * lack(demands, t) / noise)))
    found, slope = error.law(x, context)
    below = least(demands, error.bias * end_of(slope.a), error.noise * end_of((found - x * slope).a))
    return 1 - below / value(demands, error, t)


def value(demands: Demands, error: Error, t: Fraction) -> Fraction:
    """At least f at the weights that t has."""
    noise = error.noise * t
    return noise * end_of(error.law(interval(error.bias * lack(demands, t) / noise), iv())[0].b)


def best_noise(demands: Demands, error: Error, cheaper: float = 1.0) -> Fraction:
    """A good t; nothing rests on it: where the slope of f(κA(t), ct) changes its sign, in doubles."""
    import numpy as np

    finite, n = np.array(demands.finite, dtype=np.float64) / ONE, demands.users
    sums, bias, noise = np.concatenate([[0.0], np.cumsum(finite)]), float(error.bias), error.noise * cheaper

    def rises(t: float) -> bool:
        few = int(np.searchsorted(finite, 1 / (n * t)))
        missing = few / n - t * float(sums[few])
        x = min(max(bias * missing / (noise * t), 0.0), _FARTHEST)
        found, slope = error.law(x, math)
        return noise * (found - x * slope) >= bias * slope * float(sums[few])

    low, high = 1 / (n * float(finite[-1])) / 4, 1 / (n * float(finite[finite > 0][0]))
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if rises(middle) else (middle, high)
    return Fraction(high)


def errors(share: Fraction, biased: int) -> dict[str, Error]:
    """For a bias of κA(t) in so many entries."""
    return {
        "mean, quantile": Error(mean_quantile, share, 1),
        "mean, root of the mean square": Error(mean_root, share, 1),
        "table, quantile": Error(table_quantile(biased), share, 2),
    }


def _family(share: Fraction, biased: int, cheaper: float) -> Evidence:
    found = {}
    for name, demands in standard().items():
        for what, error in errors(share, biased).items():
            found[f"{name}, {what}"] = 0 <= gap(demands, error, cheaper) <= CLOSE
    return conclude("proved for stated sizes", found)


def sharp(cheaper: float = 1.0) -> Evidence:
    """Two entries of a table have the whole bias, a mean has it."""
    return _family(Fraction(1), 2, cheaper)


def centred(cheaper: float = 1.0) -> Evidence:
    """All entries have half of what is missing."""
    return _family(Fraction(1, 2), CATEGORIES, cheaper)


_AT = "On the standard demands (k = 10, beta = 0.05) no weights"
_LESS = "have a smaller worst error than the best level, to one part in 10^9: means in quantiles and squares, tables in"
ENTRIES = (
    Entry(
        "weights-sharp",
        "Certified: the sharp weights",
        OURS,
        f"{_AT} on the simplex {_LESS} quantiles.",
        "interval",
        sharp,
    ),
    Entry(
        "weights-centred",
        "Certified: the centred weights",
        OURS,
        f"{_AT} around 1/2 {_LESS} quantiles.",
        "interval",
        centred,
    ),
)
