"""E_stat and thm:mse-lb: from worst-case data to independent data, and explicit bounds on the statistical rate."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import comb

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, positive_part, proves, reals


def average_below_worst() -> Evidence:
    """eq:mse-lb-3: the worst dataset is at least the average, and independent draws have the same law in any order."""
    p = Fraction(2, 7)
    invariant = True
    for n in (2, 3, 4):
        for z in product((0, 1), repeat=n):
            mass = p ** sum(z) * (1 - p) ** (n - sum(z))
            invariant &= all(p ** sum(y) * (1 - p) ** (n - sum(y)) == mass for y in permutations(z))
    x, y, s, top = reals("x y s top")
    average = proves(s * x + (1 - s) * y <= top, s >= 0, s <= 1, x <= top, y <= top)
    return conclude(
        "proved",
        {"an average is at most the largest value": average, "i.i.d. data: every order has one law": invariant},
    )


def quadratic_step(cap: str = "1/4") -> Evidence:
    """eq:mse-lb-4, -5, -7: E(μ(Z)−M)² ≥ (√f − s)² ≥ (√f − √(1/4n))₊² for s = √(Var/n) ≤ √(1/4n)."""
    import z3

    root, s, largest, cross = reals("g s S c")
    cauchy = proves(
        root * root + s * s + 2 * cross >= (root - s) * (root - s), root >= 0, s >= 0, absolute(cross) <= root * s
    )
    clipped = proves(
        (root - s) * (root - s) >= positive_part(root - largest) * positive_part(root - largest),
        root >= 0,
        s >= 0,
        s <= largest,
    )
    p = reals("p")[0]
    variance = proves(p * (1 - p) <= z3.RealVal(cap), p >= 0, p <= 1)
    rising = proves(
        z3.Implies(root <= s, positive_part(root - largest) <= positive_part(s - largest)),
        root >= 0,
        s >= 0,
        largest >= 0,
    )
    return conclude(
        "proved",
        {
            "Cauchy-Schwarz on the cross term, whatever its sign": cauchy,
            "the quadratic is least at s = min(√f, √(1/4n))": clipped,
            "Var(P) ≤ ¼ on {0, 1}": variance,
            "(√f − √(1/4n))₊ rises with f, so sup and inf pass inside": rising,
        },
    )


def one_coordinate() -> Evidence:
    """eq:mse-lb-1: the largest coordinate error is at least the first one; two categories carry 0/1 data."""
    import z3

    first, other = reals("x y")
    largest = z3.If(absolute(first) >= absolute(other), absolute(first), absolute(other))
    return conclude("proved", {"|x|² ≤ max(|x|, |y|)²": proves(first * first <= largest * largest)})


def metric() -> Evidence:
    """√ of triangular discrimination is a metric: |p−q|/√(p+q) obeys the triangle inequality at each point.

    With u² = p+q, v² = p+r, w² = r+q: |p−q| = |v²−w²|, |p−r| = |u²−w²|, |r−q| = |v²−u²|, cleared of u·v·w.
    """
    u, v, w = reals("u v w")
    sides = [u > 0, v > 0, w > 0, u * u + v * v >= w * w, u * u + w * w >= v * v, v * v + w * w >= u * u]
    triangle = proves(
        absolute(v * v - w * w) * v * w <= absolute(u * u - w * w) * u * w + absolute(v * v - u * u) * u * v, *sides
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


def statistical_bound() -> Evidence:
    """E_stat ≥ δ²(1 − (√D_A + √D_B)²): two means 2δ apart, hybrid data in between, the metric adds the roots."""
    delta, total, root, a, b = reals("d D r a b")
    whole = proves(total <= (a + b) * (a + b), total == root * root, root >= 0, a >= 0, b >= 0, root <= a + b)
    risk = proves(
        delta * delta * (1 - total) >= delta * delta * (1 - (a + b) * (a + b)), total <= (a + b) * (a + b), delta >= 0
    )
    gap = symbols("d", positive=True)
    scale = vanishes((2 * gap) ** 2 / 4 - gap**2)
    return conclude(
        "proved",
        {
            "distance Δ = 2δ gives Δ²/4 = δ²": scale,
            "the triangle inequality bounds D": whole,
            "risk falls with D": risk,
        },
    )


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
        "stat-average",
        "From worst-case data to independent data",
        "eq:mse-lb-3, thm:mse-lb",
        "The worst dataset's risk is at least the mean risk over i.i.d. data, for which the random order is void.",
        "smt",
        average_below_worst,
        constant="1",
    ),
    Entry(
        "stat-quadratic",
        "MSE lower bound, weakly correlated",
        "thm:mse-lb, eq:mse-lb-4, eq:mse-lb-5, eq:mse-lb-7",
        "E_wc^f, E_wc^m >= (sqrt(E_stat) - sqrt(1/(4n)))_+^2.",
        "smt",
        quadratic_step,
        constant="1/4",
    ),
    Entry(
        "stat-coordinate",
        "Frequencies reduce to one coordinate",
        "eq:mse-lb-1",
        "The squared largest error is at least the squared error of the first bin.",
        "smt",
        one_coordinate,
        constant="1",
    ),
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
    Entry(
        "stat-special",
        "Half public, half silent",
        "eq:ru-lb, eq:ru-ub",
        "1/(8n) <= rate <= 1/(4(n-1)) for k = 2, half of the users with eps -> 0 and half with eps -> inf.",
        "sympy",
        special_case,
        constant="1/8, 1/4",
    ),
)
