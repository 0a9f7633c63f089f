"""E_stat from below (ours): what public and private users can tell between two means."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def metric(terms: int = 2) -> Evidence:
    """√ of triangular discrimination is a metric: |p−q|/√(p+q) obeys the triangle inequality at each point.

    With u² = p+q, v² = p+r, w² = r+q: |p−q| = |v²−w²|, |p−r| = |u²−w²|, |r−q| = |v²−u²|, cleared of u·v·w.
    """
    u, v, w = reals("u v w")
    sides = [u > 0, v > 0, w > 0, u * u + v * v >= w * w, u * u + w * w >= v * v, v * v + w * w >= u * u]
    triangle = proves(
        absolute(v * v - w * w) * v * w
        <= absolute(u * u - w * w) * u * w + (terms - 1) * absolute(v * v - u * u) * u * v,
        *sides,
    )
    return conclude("proved", {"pointwise; the L2 norm over outputs keeps the triangle inequality": triangle})


def public_users(factor: int = 4) -> Evidence:
    """D_B = 1 − (1−4δ²)^{|B|}: 1 − D = ∫2pq/(p+q) ≥ (∫√(pq))², and one user has ∫√(pq) = √(1−4δ²)."""
    import sympy as sp

    d = symbols("d", positive=True)
    half = sp.Rational(1, 2)
    affinity = vanishes((2 * sp.sqrt((half - d) * (half + d))) ** 2 - (1 - factor * d**2))
    harmonic, total, root = reals("h t r")
    # Cauchy-Schwarz with weights √(pq/(p+q)) and √(p+q): (∫√pq)² ≤ ∫pq/(p+q)·∫(p+q), ∫(p+q) = 2.
    bound = proves(root * root <= 2 * harmonic, root >= 0, harmonic >= 0, total == 2, root * root <= harmonic * total)
    brute = all(_product_gap(n, Fraction(1, 5)) <= 1 - (1 - factor * Fraction(1, 25)) ** n for n in range(1, 8))
    return conclude(
        "proved",
        {
            "affinity of one user": affinity,
            "Cauchy-Schwarz gives 1 − D ≥ affinity²": bound,
            "n < 8 public users in rationals": brute,
        },
    )


def _product_gap(n: int, d: Fraction) -> Fraction:
    """½∫(p−q)²/(p+q) between Bern(½+d)^n and Bern(½−d)^n, exactly."""
    total = Fraction(0)
    for ones in range(n + 1):
        p = (Fraction(1, 2) + d) ** ones * (Fraction(1, 2) - d) ** (n - ones)
        q = (Fraction(1, 2) - d) ** ones * (Fraction(1, 2) + d) ** (n - ones)
        total += comb(n, ones) * (p - q) ** 2 / (p + q) / 2
    return total


def private_users(moment: str = "1/4") -> Evidence:
    """D_A ≤ E tanh²(X/2) ≤ ¼E X², X = Σ_{i in D}ε_i, each i in D with probability 2δ; E X² = 2δ(1−2δ)Σε² + 4δ²(Σε)²."""
    import sympy as sp
    import z3

    x = symbols("x", positive=True)
    slope = vanishes((sp.diff(x / 2 - sp.tanh(x / 2), x) - sp.tanh(x / 2) ** 2 / 2).rewrite(sp.exp))
    tangent, half = reals("t h")
    square = proves(tangent * tangent <= z3.RealVal(moment) * half * half * 4, tangent >= 0, tangent <= half)
    d, first, second = symbols("d e1 e2", positive=True)
    p = 2 * d
    exact = p**2 * (first + second) ** 2 + p * (1 - p) * first**2 + p * (1 - p) * second**2
    moments = vanishes(exact - (p * (1 - p) * (first**2 + second**2) + 4 * d**2 * (first + second) ** 2))
    law, other = symbols("p q", positive=True)
    bend = sp.hessian((law - other) ** 2 / (law + other), (law, other)) * (law + other) ** 3 / 8
    joint = sp.simplify(bend - sp.Matrix([[other**2, -law * other], [-law * other, law**2]])) == sp.zeros(2, 2)
    coupled = vanishes((sp.Rational(1, 2) + d) - (sp.Rational(1, 2) - d) - p)
    return conclude(
        "proved",
        {
            "the coupling of Bern(½+δ) and Bern(½−δ) differs with probability 2δ": coupled,
            "(p−q)²/(p+q) is jointly convex: its Hessian is 8/(p+q)³ times the square of (q, −p)": bool(joint),
            "tanh(x/2) ≤ x/2: equal at 0, the gap has slope tanh²/2 ≥ 0": slope,
            "tanh² ≤ X²/4": square,
            "the second moment of X (variances of independent terms add)": moments,
        },
    )


def statistical_bound(quarter: int = 4) -> Evidence:
    """E_stat ≥ δ²(1 − (√D_A + √D_B)²): two means 2δ apart, hybrid data in between, the metric adds the roots."""
    delta, total, root, a, b = reals("d D r a b")
    whole = proves(total <= (a + b) * (a + b), total == root * root, root >= 0, a >= 0, b >= 0, root <= a + b)
    risk = proves(
        delta * delta * (1 - total) >= delta * delta * (1 - (a + b) * (a + b)), total <= (a + b) * (a + b), delta >= 0
    )
    gap = symbols("d", positive=True)
    scale = vanishes((2 * gap) ** 2 / quarter - gap**2)
    return conclude(
        "proved",
        {
            "distance Δ = 2δ gives Δ²/4 = δ²": scale,
            "the triangle inequality bounds D": whole,
            "risk falls with D": risk,
        },
    )


ENTRIES = (
    Entry(
        "stat-metric",
        "Triangular discrimination",
        OURS,
        "The root of the triangular discrimination is a metric.",
        "smt",
        metric,
        constant="1",
    ),
    Entry(
        "stat-public",
        "What public users can tell",
        OURS,
        "Users without demands separate Bern(1/2 +- d) by at most D_B = 1 - (1 - 4d^2)^|B|.",
        "sympy",
        public_users,
        constant="4",
    ),
    Entry(
        "stat-private",
        "What private users can tell",
        OURS,
        "D_A <= E tanh^2(X/2) <= ¼·(2d(1-2d)·sum eps^2 + 4d^2·(sum eps)^2) over the users of A.",
        "sympy",
        private_users,
        constant="1/4",
    ),
    Entry(
        "stat-bound",
        "An explicit lower bound on E_stat",
        OURS,
        "E_stat >= d^2·(1 - (sqrt(D_A) + sqrt(D_B))^2) for every d and split of the users, when the bracket is "
        "positive.",
        "smt",
        statistical_bound,
        constant="1",
    ),
)
