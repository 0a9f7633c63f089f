"""The paper's weights are optimal on the standard demands: certificates by duality, checked in whole numbers.

Demands are doubles, so ε_i·2^64 is a whole number here, and so is everything that is summed over users. A level is
searched for in doubles and not trusted: at any level the family w ∝ min(ε, ρ) has a value, which is an upper bound, and
multipliers made from it give a lower bound that holds for all weights on the simplex. Where the two agree to one part
in 10¹⁰ the weights at that level are optimal to that. No solver is needed, and none is believed.

*ℓ1.* x² ≥ 2ax − a² turns ‖w − u‖₁² + L²t² into 2a‖w − u‖₁ + 2bLt − a² − b², a linear programme with w_i ≤ tε_i. Its
dual: Σλ_i/n − a² − b² for all 0 ≤ λ_i ≤ 4a with Σλ_iε_i ≤ 2bL; best are the smallest demands, 4a each as far as it
goes. Where nobody is public and something is left, all λ_i may rise together.

*ℓ2.* ‖w‖² ≥ 2v·w − ‖v‖² and t² ≥ 2τt − τ² turn ‖w‖² + ct² into another one. Its dual: ν − ‖v‖² − cτ² for every ν with
Σ(ν − 2v_i)₊ε_i ≤ 2cτ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, ldexp
from typing import Any

from hdp_audit.proofs.algebra import interval, iv
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude

ONE = 1 << 64
CLOSE = Fraction(1, 10**10)
CATEGORIES, BETA = 10, "0.05"


@dataclass(frozen=True)
class Demands:
    """ε_i·2^64, ascending, the finite ones; and how many users are public."""

    finite: tuple[int, ...]
    public: int

    @classmethod
    def of(cls, values: Any) -> Demands:
        """From doubles, exactly."""
        scaled = sorted(ldexp(float(value), 64) for value in values)
        finite = [value for value in scaled if value < inf]
        if not all(value.is_integer() for value in finite):
            raise ValueError("a demand is no multiple of 2^-64")
        return cls(tuple(int(value) for value in finite), len(scaled) - len(finite))

    @property
    def users(self) -> int:
        """n."""
        return len(self.finite) + self.public

    def spent(self, level: int) -> list[int]:
        """min(ε_i, ρ)·2^64."""
        return [min(value, level) for value in self.finite] + [level] * self.public


@dataclass(frozen=True, eq=False)
class Weights:
    """w = min(ε, ρ)/Z at a level ρ·2^64."""

    demands: Demands
    level: int

    @cached_property
    def spent(self) -> list[int]:
        """In units of 2^-64."""
        return self.demands.spent(self.level)

    @cached_property
    def whole(self) -> int:
        """Z·2^64."""
        return sum(self.spent)

    @property
    def t(self) -> Fraction:
        """‖w/ε‖∞ = 1/Z."""
        return Fraction(ONE, self.whole)

    @cached_property
    def bias(self) -> Fraction:
        """‖w − u‖₁: twice what is below 1/n."""
        n = self.demands.users
        return Fraction(2 * sum(max(self.whole - n * one, 0) for one in self.spent), n * self.whole)

    @cached_property
    def square(self) -> Fraction:
        """‖w‖₂²."""
        return Fraction(sum(one * one for one in self.spent), self.whole**2)


def first_norm(weights: Weights, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """(below, above) the least ‖w − u‖₁² + L²t², for low ≤ L ≤ high."""
    demands, a, b = weights.demands, weights.bias, low * weights.t
    room, full = 2 * b * low * ONE, Fraction(0)  # Σλ_iε_i·2^64, and Σλ_i
    for demand in demands.finite:
        taken = 4 * a if 4 * a * demand <= room else room / demand
        room -= taken * demand
        full += taken
        if not room and demand:
            break
    if room > 0 and not demands.public:
        full += demands.users * room / sum(demands.finite)
    return full / demands.users - a**2 - b**2, a**2 + (high * weights.t) ** 2


def second_norm(weights: Weights, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """(below, above) the least ‖w‖₂² + ct², for low ≤ c ≤ high."""
    demands, whole, t = weights.demands, weights.whole, weights.t
    room = 2 * low * t * whole * ONE  # of Σ(2N − 2·min(ε_i, ρ))₊ε_i, ν = 2N/Z

    def fits(level: int) -> bool:
        return sum(2 * (level - one) * one for one in demands.finite if one < level) <= room

    inside, outside = 0, weights.level + 1
    while outside - inside > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if fits(middle) else (inside, middle)
    return Fraction(2 * inside, whole) - weights.square - high * t**2, weights.square + high * t**2


Norm = Callable[[Weights, Fraction, Fraction], tuple[Fraction, Fraction]]


def certified(demands: Demands, norm: Norm, low: Fraction, high: Fraction, slack: Fraction = CLOSE) -> bool:
    """Whether some level's value is within `slack` of what no weights can beat."""
    below, above = norm(Weights(demands, _level(demands, norm, high)), low, high)
    return above > 0 and below >= (1 - slack) * above


def _level(demands: Demands, norm: Norm, size: Fraction) -> int:
    """A good level; nothing rests on it."""
    return _root(demands, size) if norm is second_norm else _valley(demands, float(size))


