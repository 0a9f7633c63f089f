"""The paper's special case: half of the users public, half silent."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import Entry, Evidence, conclude


def special_case(denominator: int = 8) -> Evidence:
    """Half public, half ε → 0, k = 2: 1/(8n) ≤ rate ≤ 1/(4(n−1)); eq:ru-lb and eq:ru-ub."""
    import sympy as sp

    n = symbols("n", positive=True)
    variance = vanishes((n / 2) / 4 / n**2 - 1 / (denominator * n))
    brute = all(_half_variance(size) == Fraction(1, denominator * size) for size in (2, 4, 6, 8))
    upper = all(_public_error(size) <= Fraction(1, 4 * (size - 1)) for size in (2, 4, 6, 8))
    beta = symbols("beta", positive=True)
    tail = vanishes(2 * sp.exp(-2 * (sp.log(2 / beta) / n) / (2 / n)) - beta)
    weight = vanishes((2 / n - 1 / n) ** 2 * n / 2 + (1 / n) ** 2 * n / 2 - 1 / n)
    return conclude(
        "proved",
        {
            "variance of half the users' mean about ¼, over n": variance,
            "n = 2, 4, 6, 8 by enumeration": brute,
            "‖w−u‖² = 1/n for weights 2/n on the public half; times S² ≤ n/(4(n−1)) (bias-spread)": weight,
            "P(squared error > log(2/β)/n) ≤ β, from eq:hoef with ‖w‖² = 2/n": tail,
            "the public mean's error at n = 2, 4, 6, 8, exactly": upper,
        },
    )


def _half_variance(n: int) -> Fraction:
    half = n // 2
    return sum(
        (Fraction(comb(half, j), 2**half) * (Fraction(j, n) - Fraction(1, 4)) ** 2 for j in range(half + 1)),
        Fraction(0),
    )


def _public_error(n: int) -> Fraction:
    """The worst E(mean of a random half − mean of all)² over 0/1 data."""
    half, worst = n // 2, Fraction(0)
    for ones in range(n + 1):
        total = Fraction(0)
        for seen in range(max(0, ones - half), min(half, ones) + 1):
            total += (
                Fraction(comb(ones, seen) * comb(n - ones, half - seen), comb(n, half))
                * (Fraction(seen, half) - Fraction(ones, n)) ** 2
            )
        worst = max(worst, total)
    return worst


ENTRIES = (
    Entry(
        "stat-special",
        "Half public, half silent",
        ("eq:ru-lb", "eq:ru-ub"),
        "1/(8n) <= rate <= 1/(4(n-1)) for k = 2, half of the users with eps -> 0 and half with eps -> inf.",
        "sympy",
        special_case,
        constant="1/8, 1/4",
    ),
)
