"""Errors of tables in ℓ1 and ℓ2, from below: pairs of categories, wrong guesses, absolute errors; and E_stat (ours)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, real_list, reals, smaller

_GROWTH = (Fraction(3, 2), Fraction(2), Fraction(5))  # e^S


def pair(factor: int = 2) -> Evidence:
    """Answers (u, v) of (1 − θ, θ): z = (1 − u + v)/2 has 2|z − θ| ≤ ‖e‖₁ and 2(z − θ)² ≤ ‖e‖₂²."""
    u, v, theta = reals("u v t")
    first, second, off = u - (1 - theta), v - theta, (1 - u + v) / 2 - theta
    return conclude(
        "proved",
        {
            "the sum": proves(factor * absolute(off) <= absolute(first) + absolute(second)),
            "the squares": proves(factor * off * off <= first * first + second * second),
        },
    )


def wrong(reach: int = 1) -> Evidence:
    """z nearer to another mean than θ, Δ away, errs by Δ/2 or more: 2|z − θ| ≥ Δ and 2(z − θ)² ≥ Δ²/2."""
    z, theta, other = reals("z t o")
    gap, given = absolute(other - theta), [absolute(z - other) <= absolute(z - theta)]
    return conclude(
        "proved",
        {
            "the sum": proves(2 * absolute(z - theta) >= reach * gap, *given),
            "the squares": proves(4 * (z - theta) * (z - theta) >= reach * gap * gap, *given),
        },
    )


def _lots(count: int, growth: Fraction) -> tuple[dict[tuple[int, ...], Any], list[Any]]:
    """Densities at one output for all lots, within e^S where one lot differs."""
    import z3

    law = {lots: z3.Real("f" + "".join(map(str, lots))) for lots in product((0, 1), repeat=count)}
    given: list[Any] = [value >= 0 for value in law.values()]
    for lots, at in product(law, range(count)):
        other = (*lots[:at], 1 - lots[at], *lots[at + 1 :])
        given.append(law[lots] <= z3.Q(growth.numerator, growth.denominator) * law[other])
    return law, given


def guesses(spare: int = 1) -> Evidence:
    """P(at most j of c guesses are wrong) ≤ P(Bin(c, 1/(1 + e^S)) ≤ j), given the output: guess 0 for all, say."""
    import z3

    steps = {}
    for count, growth in product((1, 2, 3), _GROWTH):
        law, given = _lots(count, growth)
        q = 1 / (spare + growth)
        for j in range(count):
            few = z3.Sum([value for lots, value in law.items() if sum(lots) <= j])
            chance = sum(comb(count, i) * q**i * (1 - q) ** (count - i) for i in range(j + 1))
            claim = few <= z3.Q(chance.numerator, chance.denominator) * z3.Sum(list(law.values()))
            steps[f"c={count}, e^S={growth}, j={j}"] = proves(claim, *given)
    return conclude("proved for stated sizes", steps)


def pairs(share: int = 1) -> Evidence:
    """Given the other lots each pair errs as it would alone: summed over all lots, the pairs' errors add up."""
    import z3

    steps = {}
    for count, growth in product((2, 3), _GROWTH):
        law, given = _lots(count, growth)
        least = Fraction(share) / (1 + growth)
        whole = z3.Q(least.numerator, least.denominator) * z3.Sum(list(law.values()))
        # |z − θ| is linear in z between the two means, so its ends are enough.
        for at, end in product(range(count), (0, 1)):
            off = z3.Sum([value for lots, value in law.items() if lots[at] != end])
            steps[f"{count} pairs, e^S={growth}, pair {at}, answer {end}"] = proves(off >= whole, *given)
    return conclude("proved for stated sizes", steps)


def nodes(ends: int = 0) -> Evidence:
    """Σc_j|y − θ_j| ≥ ν at all nodes, c ≥ 0, means so for every y; `ends`: how many outer nodes are not looked at."""
    import z3

    steps = {}
    for places in ((0, 1), (0, 1, 3), (0, 1, 3, 4), (0, 2, 3, 7, 8)):
        weights, y, least = real_list("c", len(places)), z3.Real("y"), z3.Real("n")
        looked = places[: len(places) - ends]
        at = [z3.Sum([c * abs(place - other) for c, other in zip(weights, places, strict=True)]) for place in looked]
        given = [c >= 0 for c in weights] + [value >= least for value in at]
        everywhere = z3.Sum([c * absolute(y - other) for c, other in zip(weights, places, strict=True)])
        steps[f"nodes {places}"] = proves(everywhere >= least, *given)
    return conclude("proved for stated sizes", steps)


