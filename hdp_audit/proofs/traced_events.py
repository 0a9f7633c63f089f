"""Events whose probabilities follow from the draws: levels of rising outputs, products, branches, exceptions (ours)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise, product

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals

Weights = tuple[int, ...]


def levels(at_least: int = 1) -> Evidence:
    """g rises, r is the least u with g(u) ≥ l: {g(U) ≥ l} = {U ≥ r}. A rising function of g rises, too."""
    import z3

    u, r, here, there, level = reals("u r g h l")
    rises = [z3.Implies(u >= r, here >= at_least * there), z3.Implies(u <= r, here <= there)]
    least = [there >= level, z3.Implies(u < r, here < level)]
    same = proves((here >= level) == (u >= r), *rises, *least)
    low, high, one, two = reals("a b c d")
    after = proves(z3.Implies(u <= r, one <= two), z3.Implies(u <= r, low <= high), z3.Implies(low <= high, one <= two))
    clip = z3.If(here < 0, z3.RealVal(0), z3.If(here > 1, z3.RealVal(1), here))
    other = z3.If(there < 0, z3.RealVal(0), z3.If(there > 1, z3.RealVal(1), there))
    clipped = proves(clip <= other, here <= there)
    rounded = proves(z3.ToInt(here) <= z3.ToInt(there), here <= there)
    return conclude(
        "proved",
        {
            "g(u) ≥ l just where u ≥ r": same,
            "a rising function of a rising function rises": after,
            "clipping rises": clipped,
            "rounding down rises": rounded,
        },
    )


def halving(rising: bool = True) -> Evidence:
    """All functions of 6 places with 4 values: halving between a place below the level and one at it finds r."""
    found = fits = True
    tried = 0
    for g in product(range(4), repeat=6):
        if rising and any(one > two for one, two in pairwise(g)):
            continue
        for level in range(1, 4):
            if g[0] >= level or g[-1] < level:
                continue
            tried += 1
            reached = _halved(g, level)
            found = found and reached == next(u for u, value in enumerate(g) if value >= level)
            fits = fits and all((value >= level) == (u >= reached) for u, value in enumerate(g))
    return conclude(
        "proved for stated sizes",
        {
            "all rising functions of 6 places with 4 values: halving finds the least place": found and tried > 0,
            "and the event is that of all places from there on": fits,
        },
    )


def _halved(g: Weights, level: int) -> int:
    low, high = 0, len(g) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if g[middle] >= level else (middle, high)
    return high


def products(joined: Callable[[Fraction, Fraction], Fraction] = lambda one, two: one * two) -> Evidence:
    """Two independent draws, three outcomes each: P(A × B) = P(A)P(B), and no event beats the best ones together."""
    pairs = (((1, 2, 3), (3, 2, 1)), ((1, 1, 4), (2, 2, 2)), ((5, 1, 2), (2, 5, 1)))
    multiply = best = True
    for (p, q), (r, s) in product(pairs, repeat=2):
        both, others = ([one * two for one, two in product(*each)] for each in ((p, r), (q, s)))
        for a, b in product(_subsets(3), repeat=2):
            places = [3 * one + two for one, two in product(a, b)]
            multiply = multiply and _mass(both, places) == _mass(p, a) * _mass(r, b)
        largest = _largest(both, others)
        best = best and largest == joined(_largest(p, q), _largest(r, s))
    return conclude(
        "proved for stated sizes",
        {
            "9 pairs of laws, 64 products of events: probabilities multiply": multiply,
            "of all 512 events the best product has the largest ratio: losses add up": best,
        },
    )


def branches(chosen: Callable[[Iterable[Fraction]], Fraction] = max) -> Evidence:
    """P(E)/Q(E) is at most the largest p/q of an outcome: Σp ≤ C·Σq; outcomes of probability 0 on one side included."""
    p, q, more, other, ratio = reals("P Q p q C")
    step = proves(p + more <= ratio * (q + other), p <= ratio * q, more <= ratio * other)
    laws = [law for law in product(range(1, 7), repeat=3) if sum(law) == 9]
    same = all(
        _largest(one, two) == chosen(Fraction(a, b) for a, b in zip(one, two, strict=True))
        for one, two in product(laws, repeat=2)
    )
    bare = [law for law in product(range(4), repeat=3) if sum(law) == 3]
    never = all(
        _unbounded(one, two, _subsets(3)[1:]) == _unbounded(one, two, [(place,) for place in range(3)])
        for one, two in product(bare, repeat=2)
    )
    return conclude(
        "proved",
        {
            "one more outcome keeps P ≤ C·Q": step,
            "all pairs of laws of ninths, 1 to 6 for each of 3 outcomes: the largest ratio is that of an outcome": same,
            "all pairs of laws of thirds: an event never comes on one side alone just where an outcome does so": never,
        },
    )


def exceptions(limit: str = "13.82") -> Evidence:
    """(1 − p)^n ≤ e^{−np}: p ≥ 13.82/n leaves n tapes without an exception a chance of at most 10⁻⁶."""
    import sympy as sp

    x = symbols("x", positive=True)
    gap = -x - sp.log(1 - x)
    start = vanishes(gap.subs(x, 0))
    slope = vanishes(sp.diff(gap, x) - x / (1 - x))
    small = surely_less(iv().exp(-interval(limit)), interval(Fraction(1, 10**6)))
    p, n, seen, allowed, most = reals("p n s E c")
    enough = proves(
        p * allowed <= seen, p * n < most, n * seen >= most * allowed, seen > 0, allowed >= 1, n > 0, p >= 0
    )
    return conclude(
        "proved",
        {
            "log(1 − p) ≤ −p: equal at 0": start,
            "and the slope of the difference is p/(1 − p) ≥ 0": slope,
            f"e^−{limit} < 10⁻⁶, in interval arithmetic": small,
            f"p < {limit}/n and n ≥ {limit}·e^ε/s give p ≤ s·e^−ε": enough,
        },
    )


def _subsets(count: int) -> list[tuple[int, ...]]:
    """Of so many outcomes, the empty one first."""
    return [tuple(place for place in range(count) if bits >> place & 1) for bits in range(2**count)]


def _mass(law: Iterable[int], event: Iterable[int]) -> int:
    weights = list(law)
    return sum(weights[place] for place in event)


def _largest(first: Iterable[int], second: Iterable[int]) -> Fraction:
    """The largest P(event)/Q(event) over all events but the empty one."""
    one, two = list(first), list(second)
    return max(Fraction(_mass(one, event), _mass(two, event)) for event in _subsets(len(one))[1:])


def _unbounded(first: Weights, second: Weights, events: Iterable[tuple[int, ...]]) -> bool:
    return any(_mass(first, event) > 0 == _mass(second, event) for event in events)


ENTRIES = (
    Entry(
        "trace-levels",
        "Events of an output that rises with its noise",
        OURS,
        "If g never falls and r is the least u with g(u) >= level, then {g(U) >= level} = {U >= r}, so its probability "
        "is that of a tail of the noise, whatever clips or rounds the output afterwards.",
        "smt",
        levels,
    ),
    Entry(
        "trace-halving",
        "Halving finds where a level is reached",
        OURS,
        "For every rising function of 6 places with 4 values, halving finds the least place at which a level is "
        "reached.",
        "enumeration",
        halving,
    ),
    Entry(
        "trace-products",
        "Events of independent draws",
        OURS,
        "Probabilities of product events of two independent draws multiply, and of all events a product has the "
        "largest ratio: the sum of both losses; three outcomes each.",
        "enumeration",
        products,
        constant="1",
    ),
    Entry(
        "trace-branches",
        "The loss of two laws that can be counted",
        OURS,
        "The largest |log P(E)/Q(E)| over all events of two finite laws is that of a single outcome, infinite just "
        "where one of them never has it.",
        "smt",
        branches,
        constant="max |log p/q|",
    ),
    Entry(
        "trace-exceptions",
        "Tapes without an exception",
        OURS,
        "If an exception has probability p >= 13.82/n, then n tapes are without one with probability at most 10^-6; "
        "so after n >= 13.82·e^eps/s of them p is at most s·e^-eps, but for that chance.",
        "sympy",
        exceptions,
        constant="13.82",
    ),
)
