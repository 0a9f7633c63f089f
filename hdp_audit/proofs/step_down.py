"""Holm's step-down on anytime p-values: refuted claims leave their shares, and false alarms stay within the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, product
from operator import mul

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import possible, proves, reals


def step(kept: int = 1) -> Evidence:
    """The first true claim to fall has p ≤ s·A/(T + r): T shares of true claims, r that nobody is left, A all.

    What fell before it is false, so the shares that are left, L, are at least T + r. Such p-values have probability
    Σ s·A/(T + r) ≤ A − b in all, b ≤ r being what is spent on other alarms. Shares rounded down to units u·n, with
    claims refuted by their own share s before that: max(s, level) ≤ level + s − u·n.
    """
    p, s, whole, true, idle, left = reals("p s A T r L")
    some = [p >= 0, s > 0, s <= true, true > 0, idle >= 0, whole >= true + idle]
    first = proves(p * (true + idle) <= whole * s, *some, left >= kept * (true + idle), left > 0, p * left <= whole * s)
    other, false, lost = reals("b F e")
    sizes = [true > 0, false >= 0, idle >= 0, other >= 0, lost >= 0]
    fixed = [other <= idle, whole == true + false + idle]
    union = proves(whole * true + other * (true + idle) <= whole * (true + idle), *sizes, *fixed)
    level, unit = reals("l n")
    larger = [level >= unit, s >= unit, unit > 0]
    rounded = proves(s <= level + s - unit, *larger), proves(level <= level + s - unit, *larger)
    planned = proves(
        (true + false + idle) * true + (lost + other) * (true + idle) <= whole * (true + idle),
        *sizes,
        whole >= true + false + lost + other,
    )
    grown = possible(true == 1, false == 3, idle == 0, whole == 4, s == 1, p == 4, p * (true + idle) <= whole * s)
    return conclude(
        "proved",
        {
            "a true claim that falls first has p ≤ s·A/(T + r)": first,
            "all of these and other alarms together have probability at most A": union,
            "a share is at most its level and what rounding took": all(rounded),
            "with shares rounded down the sum stays within the plan": planned,
            "one true claim beside three false ones has all of A": grown,
        },
    )


def copies(split: int = 1) -> Evidence:
    """A claim of n units as n copies with p/n each, in Holm's procedure for equal shares: the same claims fall."""
    same = together = True
    for units, idle in product(product((1, 2, 3), repeat=3), (0, 2)):
        starts = [sum(units[:i]) for i in range(3)]
        for p in product((0, 6, 12, 18, 24, 72), repeat=3):  # of 72, which 1 to 3 copies divide
            parts = [value // n if split else value for value, n in zip(p, units, strict=True) for _ in range(n)]
            fell = _equal(parts + [144] * idle, 36)
            of = [fell[start : start + n] for start, n in zip(starts, units, strict=True)]
            together = together and all(len(set(one)) == 1 for one in of)
            same = same and [one[0] for one in of] == _unequal(p, units, sum(units) + idle, 36)
    return conclude(
        "proved for stated sizes",
        {
            "three claims of up to 3 units, up to 2 units of nobody: copies of one claim fall together": together,
            "and just those claims fall that fall by unequal shares": same,
        },
    )


def coins(kept: int = 1) -> Evidence:
    """Exact false alarms on 8 fair coins: two true claims, which bet on and against them, beside a false one."""
    faces = list(product((0, 2), repeat=8))
    pairs = Counter((_largest(one), _largest([2 - face for face in one])) for one in faces)
    within, sharp = True, Fraction(0)
    for units, idle, false in product(product((4, 2, 1), repeat=3), (0, 1), (Fraction(0), Fraction(1, 5))):
        total = sum(units) + idle
        whole = Fraction(total, 16)
        fell = {pair: _unequal((*(Fraction(1, w) for w in pair), false), units, total, whole, kept) for pair in pairs}
        alarms = Fraction(sum(times for pair, times in pairs.items() if any(fell[pair][:2])), len(faces))
        within, sharp = within and alarms <= whole, max(sharp, alarms / whole)
    return conclude(
        "proved for stated sizes",
        {
            "unequal shares, some of nobody: a true claim falls no more often than planned": within,
            "which is attained": sharp == 1,
        },
    )


def _largest(factors: Sequence[int]) -> int:
    """The largest wealth on the way; each factor is 0 or 2, a fair game."""
    return max(accumulate(factors, mul, initial=1))


def _equal(p: Sequence[int], whole: int) -> list[bool]:
    """Holm's procedure for equal shares, as it is written in textbooks: p ≤ whole/(claims left)."""
    fell = [False] * len(p)
    for number, claim in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[claim] * (len(p) - number) > whole:
            break
        fell[claim] = True
    return fell


def _unequal(
    p: Sequence[int | Fraction], units: Sequence[int], total: int, whole: int | Fraction, kept: int = 1
) -> list[bool]:
    """Holm's procedure for shares of n units: p ≤ n·whole/(units left); `kept` = 0 leaves everybody everything."""
    fell, left = [False] * len(p), total
    for claim in sorted(range(len(p)), key=lambda i: Fraction(p[i], units[i])):
        if p[claim] * (left if kept else units[claim]) > units[claim] * whole:
            break
        fell[claim], left = True, left - units[claim]
    return fell


ENTRIES = (
    Entry(
        "holm-step",
        "Refuted claims may leave their shares to the others",
        OURS,
        "If each p-value is at most u with probability at most u, however they depend on each other, and the claim "
        "with the smallest p/s falls where p <= s·A/(shares left), then the next, some true claim falls with "
        "probability at most A; p = 1/(largest wealth) is such a p-value at any time, by Ville's inequality.",
        "smt",
        step,
        constant="1",
    ),
    Entry(
        "holm-copies",
        "Unequal shares by equal ones",
        OURS,
        "In Holm's procedure for equal shares, n copies of a claim with p-value p/n each fall together, and just where "
        "the claim falls that has n units of the significance.",
        "enumeration",
        copies,
    ),
    Entry(
        "holm-coins",
        "False alarms of the step-down, counted",
        OURS,
        "Wealths that bet on and against the same coins, p-values from their largest values, unequal shares and a "
        "false claim beside them: some true claim falls with probability at most the planned one, which is attained.",
        "enumeration",
        coins,
    ),
)
