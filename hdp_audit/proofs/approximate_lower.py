"""What nobody who keeps (ε_i, δ_i) can beat: packings, two points, and sets of users drawn by lot."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def packing(power: int = 1) -> Evidence:
    """One user after another: P ≤ e^E·Q + D. Balls of mass 1 − β and β/K then need 1 − β ≤ e^E·β/K + D."""
    p, q, r, first, second, d1, d2 = reals("p q r first second d1 d2")
    steps = proves(
        p <= first * second * r + d1 + (first if power else 1) * d2,
        p <= first * q + d1,
        q <= second * r + d2,
        first >= 1,
        second >= 1,
        r >= 0,
        d1 >= 0,
        d2 >= 0,
    )
    own, rival, odds, leaked, most, least = reals("own rival odds leaked most least")
    given = own <= odds * rival + leaked, own >= least, rival <= most, odds >= 1, rival >= 0
    balls = proves(least <= odds * most + leaked, *given)
    return conclude(
        "proved",
        {
            "two users: P ≤ e^(ε₁ + ε₂)·R + δ₁ + e^ε₁·δ₂": steps,
            "a ball of at least 1 − β and one of at most β/K": balls,
        },
    )


def two_points(half: str = "1/2") -> Evidence:
    """TV ≤ (e^E − 1 + 2D)/(e^E + 1) from both directions; errors a, b with a + b ≥ d have a² + b² ≥ d²/2."""
    p, q, odds, leaked, a, b, d = reals("p q odds leaked a b d")
    told = proves(
        (p - q) * (odds + 1) <= odds - 1 + 2 * leaked,
        p <= odds * q + leaked,
        1 - q <= odds * (1 - p) + leaked,
        odds >= 1,
    )
    squares = proves(a * a + b * b >= _fraction(half) * d * d, a + b >= d, a >= 0, b >= 0, d > 0)
    weight = Fraction(1, 2) * Fraction(half)
    return conclude(
        "proved",
        {
            "P(S) − Q(S) ≤ (e^E − 1 + 2D)/(e^E + 1) for every S": told,
            "one of the two means is at least ½·(d²/2)·∫min(p, q) = d²/4·(1 − TV)": squares
            and weight == Fraction(1, 4),
        },
    )


def _fraction(text: str) -> object:
    import z3

    return z3.Q(Fraction(text).numerator, Fraction(text).denominator)


def by_lot(later: int = 1) -> Evidence:
    """A set of m of n users lies within the first q with probability Π_{i<m}(q − i)/(n − i)."""
    holds = True
    for n in range(1, 7):
        for m in range(n + 1):
            for q in range(1, n + 1):
                inside = Fraction(sum(max(each, default=-1) < q for each in combinations(range(n), m)), comb(n, m))
                product = Fraction(1)
                for i in range(m):
                    product *= Fraction(max(q - later * i, 0), n - i)
                holds &= inside == product
    return conclude("proved for stated sizes", {"all sets of m of n users, n = 1 .. 6, q = 1 .. n": holds})


ENTRIES = (
    Entry(
        "approximate-packing",
        "Error quantile, lower bound under (epsilon, delta)",
        OURS,
        "If the error is at most a with probability 1 - b on K + 1 datasets that lie more than 2a apart and differ in "
        "users who keep (E, D) together, then 1 - b <= e^E·b/K + D; D is the sum of e^(epsilons before j)·delta_j.",
        "smt",
        packing,
        constant="e^E·β/K + D",
    ),
    Entry(
        "approximate-two-points",
        "Mean square, lower bound under (epsilon, delta)",
        OURS,
        "Two datasets whose truths lie d apart and whose outputs keep (E, D) both ways force a mean square of at least "
        "d^2·(1 - D)/(2·(1 + e^E)).",
        "smt",
        two_points,
        constant="1/2",
    ),
    Entry(
        "approximate-by-lot",
        "A random set of users is a careful one",
        OURS,
        "A set of m of n users drawn by lot lies within q given ones with probability product of (q - i)/(n - i) over "
        "i < m, n <= 6.",
        "enumeration",
        by_lot,
    ),
)
