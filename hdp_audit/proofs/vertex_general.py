"""The vertex argument where weights need not sum to one: Σw_i·x_i + c·D in each output, D = 1 − Σw."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, positive_part, proves, reals


def polytope(missing: int = 1) -> Evidence:
    """The bias is cD·1 + p − q, p and q ≥ 0 with sums P and Q = P + D: a mixture of cD·1 + P·e_i − Q·e_j, any k.

    Weight α_i·β_j goes to the vertex (i, j), α = p/P, β = q/Q. What a mixture has in bin l depends only on whether
    i = l and whether j = l, so four cases are all cases.
    """
    import z3

    w, u = reals("w u")
    parts = proves(positive_part(w - u) - positive_part(u - w) == w - u)
    # Summed over users: P − Q = Σw − Σu = (1 − D) − 1.
    up, down, deficit, weight = reals("P Q D W")
    sums = proves(down == up + missing * deficit, up - down == weight - 1, deficit == 1 - weight)
    a, b, c, d, p, q = symbols("alpha beta c D P Q", real=True)
    level = c * d
    mixed = a * b * (level + p - q) + a * (1 - b) * (level + p) + (1 - a) * b * (level - q) + (1 - a) * (1 - b) * level
    first, second, s = reals("f g s")
    middle = s * first + (1 - s) * second
    least = proves(z3.Or(middle >= first, middle >= second), s >= 0, s <= 1)
    return conclude(
        "proved",
        {
            "w − u is its positive part less its negative part": parts,
            "so Q = P + D": sums,
            "every bias is the mixture with weights α_i·β_j": vanishes(mixed - (level + p * a - q * b)),
            "a mixture of values is no smaller than the smallest, so a concave log P and a convex mean square are "
            "worst at a vertex": least,
        },
    )


def sizes(share: int = 1) -> Evidence:
    """|bias| at the vertex (i, j): P + cD in bin i, P + (1−c)D in bin j, cD elsewhere; (1−c)D and cD where i = j."""
    p, d, c = reals("P D c")
    q = p + d
    given = [p >= 0, d >= 0, c >= 0, c <= 1]
    up = proves(absolute(c * d + p) == p + share * c * d, *given)
    down = proves(absolute(c * d - q) == p + (1 - c) * d, *given)
    together = proves(absolute(c * d + p - q) == (1 - c) * d, *given)
    nothing = proves(absolute(c * d + p - q) <= absolute(c * d + p), *given, d == 0)
    return conclude(
        "proved",
        {
            "bin i": up,
            "bin j": down,
            "i = j": together,
            "which is no larger than bin i where D = 0, so one vertex decides there": nothing,
        },
    )


def monotone(sign: int = -1) -> Evidence:
    """P(|a + N| ≤ α) falls and a² + 2b² rises with |a|, so only sizes of biases count, and larger ones are worse."""
    import sympy as sp

    a, alpha = symbols("a alpha", positive=True)
    inside = vanishes(sp.diff(1 - sp.exp(-alpha) * sp.cosh(a), a) - sign * sp.exp(-alpha) * sp.sinh(a))
    outside = vanishes(sp.diff(sp.exp(-a) * sp.sinh(alpha), a) - sign * sp.exp(-a) * sp.sinh(alpha))
    first, second = reals("a b")
    square = proves(first * first <= second * second, first >= 0, first <= second)
    return conclude(
        "proved",
        {
            "below α the slope is −e^{−α}·sinh a": inside,
            "beyond α it is −e^{−a}·sinh α": outside,
            "squares rise": square,
        },
    )


def mean_range(lowest: int = 1) -> Evidence:
    """A mean's bias cD + Σ(w_i − u)x_i lies between cD − Q and cD + P, and both ends are attained."""
    import z3

    w, u, x = reals("w u x")
    data = [x >= 0, x <= 1, w >= 0, u > 0]
    term = (w - u) * x
    above = proves(term <= positive_part(w - u), *data)
    below = proves(term >= -lowest * positive_part(u - w), *data)
    ends = proves(z3.If(w > u, w - u, 0) == positive_part(w - u)) and proves(
        z3.If(w < u, u - w, 0) == positive_part(u - w)
    )
    low, high, y = reals("l h y")
    largest = proves(z3.Or(absolute(y) <= absolute(low), absolute(y) <= absolute(high)), low <= y, y <= high)
    return conclude(
        "proved",
        {
            "each term is at most (w − u)₊": above,
            "and at least −(u − w)₊": below,
            "attained by x = 1 where w > u, or where w < u, and 0 elsewhere": ends,
            "the largest size in an interval is at an end": largest,
        },
    )


ENTRIES = (
    Entry(
        "vertex-general",
        "Worst biases of any weights",
        OURS,
        "Weights of sum 1 - D with c·D added to each of k outputs: the biases are mixtures of cD + P·e_i - Q·e_j, "
        "P = sum (w_i - 1/n)_+, Q = P + D; so a vertex is worst for the PAC error and for the mean square.",
        "smt",
        polytope,
        constant="Q = P + D",
    ),
    Entry(
        "vertex-general-sizes",
        "Two vertices decide",
        OURS,
        "Up to order the sizes are (P + cD, P + (1-c)D, cD, ...) for i != j and ((1-c)D, cD, ...) for i = j.",
        "smt",
        sizes,
    ),
    Entry(
        "vertex-general-monotone",
        "Larger biases are worse",
        OURS,
        "P(|a+N| <= alpha) falls and E(a+N)^2 rises with |a|, Laplace noise.",
        "sympy",
        monotone,
    ),
    Entry(
        "vertex-general-mean",
        "Worst bias of a mean",
        OURS,
        "cD + sum (w_i - 1/n)x_i lies between cD - Q and cD + P; both are attained, so the worst size is "
        "P + max(c, 1-c)·D.",
        "smt",
        mean_range,
    ),
)
