"""What nobody who keeps ρ_i can beat: groups, packings and two points under concentrated privacy."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def group(cross: int = 2) -> Evidence:
    """Hölder with exponents p and q, D_β ≤ βρ, and the best p give α(√ρ₁ + √ρ₂)² for two users, so (Σ√ρ)² for many."""
    import sympy as sp

    a, p, x, r, s = symbols("a p x r s", positive=True)
    q = p / (p - 1)
    first = vanishes((a - (a - 1 / p)) * p - 1)  # P^{pα}R^{1−pα}: the exponents sum to 1
    second = vanishes(sp.cancel(q * (a - 1 / p) + q * (1 - a) - 1))
    cost = (a * x + a - 1) * (a * r**2 / (a - 1) + s**2 / x)
    substituted = ((a - 1 / p) / (a - 1) * p * a * r**2 + q * (a - 1 / p) * s**2).subs(p, 1 + x)
    same = vanishes(sp.cancel(cost - substituted))
    best = vanishes(sp.cancel(cost.subs(x, s * (a - 1) / (a * r)) - a * (r**2 + cross * r * s + s**2)))
    return conclude(
        "proved",
        {
            "both factors of Hölder are divergences: exponents sum to 1": first and second,
            "their costs with D_β ≤ βρ": same,
            "at x = (α−1)√ρ₂/(α√ρ₁) they are α(√ρ₁ + √ρ₂)²": best,
        },
    )


def packing(sign: int = 1) -> Evidence:
    """kl(p‖q) rises with p and falls with q where q < p, so kl(1−β‖β/K) is its least value for p ≥ 1−β, q ≤ β/K."""
    import sympy as sp

    p, q = symbols("p q", positive=True)
    kl = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q))
    in_q = vanishes(sp.simplify(sp.diff(kl, q) - sign * (q - p) / (q * (1 - q))))
    slope = sp.diff(kl, p) - (sp.log(p / q) - sp.log((1 - p) / (1 - q)))
    in_p = vanishes(sp.simplify(slope))
    u, v = reals("u v")
    rising = proves(u * (1 - v) > (1 - u) * v, u > v, v > 0, u < 1)
    return conclude(
        "proved",
        {
            "the derivative in q is (q − p)/(q(1 − q)), negative below p": in_q,
            "the derivative in p is log of p(1−q)/((1−p)q), which is above 1": in_p and rising,
        },
    )


def two_points(half: str = "1/2") -> Evidence:
    """pq/(p+q) ≥ min(p, q)/2 at every point; ∫min ≥ ½(∫√pq)² by Cauchy as ∫max ≤ 2, and (∫√pq)² ≥ e^{−KL} by Jensen."""
    import z3

    p, q = reals("p q")
    least = z3.If(p <= q, p, q)
    share = z3.Q(Fraction(half).numerator, Fraction(half).denominator)
    pointwise = proves(p * q >= share * least * (p + q), p > 0, q > 0)
    most = z3.If(p <= q, q, p)
    product = proves(z3.And(least * most == p * q, most <= p + q), p > 0, q > 0)
    weight = Fraction(1, 2) * Fraction(half) * Fraction(1, 2)
    return conclude(
        "proved",
        {
            "pq/(p+q) ≥ min/2": pointwise,
            "√pq = √min·√max and max ≤ p + q, which has mass 2": product,
            "½·½·½ = 1/8": weight == Fraction(1, 8),
        },
    )


def mean_group(pairs: int = 1) -> Evidence:
    """The mean of (Σ_T r)² over sets T of m users: Σr²·m/n + ((Σr)² − Σr²)·m(m−1)/(n(n−1))."""
    roots = [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(4)]
    holds = True
    for n in range(2, 6):
        own, whole = sum(r * r for r in roots[:n]), sum(roots[:n]) ** 2
        for m in range(n + 1):
            sets = list(combinations(roots[:n], m))
            found = Fraction(sum((sum(t, Fraction(0)) ** 2 for t in sets), Fraction(0)), len(sets))
            holds &= found == own * Fraction(m, n) + (whole - own) * Fraction(m * (m - pairs), n * (n - 1))
    return conclude("proved for stated sizes", {"all sets of m of n users, n = 2 .. 5, in rationals": holds})


ENTRIES = (
    Entry(
        "gaussian-group",
        "Groups under concentrated privacy",
        OURS,
        "Users who lose rho_i each lose at most (sum sqrt(rho_i))^2 together.",
        "sympy",
        group,
        constant="(Σ√ρ)²",
    ),
    Entry(
        "gaussian-packing",
        "Error quantile, lower bound under rho",
        OURS,
        "If the error is at most a with probability 1 - b on K + 1 datasets that lie more than 2a apart and differ in "
        "m users, then kl(1 - b || b/K) <= R_m, what these users lose together.",
        "sympy",
        packing,
        constant="kl(1−β‖β/K)",
    ),
    Entry(
        "gaussian-two-points",
        "Mean square, lower bound under rho",
        OURS,
        "Two datasets whose truths lie D apart and whose outputs have divergence at most R force a mean square of at "
        "least D^2·e^(-R)/8.",
        "smt",
        two_points,
        constant="1/8",
    ),
    Entry(
        "gaussian-mean-group",
        "A random group's loss",
        OURS,
        "The mean of (sum sqrt(rho))^2 over all sets of m of n users is sum(rho)·m/n + ((sum sqrt(rho))^2 - "
        "sum(rho))·m(m-1)/(n(n-1)), n <= 5.",
        "enumeration",
        mean_group,
    ),
)
