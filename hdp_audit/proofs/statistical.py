"""thm:mse-lb: from worst-case data to independent data."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from hdp_audit.proofs.entry import Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, positive_part, proves, reals


def average_below_worst(times: int = 1) -> Evidence:
    """eq:mse-lb-3: the worst dataset is at least the average, and independent draws have the same law in any order."""
    p = Fraction(2, 7)
    invariant = True
    for n in (2, 3, 4):
        for z in product((0, 1), repeat=n):
            mass = p ** sum(z) * (1 - p) ** (n - sum(z))
            invariant &= all(p ** sum(y) * (1 - p) ** (n - sum(y)) == mass for y in permutations(z))
    x, y, s, top = reals("x y s top")
    average = proves(times * (s * x + (1 - s) * y) <= top, s >= 0, s <= 1, x <= top, y <= top)
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


def one_coordinate(times: int = 1) -> Evidence:
    """eq:mse-lb-1: the largest coordinate error is at least the first one; two categories carry 0/1 data."""
    import z3

    first, other = reals("x y")
    largest = z3.If(absolute(first) >= absolute(other), absolute(first), absolute(other))
    return conclude("proved", {"|x|² ≤ max(|x|, |y|)²": proves(times * first * first <= largest * largest)})


ENTRIES = (
    Entry(
        "stat-average",
        "From worst-case data to independent data",
        ("eq:mse-lb-3", "thm:mse-lb"),
        "The worst dataset's risk is at least the mean risk over i.i.d. data, for which the random order is void.",
        "smt",
        average_below_worst,
        constant="1",
    ),
    Entry(
        "stat-quadratic",
        "MSE lower bound, weakly correlated",
        ("thm:mse-lb", "eq:mse-lb-4", "eq:mse-lb-5", "eq:mse-lb-7"),
        "E_wc^f, E_wc^m >= (sqrt(E_stat) - sqrt(1/(4n)))_+^2.",
        "smt",
        quadratic_step,
        constant="1/4",
    ),
    Entry(
        "stat-coordinate",
        "Frequencies reduce to one coordinate",
        ("eq:mse-lb-1",),
        "The squared largest error is at least the squared error of the first bin.",
        "smt",
        one_coordinate,
        constant="1",
    ),
)
