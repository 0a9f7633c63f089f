"""The integer form of hull noise: P(v) ∝ q^{‖v‖₁/2} on integer vectors of sum 0, how many there are, how to draw them.

r = ‖v‖₁/2 is what moves from the negative to the positive entries, j the number of positive entries.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude


def _class_size(k: int, r: int, j: int, spare: int = 1) -> int:
    """C(k,j)·C(r−1,j−1)·C(r+k−j−1,k−j−1) for r ≥ 1."""
    return comb(k, j) * comb(r - 1, j - 1) * comb(r + k - j - spare, k - j - 1)


def _enumerated(k: int, radius: int) -> Counter[tuple[int, int]]:
    """(r, j) → how many integer vectors of sum 0, by listing all of them up to the radius."""
    found: Counter[tuple[int, int]] = Counter()
    for head in product(range(-radius, radius + 1), repeat=k - 1):
        vector = (*head, -sum(head))
        r = sum(x for x in vector if x > 0)
        if r <= radius:
            found[r, sum(x > 0 for x in vector)] += 1
    return found


def counting(spare: int = 1) -> Evidence:
    """r split into j positive parts and into k − j parts ≥ 0, and which entries are positive."""
    steps = {}
    for k, radius in ((2, 8), (3, 7), (4, 5), (5, 4)):
        found = _enumerated(k, radius)
        claimed = {(r, j): _class_size(k, r, j, spare) for r in range(1, radius + 1) for j in range(1, k)}
        claimed = {key: count for key, count in claimed.items() if count} | {(0, 0): 1}
        steps[f"k={k}: all vectors with r ≤ {radius} listed"] = found == claimed
    return conclude("proved for stated sizes", steps)


def _acceptance(k: int, r: int, j: int, offset: int) -> Fraction:
    """Π_{i<j}(r−i)/(r+k−j−1+i) for r ≥ 1; 1/C(2k−2, k−1) at r = 0."""
    if r == 0:
        return Fraction(1, comb(2 * k - 2, k - 1))
    value = Fraction(1)
    for i in range(1, j):
        value *= Fraction(r - i, r + k - j - offset + i)
    return value


def _drawn(k: int, r: int, j: int, offset: int) -> Fraction:
    """The chance, over q^r and up to (1−q)^{k−1}, that (r, j) is proposed and accepted."""
    number = Fraction(comb(k, j) * comb(k - 2, j - 1), comb(2 * k - 2, k - 1))
    return comb(r + k - 2, k - 2) * number * _acceptance(k, r, j, offset)


def sampling(offset: int = 1) -> Evidence:
    """r a sum of k−1 geometric numbers, j hypergeometric, accepted with Π(r−i)/(r+k−j−1+i): P(v) = const·q^r."""
    steps = {
        "Σ_j C(k,j)C(k−2,j−1) = C(2k−2,k−1), k = 2..40": all(
            sum(comb(k, j) * comb(k - 2, j - 1) for j in range(1, k)) == comb(2 * k - 2, k - 1) for k in range(2, 41)
        ),
        "k−1 numbers ≥ 0 sum to r in C(r+k−2, k−2) ways, k = 2..5, r ≤ 6": all(
            sum(1 for parts in product(range(r + 1), repeat=k - 1) if sum(parts) == r) == comb(r + k - 2, k - 2)
            for k in range(2, 6)
            for r in range(7)
        ),
    }
    for k in range(2, 6):
        each = Fraction(1, comb(2 * k - 2, k - 1))
        zero = sum((_drawn(k, 0, j, offset) for j in range(1, k)), Fraction(0)) == each
        equal = all(_drawn(k, r, j, offset) == each * _class_size(k, r, j) for r in range(1, 30) for j in range(1, k))
        chance = all(0 <= _acceptance(k, r, j, offset) <= 1 for r in range(30) for j in range(1, k))
        steps[f"k={k}, r < 30: each vector is drawn with const·q^r, in rationals"] = zero and equal and chance
    steps["k = 2..6, every r: the same as an identity in r"] = all(
        _identity(k, j, offset) for k in range(2, 7) for j in range(1, k)
    )
    return conclude("proved for stated sizes", steps)


def _identity(k: int, j: int, offset: int) -> bool:
    """C(r+k−2,k−2)·C(k−2,j−1)·Π(r−i)/(r+k−j−1+i) = C(r−1,j−1)·C(r+k−j−1,k−j−1), polynomials in r."""
    import sympy as sp

    r = symbols("r", positive=True)

    def choose(top: Any, count: int) -> Any:
        return sp.ff(top, count) / sp.factorial(count)

    accepted = sp.Integer(1)
    for i in range(1, j):
        accepted *= (r - i) / (r + k - j - offset + i)
    left = choose(r + k - 2, k - 2) * comb(k - 2, j - 1) * accepted
    return vanishes(sp.expand_func(left - choose(r - 1, j - 1) * choose(r + k - j - 1, k - j - 1)))


def rounded_mean(sensitivity: int = 1) -> Evidence:
    """A user may add any integer from 0 to W_i to a grid mean: loss·s = sensitivity·W_i exactly, sensitivity 1."""
    steps = {}
    for clipped in (False, True):
        worst = all(
            _mean_loss(weights, user, clipped) == sensitivity * weights[user]
            for weights in ((1,), (4,), (1, 3), (2, 2), (0, 3), (1, 2, 3))
            for user in range(len(weights))
        )
        steps[f"{'clipped' if clipped else 'unclipped'}: all contributions and outputs listed"] = worst
    return conclude("proved for stated sizes", steps)


def _mean_loss(weights: tuple[int, ...], user: int, clipped: bool) -> int:
    """max over contributions, replacements and outputs of the log-ratio times s."""
    top, worst = sum(weights), 0
    outputs = range(top + 1) if clipped else range(-2, top + 3)
    for others in product(*[range(w + 1) if i != user else range(1) for i, w in enumerate(weights)]):
        for old, new in product(range(weights[user] + 1), repeat=2):
            # At a clipped end the tail is q^{distance}/(1+q): the same exponent as a point.
            gaps = [abs(y - sum(others) - new) - abs(y - sum(others) - old) for y in outputs]
            worst = max(worst, *gaps)
    return worst


def hull_loss(sensitivity: int = 1) -> Evidence:
    """Replacing user i moves W_i units between two bins: the log-ratio is at most W_i/s, and is attained."""
    steps = {}
    for k in (2, 3, 4):
        worst = all(_hull_loss(k, weight) == sensitivity * weight for weight in (1, 2, 3))
        steps[f"k={k}: W = 1, 2, 3, all outputs within 5 of the table listed"] = worst
    return conclude("proved for stated sizes", steps)


def _hull_loss(k: int, weight: int) -> Fraction:
    """max over outputs y of sum 0 of (‖y − θ'‖₁ − ‖y − θ‖₁)/2, θ' = θ + W(e_1 − e_0), θ = 0."""
    other = (-weight, weight, *[0] * (k - 2))
    worst = Fraction(0)
    for head in product(range(-5, 6), repeat=k - 1):
        y = (*head, -sum(head))
        gap = sum(abs(a - b) - abs(a) for a, b in zip(y, other, strict=True))
        worst = max(worst, Fraction(gap, 2))
    return worst


ENTRIES = (
    Entry(
        "hull-count",
        "How many integer vectors of sum 0 there are",
        OURS,
        "Integer vectors with sum v = 0, |v|_1 = 2r >= 2 and j positive entries: C(k,j)·C(r-1,j-1)·C(r+k-j-1,k-j-1); "
        "k = 2..5.",
        "enumeration",
        counting,
        constant="C(r+k−j−1, k−j−1)",
    ),
    Entry(
        "hull-sampler",
        "Exact hull noise by rejection",
        OURS,
        "r a sum of k-1 geometric numbers, j with weight C(k,j)C(k-2,j-1), accepted with prod_(i<j) (r-i)/(r+k-j-1+i), "
        "or 1/C(2k-2,k-1) at r = 0, then uniform: P(v) is proportional to q^(|v|_1/2).",
        "enumeration",
        sampling,
        constant="r+k−j−1+i",
    ),
    Entry(
        "grid-rounded",
        "A grid mean with rounded contributions",
        OURS,
        "If user i adds any integer from 0 to W_i, the worst log-ratio equals W_i/s exactly, clipped or not, n <= 3.",
        "enumeration",
        rounded_mean,
        constant="W_i/s",
    ),
    Entry(
        "grid-hull",
        "Exact loss of hull noise",
        OURS,
        "With P(v) proportional to q^(|v|_1/2), q = e^(-1/s), on sum v = 0 the worst log-ratio of replacing user i "
        "equals W_i/s exactly, k = 2, 3, 4.",
        "enumeration",
        hull_loss,
        constant="W_i/s",
    ),
)
