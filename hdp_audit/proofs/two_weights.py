"""Weak setting, upper: the mean square of the largest error, category by category, for weights of two values (ours)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import comb

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import positive_part, proves, reals


def largest(kept: int = 1) -> Evidence:
    """max_j s_j ≤ C + Σ_j (s_j − C)₊ for squares s_j ≥ 0, and Σ_j F_j ≤ ηn + k·max_j(F_j − ηm_j) where Σm_j = n."""
    import z3

    found = {}
    for k in (2, 3, 4):
        level, price, most = reals("C p M")
        squares = [z3.Real(f"s{j}") for j in range(k)]
        total = kept * level + z3.Sum([positive_part(square - level) for square in squares])
        given = [level >= 0, *[square >= 0 for square in squares]]
        found[f"k = {k}: the largest square"] = all(proves(square <= total, *given) for square in squares)
        # Products η·m_j are numbers of their own: ηn is their sum.
        worth, paid = ([z3.Real(f"{name}{j}") for j in range(k)] for name in "Fq")
        limits = [value - cost <= most for value, cost in zip(worth, paid, strict=True)]
        found[f"k = {k}: prices"] = proves(z3.Sum(worth) <= z3.Sum(paid) + k * most, price >= 0, *limits)
    return conclude("proved for stated sizes", found)


def counts(spare: int = 0) -> Evidence:
    """m members at random places: c of them are among the users B with probability C(|B|, c)·C(|A|, m−c)/C(n, m)."""
    found = {}
    for low, high in ((1, 1), (2, 3), (4, 2)):
        n = low + high
        for m in range(n + 1):
            tally = Counter(sum(place >= low for place in places) for places in combinations(range(n), m))
            law = {c: comb(high, c) * comb(low, m - c) for c in range(min(high, m) + 1)}
            same = all(tally[c] + spare == ways for c, ways in law.items())
            found[f"|A| = {low}, |B| = {high}, m = {m}"] = same and sum(law.values()) == comb(n, m)
    return conclude("proved for stated sizes", found)


def rest(share: Fraction = Fraction(1)) -> Evidence:
    """R_j = Σ_i d_i·1{x_σ(i) = j} with Σd = 0 has E max_j R_j² ≤ (1 − 1/k)²·n/(n−1)·‖d‖₂²: all data, all places."""
    found = {}
    for d, k in (((1, -1), 2), ((2, -1, -1), 2), ((2, -1, -1), 3), ((3, -2, 1, -2), 3)):
        n = len(d)
        bound = share * Fraction(k - 1, k) ** 2 * Fraction(n, n - 1) * sum(value**2 for value in d)
        found[f"d = {d}, k = {k}"] = max(_squares(d, k)) <= bound
    return conclude("proved for stated sizes", found)


def _squares(d: tuple[int, ...], k: int) -> Iterator[Fraction]:
    """E max_j R_j² for each table of counts."""
    by_counts: dict[tuple[int, ...], list[int]] = {}
    for data in product(range(k), repeat=len(d)):
        moved = [sum(value for value, x in zip(d, data, strict=True) if x == j) for j in range(k)]
        by_counts.setdefault(tuple(data.count(j) for j in range(k)), []).append(max(part**2 for part in moved))
    yield from (Fraction(sum(squares), len(squares)) for squares in by_counts.values())


ENTRIES = (
    Entry(
        "two-weights-largest",
        "The largest square, category by category",
        OURS,
        "max_j e_j^2 <= C + sum_j (e_j^2 - C)_+ for every C >= 0; sum_j F(m_j) <= p n + k max_m(F(m) - p m) for every "
        "price p >= 0 where sum_j m_j = n.",
        "smt",
        largest,
        constant="1",
    ),
    Entry(
        "two-weights-law",
        "Weights of two values",
        OURS,
        "Permuted data, weights w_A and w_B: a category with m members is answered by c w_B + (m - c) w_A plus noise, "
        "c hypergeometric.",
        "enumeration",
        counts,
    ),
    Entry(
        "two-weights-rest",
        "Weights near two values",
        OURS,
        "What weights differ by, d with sum 0, moves the largest frequency by E max_j R_j^2 <= (1 - 1/k)^2 n/(n-1) "
        "||d||_2^2 when data are permuted.",
        "enumeration",
        rest,
        constant="1",
    ),
)
