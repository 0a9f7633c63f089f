"""Concentration under a random order: negative association, Hoeffding's lemma, and our constant K_n."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import comb, prod

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
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


def _elementary(values: tuple[Fraction, ...], m: int) -> Fraction:
    """e_m of the values by the usual recursion."""
    sums = [Fraction(1)] + [Fraction(0)] * m
    for value in values:
        for j in range(m, 0, -1):
            sums[j] += value * sums[j - 1]
    return sums[m]


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


def _harmonic(n: int) -> Fraction:
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


def permutation_constant(shift: int = 1) -> Evidence:
    """ours: E exp(λΣc_i x_σ(i)) ≤ exp(λ²‖c‖²K_n/8), K_n = 1 + H_{n−shift}/(n−shift), Σc = 0, x in [0,1]^n."""
    c, n, x, total, norm, h = symbols("c n x S N h", positive=True)
    mean = vanishes(c * x - c * (total - x) / (n - 1) - (c * n / (n - 1) * x - c * total / (n - 1)))
    # Σ_{i≥2}(c_i + c/(n−1))² with Σ_{i≥2}c_i = −c and Σ_{i≥2}c_i² = N − c².
    rest = (norm - c**2) + 2 * (c / (n - 1)) * (-c) + (n - 1) * (c / (n - 1)) ** 2
    recentred = vanishes(rest - (norm - c**2 * n / (n - 1)))
    # q = c²n/((n−1)N) ≥ 1/(n−1) for the largest |c|; the bound is linear in q and falls when K_{n−1} ≥ n/(n−1).
    q, k = reals("q K")
    size, tall = reals("m h")
    worst = proves(
        q * size + (1 - q) * k * (size - 1) <= size / (size - 1) + (size - 2) / (size - 1) * k * (size - 1),
        size >= 3,
        q * (size - 1) >= 1,
        q <= 1,
        k * (size - 1) >= size,
    )
    solved = all(
        Fraction(n_, (n_ - 1) ** 2) + Fraction(n_ - 2, n_ - 1) * _k(n_ - 1, shift) == _k(n_, shift)
        for n_ in range(3 + shift - 1, 60)
    )
    symbolic = vanishes(n / (n - 1) ** 2 + (n - 2) / (n - 1) * (1 + (h - 1 / (n - 1)) / (n - 2)) - (1 + h / (n - 1)))
    return conclude(
        "proved",
        {
            "after revealing x_σ(1) the mean moves by c·n/(n−1)": mean,
            "the rest is centred again with ‖c'‖² = ‖c‖² − c²n/(n−1)": recentred,
            "revealing the largest |c| first, q = 1/(n−1) is the worst": worst,
            "K_n solves the recursion (symbolic, and n < 60 in rationals)": solved and symbolic,
            "K_2 = 2 starts it: c(x_1 − x_2) has width 2|c| = √2‖c‖": _k(2, shift) == 2,
            "K_{n−1} ≥ n/(n−1), as H_{n−2} ≥ 1": proves(
                (1 + tall / (size - 2)) * (size - 1) >= size, size >= 3, tall >= 1
            ),
            "200 random cases over all orders, n ≤ 5": _exponential_moments(shift),
        },
    )


def _exponential_moments(shift: int) -> bool:
    """E exp(Σc_i x_σ(i)) ≤ exp(‖c‖²K_n/8) by brute force: λ is absorbed in c."""
    import numpy as np

    rng = np.random.default_rng(8)
    good = True
    for _ in range(200):
        n = int(rng.integers(2, 6))
        c = rng.standard_normal(n) * rng.choice((0.3, 1.0, 3.0))
        c -= c.mean()
        x = rng.integers(0, 2, n) if rng.random() < 0.7 else rng.random(n)
        c_x = np.array([[c @ np.array(order)] for order in permutations(x)])
        good &= bool(np.mean(np.exp(c_x)) <= np.exp(c @ c * float(_k(n, shift)) / 8) * (1 + 1e-12))
    return good


def _k(n: int, shift: int) -> Fraction:
    return 1 + _harmonic(n - shift) / (n - shift)


def constant_floor() -> Evidence:
    """No constant below n/(n−1) is possible for even n: the variance alone needs K/4 ≥ n/(4(n−1))."""
    gap = all(
        Fraction(n, 4 * (n - 1)) * 4 == Fraction(n, n - 1) and _k(n, 1) >= Fraction(n, n - 1) for n in range(2, 60, 2)
    )
    return conclude("proved for stated sizes", {"variance at half ones is ‖c‖²·n/(4(n−1)), even n < 60": gap})


ENTRIES = (
    Entry(
        "perm-hoeffding-lemma",
        "Hoeffding's lemma",
        "eq:HL",
        "log E exp(lam(X - EX)) <= lam^2·w^2/8 for X in an interval of width w.",
        "sympy",
        hoeffding_lemma,
        constant="1/8",
    ),
    Entry(
        "perm-negative-association",
        "The product bound for a random order",
        "eq:NA",
        "E prod exp(lam·w_i·z_s(i)) <= prod E exp(lam·w_i·z_s(i)) for w >= 0 and 0/1 data; data in [0,1] follow by "
        "convexity.",
        "smt",
        negative_association,
        constant="1",
    ),
    Entry(
        "perm-hoeffding",
        "Concentration of the weighted sum",
        "eq:hoef",
        "P(|sum (w_i - 1/n) z_s(i)| > alpha/2) <= 2·exp(-alpha^2/(2|w|_2^2)).",
        "sympy",
        hoeffding_tail,
        constant="2, 1/2",
    ),
    Entry(
        "perm-constant",
        "Concentration about the uniform weights",
        OURS,
        "E exp(lam·sum c_i x_s(i)) <= exp(lam^2·|c|^2·K_n/8) with K_n = 1 + H_(n-1)/(n-1), sum c = 0, x in [0,1]^n: "
        "|w - 1/n|_2^2·K_n replaces |w|_2^2.",
        "smt",
        permutation_constant,
        constant="K_n = 1 + H_(n−1)/(n−1)",
    ),
    Entry(
        "perm-constant-floor",
        "No constant below n/(n-1)",
        OURS,
        "Any such constant is at least n/(n-1) for even n, so K_n is within a factor 1 + O(log n/n) of the best.",
        "enumeration",
        constant_floor,
        constant="n/(n−1)",
    ),
)
