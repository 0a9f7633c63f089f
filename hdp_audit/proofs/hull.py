"""Hull noise (ours): density ∝ exp(−‖v‖₁/2t) on the plane Σv = 0, released around c. Lengths in units of 2t."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import factorial
from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, real_list, reals


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


def _tail(k: int, y: Any, halves: int = 2) -> Any:
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
        tail = _tail(k, v, halves)
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


def vertices(total: int = 1) -> Evidence:
    """cD·1 − m with m ≥ 0, Σm = total·D is a mixture of the k vectors cD·1 − D·e_j; ‖·‖₁ is convex, so Prékopa applies.

    Stress: k = 3, the probability of ‖A + v‖∞ ≤ α by a lattice sum, at a vertex and at mixtures of vertices.
    """
    import z3

    c, deficit = reals("c D")
    steps = {}
    for k in range(2, 7):
        share_ = real_list("l", k)
        mass = [deficit * part for part in share_]
        mixed = [sum(share_[i] * (c * deficit - (deficit if i == j else 0)) for i in range(k)) for j in range(k)]
        given = [z3.Sum(share_) == total, deficit >= 0, *[part >= 0 for part in share_]]
        same = z3.And(*[mixed[j] == c * deficit - mass[j] for j in range(k)])
        steps[f"k={k}: every bias is a mixture of vertices"] = proves(same, *given)
    x, y, s = reals("x y s")
    steps["|·| is convex, so exp(−‖v‖₁) is log-concave on the plane (Prékopa then gives P in A)"] = proves(
        absolute(s * x + (1 - s) * y) <= s * absolute(x) + (1 - s) * absolute(y), s >= 0, s <= 1
    )
    steps["k=3: no mixture is less likely inside than a vertex (lattice sums, 5 centres, 4 radii)"] = _lattice_stress()
    return conclude("tested", steps)


def _lattice_stress() -> bool:
    import numpy as np

    axis = np.linspace(-12, 12, 241)
    first, second = np.meshgrid(axis, axis, indexing="ij")
    third = -first - second
    law = np.exp(-(np.abs(first) + np.abs(second) + np.abs(third)))
    law /= law.sum()
    # Biases on the lattice and radii halfway between its points: no output lies on an edge.
    shares = np.array([(i, j, 20 - i - j) for i in range(0, 21, 5) for j in range(0, 21 - i, 5)]) / 20

    def inside(part: Any, c: float, alpha: float) -> float:
        bias = 2.0 * (c - part)
        hit = [np.abs(v + a) <= alpha for v, a in zip((first, second, third), bias, strict=True)]
        return float(law[hit[0] & hit[1] & hit[2]].sum())

    return all(
        inside(np.array([1.0, 0, 0]), c, alpha) <= inside(part, c, alpha) + 1e-4
        for c in (0.0, 0.2, 0.3, 0.4, 0.5)
        for alpha in (1.05, 2.05, 3.05, 4.55)
        for part in shares
    )


def union(first: int = 1) -> Evidence:
    """At a vertex one bin is short of (1−c)D and k − first bins have cD too much: the tails of all k bins add up.

    Checked against the exact joint law of the integer form, ‖v‖₁ ≤ 8, in rationals (q = 1/2, first = 1).
    """
    import sympy as sp

    holds = all(
        _missed(k, low, high, alpha) <= _union(k, low, high, alpha, first)
        for k in (3, 4)
        for low, high in ((0, 0), (2, 1), (1, 1), (3, 0))
        for alpha in range(1, 5)
    )
    alpha, start, shift = symbols("alpha r s", positive=True)
    y = symbols("y", positive=True)
    parts = {}
    for k in (2, 3, 4):
        tail = _tail(k, y)
        once = sp.integrate(sp.expand(tail), (y, y, sp.oo))
        twice = sp.integrate(sp.expand(once), (y, y, sp.oo))
        above = 2 * (alpha + shift) * tail.subs(y, alpha)
        whole = sp.integrate(sp.expand(above), (alpha, start, sp.oo))
        claimed = (2 * (start + shift) * once + 2 * twice).subs(y, start)
        parts[f"k={k}: ∫ 2αT(α−s) from α₀ is 2α₀T₁(α₀−s) + 2T₂(α₀−s)"] = vanishes(whole - claimed)
    probability, level = reals("p u")
    capped = proves(probability <= level, probability <= 1, level >= 1)
    return conclude(
        "proved for stated sizes",
        {
            "k = 3, 4: the union bound holds for the exact joint law": holds,
            **parts,
            "below α₀ the probability is at most 1": capped,
        },
    )


def _law(k: int, radius: int) -> dict[tuple[int, ...], Fraction]:
    """Integer vectors of sum 0 with ‖v‖₁/2 = r ≤ radius, each with weight 2^{−r}."""
    found = {}
    for head in product(range(-radius, radius + 1), repeat=k - 1):
        vector = (*head, -sum(head))
        size = sum(abs(x) for x in vector) // 2
        if size <= radius:
            found[vector] = Fraction(1, 2**size)
    total = sum(found.values(), Fraction(0))
    return {vector: weight / total for vector, weight in found.items()}


def _missed(k: int, low: int, high: int, alpha: int) -> Fraction:
    bias = (-low, *[high] * (k - 1))
    law = _law(k, 4)
    return sum(
        (p for v, p in law.items() if max(abs(a + x) for a, x in zip(bias, v, strict=True)) > alpha), Fraction(0)
    )


def _union(k: int, low: int, high: int, alpha: int, first: int) -> Fraction:
    def tail(y: int) -> Fraction:
        return sum((p for v, p in _law(k, 4).items() if v[0] > y), Fraction(0))

    def both(bias: int) -> Fraction:
        return tail(alpha - bias) + tail(alpha + bias)

    return both(low) + (k - first) * both(high)


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
    Entry(
        "hull-vertex",
        "The worst data of hull noise around c",
        OURS,
        "The bias cD·1 - m, m >= 0, sum m = D, is worst at m = D·e_j: -(1-c)D in one bin, cD in k-1 bins, for every "
        "radius (log-concave) and for the mean square (convex).",
        "textbook+stress",
        vertices,
        constant="1",
    ),
    Entry(
        "hull-union",
        "The bound on hull noise around c",
        OURS,
        "P(error > alpha) <= T(alpha-(1-c)D) + T(alpha+(1-c)D) + (k-1)(T(alpha-cD) + T(alpha+cD)); its mean square is "
        "at most a0^2 + sum (2·a0·T1 + 2·T2) for every a0 > 0.",
        "sympy",
        union,
        constant="k−1",
    ),
)