def by_lot(square: int = 2) -> Evidence:
    """x = e^{−S}: 4x/(1+x)² and x/(1+x) lie above the lines and squares that tangents at y give; two datasets."""
    import sympy as sp

    x, y = symbols("x y", positive=True)
    bent = 4 * x / (1 + x) ** 2 - (4 / (1 + y) ** 2 + 8 * y / (1 + y) ** 3) * x + 8 / (1 + y) ** 3 * x**2
    rest = 4 * x * (x - y) ** square * (2 * x + y + 3) / ((1 + x) ** 2 * (1 + y) ** 3)
    flat = x / (1 + x) - (1 / (1 + y) + y / (1 + y) ** 2) * x + x**2 / (1 + y) ** 2
    left = x * (x - y) ** square / ((1 + x) * (1 + y) ** 2)
    p, q, growth, z, gap = reals("p q E z d")
    near = [p >= 0, q >= 0, growth >= 1, p <= growth * q, q <= growth * p]
    return conclude(
        "proved",
        {
            "4x/(1+x)² above its tangent: the gap is a square times positive terms": vanishes(sp.factor(bent - rest)),
            "x/(1+x) likewise": vanishes(sp.factor(flat - left)),
            "two datasets: |z|p + |d − z|q ≥ d·min(p, q)": proves(
                absolute(z) * p + absolute(gap - z) * q >= gap * smaller(p, q), p >= 0, q >= 0, gap >= 0
            ),
            "min(p, q) ≥ (p + q)/(1 + E)": proves((1 + growth) * smaller(p, q) >= p + q, *near),
        },
    )


def prior(own: int = 2) -> Evidence:
    """Beta(a, a), N of n: the variance of p is that given all data, plus (n/(n+2a))² times what is left of N/n."""
    import sympy as sp

    a, n = symbols("a n", positive=True)
    half = sp.Rational(1, 4) * own * a / (own * a + 1)  # E p(1 − p)
    whole = sp.Rational(1, 4) / (2 * a + 1)  # Var p
    known = half / (n + 2 * a)
    count = n * half * (1 + n / (2 * a))  # Var N
    root = symbols("r", positive=True)
    classic = known.subs(a, root / 2).subs(n, root**2)
    return conclude(
        "proved",
        {
            "Var p = E Var(p | data) + Var N/(n + 2a)²": vanishes(whole - known - count / (n + 2 * a) ** 2),
            "given N the mean is (a + N)/(n + 2a): slope n/(n + 2a) in N/n": vanishes(
                (a + n) / (n + 2 * a) - a / (n + 2 * a) - n / (n + 2 * a)
            ),
            "2a = √n, all public: 1/(4(1 + √n)²)": vanishes(classic - 1 / (4 * (1 + root) ** 2)),
        },
    )


def drawn(noise: int = 2) -> Evidence:
    """s²Vp(1−p) + (1−s)²(½−p)² + 2s²t² ≤ max((1−s)², s²V)/4 + 2s²t² for 0 ≤ p ≤ 1."""
    import z3

    s, v, p, t, u = reals("s v p t u")
    error = s * s * v * (z3.Q(1, 4) - u) + (1 - s) * (1 - s) * u + 2 * s * s * t * t
    tops = [(1 - s) * (1 - s) / 4 + noise * s * s * t * t, s * s * v / 4 + noise * s * s * t * t]
    return conclude(
        "proved",
        {
            "p(1 − p) = ¼ − (½ − p)²": proves(p * (1 - p) == z3.Q(1, 4) - (z3.Q(1, 2) - p) * (z3.Q(1, 2) - p)),
            "linear in u = (½ − p)²": proves(z3.Or([error <= top for top in tops]), u >= 0, 4 * u <= 1, v >= 0),
        },
    )


ENTRIES = (
    Entry("norm-pair", "Two categories hold a mean", OURS,
          "Answers (u, v) of (1 - theta, theta): z = (1-u+v)/2 has 2|z-theta| <= |e|_1 and 2(z-theta)^2 <= |e|_2^2.",
          "smt", pair),
    Entry("norm-wrong", "What a wrong guess costs", OURS,
          "z nearer to a mean that is d from theta: 2|z-theta| >= d and 2(z-theta)^2 >= d^2/2.", "smt", wrong),
    Entry("norm-guesses", "Wrong guesses are at least binomial", OURS,
          "Given the output, at most j of c lots are guessed wrong with probability <= P(Bin(c, 1/(1+e^S)) <= j).",
          "smt", guesses),
    Entry("norm-pairs", "Errors of pairs add up", OURS,
          "With a lot of its own for each pair, each errs on average over all lots by d/(1+e^S) or more.",
          "smt", pairs),
    Entry("norm-nodes", "Absolute errors are least at a node", OURS,
          "sum c_j·|y - theta_j| >= nu at every node, with c >= 0, means so for every y.", "smt", nodes),
    Entry("norm-by-lot", "Pairs of permuted data", OURS,
          "With x = e^-S: 4x/(1+x)^2 and x/(1+x) are at least A·x - B·x^2 for the tangents at any y; two datasets d "
          "apart err by d/(1+e^S) on average.", "sympy", by_lot),
    Entry("stat-prior", "E_stat by a Beta prior", OURS,
          "E_stat >= ¼·2a/(2a+1)/(n+2a) + (n/(n+2a))^2·risk of the sample's mean; 1/(4(1+sqrt n)^2) without privacy.",
          "sympy", prior),
    Entry("stat-shrunk", "E_stat by shrunk weights", OURS,
          "Weights s·w around 1/2 on drawn data: mean square at most max((1-s)^2, s^2·|w|_2^2)/4 + 2s^2·t^2.",
          "smt", drawn),
)  # fmt: skip
