"""Hull noise (ours): density ∝ exp(−‖v‖₁/2t) on the plane Σv = 0, the law of one bin. Lengths in units of 2t."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude


def coefficient(m: int, i: int) -> Fraction:
    """c_{m,i} = (2m−2−i)!/((m−1)!·i!·(m−1−i)!·2^{2m−1−i}): h_m(v) = e^{−|v|}Σ c_{m,i}|v|^i."""
    below = factorial(m - 1) * factorial(i) * factorial(m - 1 - i) * 2 ** (2 * m - 1 - i)
    return Fraction(factorial(2 * m - 2 - i), below)


def share(k: int, i: int, halves: int = 2) -> Fraction:
    """ω_i by its product form: ω_0 = (k−1)/(halves·(2k−3)), then factors (k−2−j)/(2k−4−j)."""
    value = Fraction(k - 1, halves * (2 * k - 3))
    for j in range(i):
        value *= Fraction(k - 2 - j, 2 * k - 4 - j)
    return value


def _sum_density(m: int, v: Any) -> Any:
    """h_m(v) for v ≥ 0."""
    import sympy as sp

    return sp.exp(-v) * sum(sp.Rational(coefficient(m, i)) * v**i for i in range(m))


def _one_more(m: int, v: Any) -> Any:
    """The density of the sum of m + 1 Laplace(1) numbers at v ≥ 0, by integrating over the last one in three pieces."""
    import sympy as sp

    x = sp.Dummy("x", positive=True)
    left = sp.integrate(sp.expand(sp.exp(-x) / 2 * _sum_density(m, v + x)), (x, 0, sp.oo))
    middle = sp.integrate(sp.expand(sp.exp(-x) / 2 * _sum_density(m, v - x)), (x, 0, v))
    right = sp.integrate(sp.expand(sp.exp(-x - v) / 2 * _sum_density(m, x)), (x, 0, sp.oo))
    return left + middle + right


def bin_tail(k: int, y: Any, halves: int = 2) -> Any:
    """T(y) = Σ_i ω_i·Q(i+1, 2y) with Q(i+1, z) = e^{−z}Σ_{j≤i} z^j/j!."""
    import sympy as sp

    inner = [sum((2 * y) ** j / sp.factorial(j) for j in range(i + 1)) for i in range(k - 1)]
    return sp.exp(-2 * y) * sum(sp.Rational(share(k, i, halves)) * inner[i] for i in range(k - 1))


def marginal(halves: int = 2) -> Evidence:
    """T(y) = Σω_iQ(i+1, 2y) is the tail of one of k Laplace(1) numbers given that their sum is 0."""
    import sympy as sp

    v = symbols("v", positive=True)
    steps = {"m = 1: h_1 is the Laplace density": vanishes(_sum_density(1, v) - sp.exp(-v) / 2)}
    for m in (1, 2, 3):
        steps[f"h_{m + 1} is h_{m} and one more number, by integration"] = vanishes(
            _one_more(m, v) - _sum_density(m + 1, v)
        )
    for k in (2, 3, 4):
        given = sp.exp(-v) / 2 * _sum_density(k - 1, v) / _sum_density(k, sp.Integer(0))
        tail = bin_tail(k, v, halves)
        steps[f"k={k}: −T' is the density given the sum"] = vanishes(sp.diff(tail, v) + given)
        steps[f"k={k}: the density integrates to 1"] = vanishes(2 * sp.integrate(sp.expand(given), (v, 0, sp.oo)) - 1)
    sums = all(sum(share(k, i, halves) for i in range(k - 1)) == Fraction(1, 2) for k in range(2, 60))
    forms = all(_factorial_share(k, i) == share(k, i, halves) for k in range(2, 30) for i in range(k - 1))
    steps["Σω = ½ in rationals, k = 2..59"] = sums
    steps["the product form of ω is the factorial one, k = 2..29"] = forms
    return conclude("proved for stated sizes", steps)


def _factorial_share(k: int, i: int) -> Fraction:
    return coefficient(k - 1, i) * factorial(i) / 2 ** (i + 2) / coefficient(k, 0)


def quantile(scales: str = "8.9093") -> Evidence:
    """k = 10, β = 0.05, no bias: 2k·T(y) = β at 2y in (8.9091, 8.9093) noise units t; independent noise needs 10.55."""
    context = iv()

    def exceeded(units: str) -> Any:
        z = interval(units)
        terms = [interval(share(10, i)) * z**j / factorial(j) for i in range(9) for j in range(i + 1)]
        return 20 * context.exp(-z) * sum(terms, interval(0))

    plain = -2 * context.log(1 - context.exp(context.log(interval("0.95")) / 10))
    return conclude(
        "proved",
        {
            f"at {scales}t the union bound is below β": surely_less(exceeded(scales), interval("0.05")),
            "at 8.9091t it is above β": surely_less(interval("0.05"), exceeded("8.9091")),
            "the largest of ten independent Laplace(2t) needs more than 10.55t": surely_less(interval("10.55"), plain),
        },
    )


ENTRIES = (
    Entry(
        "hull-marginal",
        "The exact tail of one bin of hull noise",
        OURS,
        "In units of 2t: P(v_j > y) = sum_i om_i·Q(i+1, 2y), om_0 = (k-1)/(2(2k-3)), om_(i+1) = om_i·(k-2-i)/(2k-4-i), "
        "sum om = 1/2; integrals for k = 2, 3, 4.",
        "sympy",
        marginal,
        constant="1/2",
    ),
    Entry(
        "hull-quantile",
        "What hull noise saves",
        OURS,
        "k = 10, beta = 0.05, no bias: the largest error stays below 8.9093t with probability 1 - beta; independent "
        "Laplace noise of scale 2t needs more than 10.55t.",
        "interval",
        quantile,
        constant="8.9093",
    ),
)
