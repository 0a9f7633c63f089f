"""Weak setting, lower: a die with three sides, its sectors, and steps between counts of several categories (ours)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import positive_part, proves

_GROWTH = (Fraction(1), Fraction(3, 2), Fraction(4))  # e^ε of three users
Counts = tuple[int, int, int]


def steps(spare: int = 0) -> Evidence:
    """P_{N'} ≤ c·P_N + E(m − c)₊M for N' = N + e_a − e_b and any c, m the mean of e^ε over the users in category b."""
    import z3

    law, given = _laws()
    c = z3.Real("c")
    found = {}
    for counts in ((3, 0, 0), (2, 1, 0), (1, 1, 1)):
        there = (counts[0] - 1, counts[1] + 1, counts[2])
        means = {data: _mean([_GROWTH[user] for user in range(3) if data[user] == 0]) for data in _with(counts)}
        excess = z3.Sum([positive_part(z3.Q(*mean.as_integer_ratio()) - c) * law[data] for data, mean in means.items()])
        here = z3.Sum([law[data] for data in means]) / len(means)
        moved = z3.Sum([law[data] for data in _with(there)]) / len(_with(there))
        claim = moved + spare * here <= c * here + excess / len(means)
        found[f"{counts} → {there}"] = proves(claim, c >= 1, *given)
    return conclude("proved for stated sizes", found)


def _laws() -> tuple[dict[tuple[int, ...], Any], list[Any]]:
    """A density for each dataset of three users, within e^ε of each other where one user differs."""
    import z3

    law = {data: z3.Real("M" + "".join(map(str, data))) for data in product(range(3), repeat=3)}
    given = [value >= 0 for value in law.values()]
    for data, user, value in product(law, range(3), range(3)):
        other = (*data[:user], value, *data[user + 1 :])
        if other != data:
            given.append(law[other] <= z3.Q(*_GROWTH[user].as_integer_ratio()) * law[data])
    return law, given


def _with(counts: Counts) -> list[tuple[int, ...]]:
    return [data for data in product(range(3), repeat=3) if tuple(data.count(j) for j in range(3)) == counts]


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def sectors(tie: Fraction = Fraction(1, 2)) -> Evidence:
    """Sectors hold all counts once; the laws of i for t and t ± 1 have a coupling that moves one user."""
    import sympy as sp

    m, x = symbols("M x", positive=True)
    ratio = sp.gamma(m) * sp.gamma(m - x + 1) / (sp.gamma(m - x) * sp.gamma(m + 1))
    laws = {third: _sectors(third, tie) for third in (1, 2, 3, 4, 5)}
    masses = [sum((sum(part.values(), Fraction(0)) for part in law.values()), Fraction(0)) for law in laws.values()]
    return conclude(
        "proved for stated sizes",
        {
            "C(M−1, x)/C(M, x) = (M−x)/M, which falls in x": vanishes(sp.gammasimp(ratio) - (m - x) / m),
            "|A| = 3..15: three sectors have mass 1": all(3 * mass == 1 for mass in masses),
            "both sides of the likelihood ratio: i ≤ i' ≤ i + 1 in law": all(_coupled(law) for law in laws.values()),
            "the entry of its own sign is the largest in size": _largest(),
        },
    )


def _sectors(third: int, tie: Fraction) -> dict[int, dict[int, Fraction]]:
    """For each t the mass of each i: category 0 is off by t, category 1 by −i and category 2 by the rest."""
    size = 3 * third
    found: dict[int, dict[int, Fraction]] = {}
    for t in range(-third, 2 * third + 1):
        sign = 1 if t > 0 else -1
        for i in range(abs(t) + 1):
            counts = (third + t, third - sign * i, third - sign * (abs(t) - i))
            if min(counts) >= 0:
                share = Fraction(1, 3) if t == 0 else tie if i in (0, abs(t)) else Fraction(1)
                ways = factorial(size) // (factorial(counts[0]) * factorial(counts[1]) * factorial(counts[2]))
                found.setdefault(t, {})[i] = share * Fraction(ways, 3**size)
    return found


def _coupled(law: dict[int, dict[int, Fraction]]) -> bool:
    """As far out as no category runs empty."""
    third = -min(law)
    return all(
        _dominates(law[sign * t], law[sign * (t + 1)]) for t in range(third) for sign in (1, -1)
    )  # fmt: skip


def _dominates(near: dict[int, Fraction], far: dict[int, Fraction]) -> bool:
    """P(i' ≤ x) lies between P(i ≤ x − 1) and P(i ≤ x) for every x."""
    here, there = sum(near.values(), Fraction(0)), sum(far.values(), Fraction(0))

    def below(law: dict[int, Fraction], x: int, whole: Fraction) -> Fraction:
        return sum((mass for i, mass in law.items() if i <= x), Fraction(0)) / whole

    return all(below(near, x - 1, here) <= below(far, x, there) <= below(near, x, here) for x in far)


def _largest(reach: int = 7) -> bool:
    """Every d with Σd = 0 has, counted with halves at ties, one entry whose sign is its own, and it is the largest."""
    for a, b in product(range(-reach, reach + 1), repeat=2):
        d = (a, b, -a - b)
        own = [one for one, two, three in permutations(d) if one * two <= 0 and one * three <= 0 and one]
        if any(abs(one) < max(map(abs, d)) for one in own) or (any(d) and not own):
            return False
    return True


def once(weight: Fraction = Fraction(1)) -> Evidence:
    """Telling which side is farthest off splits the risk: Σ_j min_y Σ λ_j·(N_j − y)² ≤ min_y Σ λ·max_j(N_j − y_j)²."""
    import z3

    found = {}
    for size in (3, 6):
        tally = Counter(tuple(data.count(j) for j in range(3)) for data in product(range(3), repeat=size))
        y = [z3.Real(f"y{j}") for j in range(3)]
        terms = []
        for counts in tally:
            off = [count - size // 3 for count in counts]
            far = [j for j in range(3) if all(off[j] * off[i] <= 0 for i in range(3) if i != j)]
            # Largest of the three squares, at least the mean over the sides that tie.
            squares = [(counts[j] - y[j]) * (counts[j] - y[j]) for j in far]
            most, mean = z3.Real("m"), z3.Sum(squares) / len(squares)
            terms.append(proves(most >= z3.Q(*weight.as_integer_ratio()) * mean, *[most >= one for one in squares]))
        found[f"|A| = {size}: every count, every answer"] = all(terms)
    return conclude("proved for stated sizes", found)


ENTRIES = (
    Entry(
        "dice-steps",
        "Steps between counts of several categories",
        OURS,
        "If a user of category b moves to a, the laws given the counts differ by any c but for E(m - c)_+, m the mean "
        "of e^eps over the users of b.",
        "smt",
        steps,
        constant="1",
    ),
    Entry(
        "dice-sectors",
        "The side of a die that is farthest off",
        OURS,
        "Three categories, uniform data: given which count is farthest off and by t, the laws of the other two for t "
        "and t + 1 can be drawn together with one user moved.",
        "enumeration",
        sectors,
        constant="1/2 at ties",
    ),
    Entry(
        "dice-risk",
        "Frequencies err at least as the side that is farthest off",
        OURS,
        "E_wc >= the Bayes risk of the count that is farthest off among the users A, its prior that of uniform data.",
        "smt",
        once,
        constant="1",
    ),
)
