"""Expectations over demands drawn without replacement: elementary symmetric polynomials, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import comb, prod

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals

VALUES = (
    (Fraction(1, 2), Fraction(3), Fraction(7, 5)),
    (Fraction(1), Fraction(1), Fraction(2), Fraction(9, 4)),
    (Fraction(1, 9), Fraction(2, 3), Fraction(1), Fraction(4), Fraction(11, 2)),
)


def _by_subsets(a: tuple[Fraction, ...], m: int) -> Fraction:
    return sum((prod(chosen, start=Fraction(1)) for chosen in combinations(a, m)), Fraction(0))


def _by_orders(a: tuple[Fraction, ...], m: int) -> Fraction:
    orders = list(permutations(a))
    return sum((prod(order[:m], start=Fraction(1)) for order in orders), Fraction(0)) / len(orders)


def symmetric_mean(divide: bool = True) -> Evidence:
    """E exp(±Σ_{i≤m}Z_i) = e_m(e^{±ε})/C(n,m): every set of m users is equally likely (a_i stands for e^{±ε_i})."""
    same = all(
        _by_orders(a, m) == _by_subsets(a, m) / (comb(len(a), m) if divide else 1)
        for a in VALUES
        for m in range(len(a) + 1)
    )
    return conclude("proved for stated sizes", {"all orders against all subsets, n = 3, 4, 5, in rationals": same})


def tilting(power: int = 1) -> Evidence:
    """e_m(a) = Π(1 + a_i z)·z^{−m}·P(S = m), S a sum of independent Bernoulli(a_i z/(1 + a_i z)), for every z > 0."""
    good = True
    for a in VALUES:
        for z in (Fraction(1, 3), Fraction(1), Fraction(5, 2)):
            total = prod((1 + v * z for v in a), start=Fraction(1))
            law = _sum_law([v * z / (1 + v * z) for v in a])
            good &= all(_by_subsets(a, m) == total * law[m] / z ** (power * m) for m in range(len(a) + 1))
    return conclude("proved for stated sizes", {"n = 3, 4, 5 and three tilts in rationals": good})


def _sum_law(probabilities: list[Fraction]) -> list[Fraction]:
    law = [Fraction(1)]
    for p in probabilities:
        law = [
            (law[j] * (1 - p) if j < len(law) else Fraction(0)) + (law[j - 1] * p if j > 0 else Fraction(0))
            for j in range(len(law) + 1)
        ]
    return law


def monotone(times: int = 1) -> Evidence:
    """E exp(Σ_{i≤m}Z_i) rises and E exp(−Σ) falls with m: one more demand Z ≥ 0 multiplies by e^{±Z}."""
    part, more = reals("p z")
    rises = proves(part * more >= times * part, part > 0, more >= 1)
    falls = proves(part * more <= part, part > 0, more > 0, more <= 1)
    return conclude("proved", {"a factor e^Z ≥ 1": rises, "a factor e^{−Z} ≤ 1": falls})


def maclaurin(exponent: int = 1) -> Evidence:
    """e_m(a)/C(n,m) ≤ (mean a)^m: averaging two entries keeps the mean and raises e_m = a_i·a_j·X + (a_i+a_j)·Y + W."""
    x, y, pair, single, rest = reals("x y X Y W")
    middle = (x + y) / 2
    before = x * y * pair + (x + y) * single + rest
    after = middle * middle * pair + 2 * middle * single + rest
    smoothing = proves(before <= after, x > 0, y > 0, pair >= 0, single >= 0, rest >= 0)
    strict = proves(before < after, x > 0, y > 0, x != y, pair > 0, single >= 0, rest >= 0)
    equal = all(
        _by_subsets((Fraction(3, 2),) * n, m) == comb(n, m) * Fraction(3, 2) ** (exponent * m)
        for n in range(2, 8)
        for m in range(n + 1)
    )
    brute = all(
        _by_subsets(a, m) / comb(len(a), m) <= (sum(a) / len(a)) ** m for a in VALUES for m in range(len(a) + 1)
    )
    return conclude(
        "proved",
        {
            "averaging two entries never lowers e_m": smoothing,
            "and raises it strictly when they differ (m ≥ 2), so the maximum at a given mean is the "
            "constant vector": strict,
            "where e_m = C(n,m)·mean^m": equal,
            "n = 3, 4, 5 in rationals": brute,
        },
    )


ENTRIES = (
    Entry(
        "pack-symmetric",
        "Sampling without replacement as symmetric polynomials",
        OURS,
        "E exp(+-(Z_1+...+Z_m)) = e_m(exp(+-eps))/C(n,m); n = 3, 4, 5.",
        "enumeration",
        symmetric_mean,
        constant="1/C(n,m)",
    ),
    Entry(
        "pack-tilting",
        "Tilting",
        OURS,
        "e_m(a) = prod(1 + a_i z)·z^-m·P(S = m) for independent Bernoulli(a_i z/(1 + a_i z)); n = 3, 4, 5.",
        "enumeration",
        tilting,
    ),
    Entry(
        "pack-monotone",
        "Monotone in the number of users",
        OURS,
        "The plus expectation rises and the minus expectation falls with m, so bisection finds the smallest m.",
        "smt",
        monotone,
    ),
    Entry(
        "pack-maclaurin",
        "Drawing without replacement is smaller",
        ("eq:pop2",),
        "E exp(Z_1+...+Z_m) <= (E exp Z)^m for demands drawn without replacement (Maclaurin).",
        "smt",
        maclaurin,
        constant="1",
    ),
)