def _root(demands: Demands, cost: Fraction) -> int:
    """Σε_i(ρ − ε_i)₊ = c, by bisection."""
    low, high = 0, ONE << 40
    while high - low > 1:
        middle = (low + high) // 2
        reached = sum(one * (middle - one) for one in demands.finite if one < middle)
        low, high = (middle, high) if reached <= cost * ONE * ONE else (low, middle)
    return high


def _valley(demands: Demands, size: float) -> int:
    """4(Σ(1/n − tε_i)₊)² + L²t² is convex in t: its slope's root, then the level at which Σmin(ε_i, ρ) = 1/t."""
    import numpy as np

    ascending, n = np.array(demands.finite, dtype=np.float64) / ONE, demands.users

    def rises(t: float) -> bool:
        lack = np.maximum(1 / n - t * ascending, 0.0)
        return bool(size**2 * t >= 4 * lack.sum() * ascending[lack > 0].sum())

    def holds(level: float) -> bool:
        return bool(np.minimum(ascending, level).sum() + demands.public * level >= 1 / least)

    least = _first(rises, 0.0, 1 / (n * float(ascending[ascending > 0][0])))
    return int(_first(holds, 0.0, 2.0**30) * ONE)


def _first(true: Callable[[float], bool], low: float, high: float) -> float:
    """Where it becomes true, or `high`."""
    for _ in range(110):
        middle = (low + high) / 2
        low, high = (low, middle) if true(middle) else (middle, high)
    return high


def standard() -> dict[str, Demands]:
    """The standard demands, written once more."""
    import numpy as np

    drawn = {
        "equal-0.1": np.full(1000, 0.1),
        "equal-1": np.ones(1000),
        "tiers": np.array([0.02] * 100 + [0.5] * 800 + [2.0] * 90 + [0.0] * 5 + [np.inf] * 5),
        "log-uniform": np.exp(np.random.default_rng(1).uniform(-5, 5, 10_000)),
        "two-point": np.array([0.05] * 500 + [2.0] * 500),
        "uniform": np.random.default_rng(1).uniform(0, 1, 10_000),
    }
    return {name: Demands.of(values) for name, values in drawn.items()}


def _terms() -> dict[str, tuple[Fraction, Fraction]]:
    """L of frequencies and means, error quantile and mean square, between two fractions."""
    context = iv()
    found = {
        "log(k/β)": context.log(CATEGORIES / interval(BETA)),
        "log k": context.log(CATEGORIES),
        "log(1/β)": context.log(1 / interval(BETA)),
    }
    ends = {name: (end_of(value.a), end_of(value.b)) for name, value in found.items()}
    return ends | {"1": (Fraction(1), Fraction(1))}


def end_of(end: Any) -> Fraction:
    """An end of an interval, exactly."""
    sign, mantissa, exponent, _ = end._mpi_[0] if hasattr(end, "_mpi_") else end._mpf_
    return (-1 if sign else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def family(norm: Norm, turbo: bool = False, lessened: Fraction = Fraction(1)) -> Evidence:
    """On all standard demands, for all four L. `turbo`: c = L²/n, not L. `lessened`: levels for a cheaper noise."""
    found = {}
    for name, demands in standard().items():
        for term, ends in _terms().items():
            low, high = (end**2 / demands.users if turbo else end for end in ends)
            found[f"{name}, L = {term}"] = _holds(demands, norm, low, high, lessened)
    return conclude("proved for stated sizes", found)


def _holds(demands: Demands, norm: Norm, low: Fraction, high: Fraction, lessened: Fraction) -> bool:
    if lessened == 1:
        return certified(demands, norm, low, high)
    below, above = norm(Weights(demands, _level(demands, norm, high * lessened)), low, high)
    return above > 0 and below >= (1 - CLOSE) * above


def correlated(lessened: Fraction = Fraction(1)) -> Evidence:
    """The ℓ1 problem of cp, ce, and the first of wp, we."""
    return family(first_norm, lessened=lessened)


def weak(lessened: Fraction = Fraction(1)) -> Evidence:
    """The ℓ2 problem of wp, we, wt and wet: L(‖w‖₂² + Lt²)."""
    return family(second_norm, lessened=lessened)


def turbo(lessened: Fraction = Fraction(1)) -> Evidence:
    """The ℓ2 problem of ct, cet, and the first of wt, wet: n(‖w‖₂² + L²t²/n) − 1."""
    return family(second_norm, turbo=True, lessened=lessened)


_AT = "On the standard demands (k = 10, beta = 0.05) no weights on the simplex have"
_FAMILY = "less than the best w ~ min(eps, level), to one part in 10^10; L = log(k/beta), log k, log(1/beta), 1."
ENTRIES = (
    Entry(
        "weights-first",
        "Certified: the weights of cp and ce",
        ("eq:ws-rc",),
        f"{_AT} |w-u|_1^2 + L^2·t^2 {_FAMILY}",
        "enumeration",
        correlated,
    ),
    Entry(
        "weights-second",
        "Certified: the second weights of wp and we",
        ("eq:ws-ru",),
        f"{_AT} |w|_2^2 + L·t^2 {_FAMILY}",
        "enumeration",
        weak,
    ),
    Entry(
        "weights-turbo",
        "Certified: the weights of the turbo forms",
        OURS,
        f"{_AT} |w|_2^2 + L^2·t^2/n {_FAMILY}",
        "enumeration",
        turbo,
    ),
)
