"""Weak setting, lower: a Beta prior, typical steps between counts, chains that leak a little, k datasets (ours)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, positive_part, possible, proves, reals

_GROWTH = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5))  # e^ε of the users


def _laws(size: int) -> tuple[dict[frozenset[int], Any], list[Any]]:
    """A density M(S) ≥ 0 for each set S of users with datum 1, within e^ε of each other where one user differs."""
    import z3

    sets = [frozenset(part) for r in range(size + 1) for part in combinations(range(size), r)]
    law = {part: z3.Real("M" + "".join(map(str, sorted(part)))) for part in sets}
    given = [value >= 0 for value in law.values()]
    for part in sets:
        for user in set(range(size)) - part:
            larger, ratio = law[part | {user}], z3.Q(_GROWTH[user].numerator, _GROWTH[user].denominator)
            given += [larger <= ratio * law[part], law[part] <= ratio * larger]
    return law, given


def _mean(values: list[Any]) -> Any:
    import z3

    return z3.Sum(values) / len(values)


def steps(top: int = 1) -> Evidence:
    """P_{j+1} ≤ m·P_j, m the mean of e^ε over the |A| − j largest; P_{j+1} ≤ c·P_j + E_S (m(S) − c)₊M(S) for any c."""
    import z3

    found = {}
    for size in (2, 3, 4):
        law, given = _laws(size)
        for j in range(size):
            small = [law[part] for part in law if len(part) == j]
            large = [law[part] for part in law if len(part) == j + 1]
            # `top` = 0 would be the smallest demands; with the mean over all of A these sizes hold as well.
            ordered = sorted(_GROWTH[:size])
            worst = ordered[-(size - j) :] if top else ordered[: size - j]
            ratio = sum(worst, Fraction(0)) / len(worst)
            bound = z3.Q(ratio.numerator, ratio.denominator) * _mean(small)
            found[f"|A| = {size}, {j} → {j + 1}: the largest demands"] = proves(_mean(large) <= bound, *given)
    law, given = _laws(3)
    c = z3.Real("c")
    outside = {part: _outside(part, 3) for part in law if len(part) == 1}
    excess = [positive_part(mean - c) * law[part] for part, mean in outside.items()]
    small = [law[part] for part in outside]
    large = [law[part] for part in law if len(part) == 2]
    typical = proves(_mean(large) <= c * _mean(small) + _mean(excess), c >= 1, *given)
    found["|A| = 3, 1 → 2: any c, but for the excess"] = typical
    return conclude("proved for stated sizes", found)


def _outside(part: frozenset[int], size: int) -> Any:
    import z3

    left = [_GROWTH[user] for user in range(size) if user not in part]
    ratio = sum(left, Fraction(0)) / len(left)
    return z3.Q(ratio.numerator, ratio.denominator)


def excess(base: int = 1) -> Evidence:
    """E(m − c)₊ ≤ e^{−λc−1}/λ·(mean of e^{λg/r})^r for the mean m of r of the users' g, drawn without replacement."""
    import sympy as sp

    u = symbols("u", real=True)
    slope = sp.diff(sp.exp(u - base) - u, u)
    tangent = bool(slope.subs(u, 1) == 0 and sp.simplify((sp.exp(u - base) - u).subs(u, 1)) == 0)
    convex = sp.diff(sp.exp(u - base) - u, u, 2).is_positive is True
    values = (Fraction(1), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4))
    cases = [(r, c, rate) for r in (1, 2, 3, 4) for c in (Fraction(3, 2), Fraction(2), Fraction(3)) for rate in (1, 3)]
    return conclude(
        "proved for stated sizes",
        {
            "e^{u−1} ≥ u: it touches at u = 1": tangent,
            "and is convex, so (x)₊ ≤ e^{λx−1}/λ": convex,
            "Hoeffding's comparison, 24 cases with 5 users: the bound holds": all(
                _covers(values, *one) for one in cases
            ),
        },
    )


def _covers(values: tuple[Fraction, ...], r: int, c: Fraction, rate: int) -> bool:
    from math import e, exp

    drawn = [max(sum(part, Fraction(0)) / r - c, Fraction(0)) for part in combinations(values, r)]
    truth = float(sum(drawn, Fraction(0)) / len(drawn))
    moment = sum(exp(rate * float(value) / r) for value in values) / len(values)
    return truth <= exp(-rate * float(c)) / (e * rate) * moment**r * (1 + 1e-12)


