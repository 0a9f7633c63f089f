"""Concentration under a random order, as in the paper: Hoeffding's lemma and negative association."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import comb, prod

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def hoeffding_lemma(divisor: int = 8) -> Evidence:
    """eq:HL: log E e^{λ(X−p)} ≤ λ²/8 for X in [0,1]: the second derivative is r(1−r) ≤ ¼."""
    import sympy as sp

    p, lam = symbols("p lam", positive=True)
    cumulant = sp.log(1 - p + p * sp.exp(lam)) - lam * p
    r = p * sp.exp(lam) / (1 - p + p * sp.exp(lam))
    start = vanishes(cumulant.subs(lam, 0)) and vanishes(sp.diff(cumulant, lam).subs(lam, 0))
    second = vanishes(sp.diff(cumulant, lam, 2) - r * (1 - r))
    rate = reals("r")[0]
    quarter = proves(rate * (1 - rate) * divisor <= 2, rate >= 0, rate <= 1)
    return conclude(
        "proved",
        {
            "value and slope vanish at 0": start,
            "second derivative is r(1−r)": second,
            "r(1−r) ≤ 2/8": quarter,
            "e^{λx} lies below its chord on [0,1], so two-point laws are the worst": _chord(),
        },
    )


def _chord() -> bool:
    """(e^{λx})'' = λ²e^{λx} ≥ 0: convex, hence below the chord."""
    import sympy as sp

    x, lam = symbols("x lam", real=True)
    return vanishes(sp.diff(sp.exp(lam * x), x, 2) - lam**2 * sp.exp(lam * x))


def negative_association(direction: int = 1) -> Evidence:
    """eq:NA: E Π a_i^{z_σ(i)} ≤ Π(1 − p + p·a_i), p = m/n, for 0/1 data with m ones and a_i = e^{λw_i} ≥ 1.

    With a_i = 1 + d_i the left side is Σ_j e_j(d)·(m)_j/(n)_j and the right side Σ_j e_j(d)·(m/n)^j.
    """
    i, m, n = reals("i m n")
    factor = proves(direction * (m - i) * n <= direction * m * (n - i), i >= 0, i < n, m >= i, m <= n, n >= 1)
    expansion = all(
        _elementary(tuple(1 + d for d in shifts), ones)
        == sum((_elementary(shifts, j) * comb(len(shifts) - j, ones - j) for j in range(ones + 1)), Fraction(0))
        for shifts in _shift_vectors()
        for ones in range(len(shifts) + 1)
    )
    ratio = all(
        Fraction(comb(n_ - j, m_ - j), comb(n_, m_))
        == prod((Fraction(m_ - q, n_ - q) for q in range(j)), start=Fraction(1))
        for n_ in range(1, 12)
        for m_ in range(n_ + 1)
        for j in range(m_ + 1)
    )
    brute = all(
        _permuted_product(d, z) <= _independent_product(d, z)
        for d in _shift_vectors()[:3]
        for z in product((0, 1), repeat=len(d))
    )
    return conclude(
        "proved",
        {
            "each factor (m−i)/(n−i) ≤ m/n, so coefficients compare term by term": factor,
            "e_m(1+d) = Σ_j C(n−j, m−j)e_j(d): a set of j lies in C(n−j, m−j) sets of m": expansion,
            "C(n−j, m−j)/C(n, m) = (m)_j/(n)_j": ratio,
            "all orders of small data in rationals": brute,
        },
    )


def _elementary(values: tuple[Fraction, ...], m: int) -> Fraction:
    """e_m of the values by the usual recursion."""
    sums = [Fraction(1)] + [Fraction(0)] * m
    for value in values:
        for j in range(m, 0, -1):
            sums[j] += value * sums[j - 1]
    return sums[m]


def _shift_vectors() -> list[tuple[Fraction, ...]]:
    return [
        (Fraction(1), Fraction(1, 2), Fraction(3)),
        (Fraction(0), Fraction(2), Fraction(1, 3), Fraction(5)),
        (Fraction(1), Fraction(1), Fraction(4), Fraction(1, 7)),
        tuple(Fraction(j * j + 1, j + 2) for j in range(6)),
    ]


def _permuted_product(d: tuple[Fraction, ...], z: tuple[int, ...]) -> Fraction:
    orders = list(permutations(z))
    return sum(
        (prod((1 + a * b for a, b in zip(d, y, strict=True)), start=Fraction(1)) for y in orders), Fraction(0)
    ) / len(orders)


def _independent_product(d: tuple[Fraction, ...], z: tuple[int, ...]) -> Fraction:
    p = Fraction(sum(z), len(z))
    return prod((1 - p + p * (1 + a) for a in d), start=Fraction(1))


def hoeffding_tail(exponent: int = 2) -> Evidence:
    """eq:hoef: P(|Σ(w_i−u)z_σ(i)| > α/2) ≤ 2exp(−α²/(2‖w‖²)), from λ = 4t/‖w‖² in exp(λ²‖w‖²/8 − λt), t = α/2."""
    import sympy as sp

    lam, t, norm, alpha = symbols("lam t norm alpha", positive=True)
    exponent_at = lam**2 * norm**2 / 8 - lam * t
    best = 4 * t / norm**2
    stationary = vanishes(sp.diff(exponent_at, lam).subs(lam, best))
    value = vanishes(exponent_at.subs(lam, best) + exponent * t**2 / norm**2)
    half = vanishes((-exponent * t**2 / norm**2).subs(t, alpha / 2) + alpha**2 / (2 * norm**2))
    w, mean, z, n = symbols("w mu z n")
    centred = vanishes((w - 1 / n) * (z - mean) - (w * (z - mean) - (z - mean) / n))
    return conclude(
        "proved",
        {
            "λ = 4t/‖w‖² is stationary": stationary,
            "the exponent there is −2t²/‖w‖²": value,
            "t = α/2 gives −α²/(2‖w‖²)": half,
            "Σ(z−μ) = 0 removes the uniform part": centred,
        },
    )


ENTRIES = (
    Entry(
        "perm-hoeffding-lemma",
        "Hoeffding's lemma",
        ("eq:HL",),
        "log E exp(lam(X - EX)) <= lam^2·w^2/8 for X in an interval of width w.",
        "sympy",
        hoeffding_lemma,
        constant="1/8",
    ),
    Entry(
        "perm-negative-association",
        "The product bound for a random order",
        ("eq:NA",),
        "E prod exp(lam·w_i·z_s(i)) <= prod E exp(lam·w_i·z_s(i)) for w >= 0 and 0/1 data; data in [0,1] follow by "
        "convexity.",
        "smt",
        negative_association,
        constant="1",
    ),
    Entry(
        "perm-hoeffding",
        "Concentration of the weighted sum",
        ("eq:hoef",),
        "P(|sum (w_i - 1/n) z_s(i)| > alpha/2) <= 2·exp(-alpha^2/(2|w|_2^2)).",
        "sympy",
        hoeffding_tail,
        constant="2, 1/2",
    ),
)
