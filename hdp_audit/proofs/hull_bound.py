"""Hull noise around c (ours): the worst data, and the bound of all bins together. Lengths in units of 2t."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.hull import bin_tail
from hdp_audit.proofs.smt import absolute, proves, real_list, reals


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
        tail = bin_tail(k, y)
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


ENTRIES = (
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