def leak(price: int = 1) -> Evidence:
    """T·g_{j+1} ≥ T·e^{∓s}·g_j − |T|·q when g_j ≤ e^s·g_{j+1} + q and g_{j+1} ≤ e^s·g_j + q: a step costs |T|·q."""
    here, there, total, grow, lost = reals("g h T E q")
    given = [here >= 0, there >= 0, grow >= 1, lost >= 0, here <= grow * there + lost, there <= grow * here + lost]
    paid = price * absolute(total) * lost
    return conclude(
        "proved",
        {
            "T ≥ 0: T·h ≥ T·g/E − T·q": proves(grow * (total * there + paid) >= total * here, total >= 0, *given),
            "T < 0: T·h ≥ T·E·g − |T|·q": proves(total * there >= total * grow * here - paid, total < 0, *given),
            "without the leak the price is needed": possible(
                total == 1, lost == 1, here == 1, there == 0, grow == 2, *given
            ),
        },
    )


def blocks(slack: int = 0) -> Evidence:
    """Beta–Bernoulli counts have mass 1; a smaller prior has a smaller risk, and a multiple the multiple of it."""
    masses = [_total(first, second, a) for first in (0, 1, 3) for second in (0, 2, 4) for a in (1, 2, 7)]
    one, other, less, least, loss, more = reals("a b f g l m")
    smaller = proves(
        one * loss + other * more >= less * loss + least * more + slack,
        loss >= 0, more >= 0, less >= 0, least >= 0, one >= less, other >= least,
    )  # fmt: skip
    times = reals("c")[0]
    scaled = proves(times * (one * loss + other * more) == (times * one) * loss + (times * other) * more)
    return conclude(
        "proved",
        {
            "ΣC(|A|,j)·C(|B|,b)·B(a+j+b, a+n−j−b)/B(a,a) = 1, 27 cases": all(mass == 1 for mass in masses),
            "every answer loses less under a smaller prior, hence so does the best": smaller,
            "and in proportion": scaled,
        },
    )


def _total(first: int, second: int, a: int) -> Fraction:
    n = first + second
    total = Fraction(0)
    for j in range(first + 1):
        for b in range(second + 1):
            ones = j + b
            chance = Fraction(1)
            for i in range(ones):
                chance *= Fraction(a + i)
            for i in range(n - ones):
                chance *= Fraction(a + i)
            for i in range(n):
                chance /= Fraction(2 * a + i)
            total += comb(first, j) * comb(second, b) * chance
    return total


def rivals(numerator: int = 4) -> Evidence:
    """4z/(1+z)² ≤ 1, equal to sech²((S−log K)/2) at z = K·e^{−S}, and ≥ Az − Bz² for y ∈ [0, 1], z ≥ 0."""
    import sympy as sp

    s, k = symbols("s k", positive=True)
    z = k * sp.exp(-s)
    same = vanishes((sp.sech((s - sp.log(k)) / 2) ** 2 - numerator * z / (1 + z) ** 2).rewrite(sp.exp))
    value, y = reals("z y")
    below = proves(4 * value <= (1 + value) * (1 + value), value >= 0)
    cube = (1 + y) * (1 + y) * (1 + y)
    # 4/(1+z)² ≥ (4(1+y) + 8y − 8z)/(1+y)³, multiplied by both denominators
    tangent = proves(
        4 * cube >= (4 * (1 + y) + 8 * y - 8 * value) * (1 + value) * (1 + value), value >= 0, y >= 0, y <= 1
    )
    return conclude(
        "proved",
        {"sech²((S−log K)/2) = 4z/(1+z)²": same, "it is at most 1 beyond z = 1": below, "tangents": tangent},
    )


ENTRIES = (
    Entry(
        "beta-steps",
        "Steps between counts",
        OURS,
        "If a uniform j-subset of A holds the ones, the laws for j and j+1 differ by at most the mean of e^eps over "
        "the largest demands, and by any c but for the mass E(m - c)_+, m the mean over the users outside.",
        "smt",
        steps,
        constant="1",
    ),
    Entry(
        "beta-excess",
        "How much a typical step leaks",
        OURS,
        "E(m - c)_+ <= e^(-lambda·c - 1)/lambda·(mean of e^(lambda·g/r))^r for the mean m of r of the users.",
        "sympy",
        excess,
        constant="1/e",
    ),
    Entry(
        "chain-leak",
        "Chains whose steps leak",
        OURS,
        "If neighbours are within e^s but for a mass eta, a certificate loses at most eta·sum of max|T_j|.",
        "smt",
        leak,
        constant="1",
    ),
    Entry(
        "beta-blocks",
        "One prior for many counts",
        OURS,
        "Under p ~ Beta(a, a) the heads of A and B are beta-binomial; the least of several priors has no larger risk "
        "than any of them.",
        "smt",
        blocks,
        constant="1",
    ),
    Entry(
        "weak-rivals",
        "K rivals in the weak setting",
        OURS,
        "E_wc >= (m/2n)^2·E sech^2((S - log K)_+/2) >= (m/2n)^2·(A·E z - B·E z^2), z = K·e^-S, S of m random users.",
        "smt",
        rivals,
        constant="4z/(1+z)²",
    ),
)
