"""What the mechanism may hardly look at (ours): unseen users, users split in two, demands rounded up."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def unseen_users(weight: int = 1) -> Evidence:
    """Weak MSE ≥ e^{−S_A}(|A|/n)²·¼·2a/(2a+1)·(1/|A| + 1/(|B|+2a)): what A holds, given B, under a Beta(a, a) prior."""
    a, b, c = symbols("a b c", positive=True)
    # Beta(b, c): E p(1−p) = bc/((b+c)(b+c+1)), Var p = bc/((b+c)²(b+c+1))
    ratio = vanishes(b * c / ((b + c) ** 2 * (b + c + 1)) - b * c / ((b + c) * (b + c + 1)) / (b + c))
    prior = vanishes(a * a / (2 * a * (2 * a + 1)) - 2 * a / (2 * a + 1) / 4)
    ratio_, own, other, share, square = reals("E g h s d")
    # The output's density varies by at most E over A's data, so own/mean ≥ 1/E, term by term in E(N−c)².
    mean = share * own + (1 - share) * other
    posterior = proves(
        ratio_ * own * square >= mean * square,
        ratio_ >= 1,
        own > 0,
        other > 0,
        other <= ratio_ * own,
        share >= 0,
        share <= 1,
        square >= 0,
    )
    exact = all(
        _mean_variance(first, second, Fraction(shape)) == _formula(first, second, Fraction(shape), weight)
        for first in (1, 2, 3)
        for second in (0, 1, 4)
        for shape in (1, 2, 5)
    )
    return conclude(
        "proved",
        {
            "Var p = E p(1−p)/(|B| + 2a) given B": ratio,
            "E p(1−p) = ¼·2a/(2a+1)": prior,
            "the posterior of A's data is at least e^{−S} times the prior, so min over c of E(N−c)² "
            "keeps that factor": posterior,
            "27 cases by exact Beta-binomial sums": exact,
        },
    )


def _rising(x: Fraction, count: int) -> Fraction:
    value = Fraction(1)
    for j in range(count):
        value *= x + j
    return value


def _mean_variance(first: int, second: int, a: Fraction) -> Fraction:
    """E Var(N_A | N_B) for |A| = first, |B| = second by summing the Beta-binomial laws."""
    total = Fraction(0)
    for seen in range(second + 1):
        chance = comb(second, seen) * _rising(a, seen) * _rising(a, second - seen) / _rising(2 * a, second)
        up, down = a + seen, a + second - seen
        law = [
            comb(first, j) * _rising(up, j) * _rising(down, first - j) / _rising(up + down, first)
            for j in range(first + 1)
        ]
        mean = sum((j * p for j, p in enumerate(law)), Fraction(0))
        total += chance * sum(((j - mean) ** 2 * p for j, p in enumerate(law)), Fraction(0))
    return total


def _formula(first: int, second: int, a: Fraction, weight: int) -> Fraction:
    return Fraction(first**2) * (2 * a / (2 * a + 1)) / 4 * (Fraction(1, first) + weight / (second + 2 * a))


def split_users(scale: int = 2) -> Evidence:
    """Weak, users split: TV ≤ E tanh(S/2) ≤ tanh(E S/2), E tanh² ≤ tanh(E S/2); a rate below m/2n needs TV ≥ 1 − 2β."""
    import sympy as sp

    x = symbols("x", positive=True)
    tangent = sp.tanh(x / 2)
    concave = vanishes((sp.diff(tangent, x, 2) + tangent * (1 - tangent**2) / scale).rewrite(sp.exp))
    value = reals("t")[0]
    below = proves(value * value <= value, value >= 0, value <= 1)
    first, second, beta = reals("p q b")
    apart = proves(first - second >= 1 - 2 * beta, first >= 1 - beta, second <= beta)
    grow, old, new = reals("E f g")
    variation = proves(
        (grow + 1) * absolute(old - new) <= (grow - 1) * (old + new),
        grow >= 1, old >= 0, new >= 0, old <= grow * new, new <= grow * old,
    )  # fmt: skip
    return conclude(
        "proved",
        {
            "|p − q| ≤ tanh(S/2)·(p + q) pointwise, tanh(S/2) = (E − 1)/(E + 1)": variation,
            "tanh(x/2) is concave: Jensen": concave,
            "tanh² ≤ tanh": below,
            "disjoint balls separate the two laws by 1 − 2β": apart,
        },
    )


def larger_demands(times: int = 1) -> Evidence:
    """Rounding demands up keeps every lower bound valid: fewer constraints hold more mechanisms, so rates only fall."""
    p, q, small, large = reals("p q e f")
    return conclude(
        "proved",
        {
            "p ≤ E·q implies p ≤ F·q for F ≥ E": proves(
                times * p <= large * q, q >= 0, small >= 1, large >= small, p <= small * q
            )
        },
    )


ENTRIES = (
    Entry(
        "sharp-unseen",
        "What unseen users hide",
        OURS,
        "E_wc >= e^-S_A·(|A|/n)^2·¼·2a/(2a+1)·(1/|A| + 1/(|B|+2a)) for every set A and a > 0.",
        "sympy",
        unseen_users,
        constant="1/4",
    ),
    Entry(
        "sharp-split",
        "Users split in two",
        OURS,
        "TV <= tanh(E S/2) and triangular discrimination <= min(E S^2/4, tanh(E S/2)) for m random users moved; PAC "
        "needs TV >= 1 - 2·beta.",
        "sympy",
        split_users,
        constant="1/2",
    ),
    Entry(
        "sharp-rounding",
        "Rounding demands up",
        OURS,
        "A lower bound for larger demands is a lower bound for the given ones.",
        "smt",
        larger_demands,
    ),
)
