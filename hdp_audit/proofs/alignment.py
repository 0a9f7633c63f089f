"""Alignments: noise that moves to undo a change of the data, and what such a move costs in privacy (ours)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from hdp_audit.proofs.algebra import symbols
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals

PLACES = tuple(product(range(3), repeat=2))  # two draws with three values each
EVENTS = tuple(tuple(place for place, bit in enumerate(bits) if bit) for bits in product((0, 1), repeat=len(PLACES)))
LAWS = ((1, 2, 3), (1, 4, 2), (5, 5, 5), (7, 1, 1))  # weights of the three values


def theorem(own: int = 0) -> Evidence:
    """P(F(x, Z) ∈ E) = ∫ 1{F(x', φ(z)) ∈ E}·p(z) dz ≤ e^c ∫ 1{F(x', φ(z)) ∈ E}·p(φ(z)) dz ≤ e^c P(F(x', Z) ∈ E).

    φ(z) = z + t, where t depends only on coordinates that it leaves alone; `own` lets it depend on what it moves.
    """
    ratio, left, right, p, q, whole = reals("C S T p q W")
    grows = proves(left + p <= ratio * (right + q), left <= ratio * right, p <= ratio * q)
    part = proves(left <= ratio * whole, left <= ratio * right, right <= whole, ratio >= 0)
    return conclude(
        "proved for stated sizes",
        {
            "p(z) ≤ e^c·p(φ(z)) at each point bounds sums, one more point at a time": grows,
            "what moved noise hits of an event is a part of it": part,
            "up to 4 coordinates, each part of them moved by any function of the rest: z = φ(z) − t has one "
            "solution and the Jacobian is 1": all(_one_to_one(count, own) for count in range(1, 5)),
        },
    )


def _one_to_one(count: int, own: int) -> bool:
    """Every choice of moved coordinates: φ has determinant 1, and subtracting the same t undoes it."""
    import sympy as sp

    z = symbols(f"z:{count}", real=True)
    for number in range(1, count + 1):
        for moved in combinations(range(count), number):
            kept = [z[place] for place in range(count) if place not in moved]
            shifts: dict[Any, Any] = {
                z[place]: sp.Function(f"t{place}")(*kept) if kept else sp.Symbol(f"t{place}") for place in moved
            }
            shifts = {each: shift + own * each for each, shift in shifts.items()}
            there = sp.Matrix([each + shifts.get(each, 0) for each in z])
            back = [each - shifts.get(each, 0) for each in z]
            again = [row.subs(dict(zip(z, back, strict=True)), simultaneous=True) for row in there]
            if there.jacobian(z).det() != 1 or list(again) != list(z):
                return False
    return True


def counted(own: int = 0) -> Evidence:
    """F(x', ·) one-to-one on 9 pairs of draws, F(x, z) = F(x', φ(z)): the events of every other F' are among its own.

    Moves go round in a circle, and t is any of the 27 functions of the first draw.
    """
    found = list(_found(own))
    return conclude(
        "proved for stated sizes",
        {
            "two draws of 3 values, 16 laws, 27 moves, 512 events: no event has more than the move costs": all(
                largest <= cost for largest, cost in found
            ),
            "some event has as much, where the output determines the draws": all(
                largest == cost for largest, cost in found
            ),
            "a move that depends on what it moves may cost too little: the condition is needed": any(
                largest > cost for largest, cost in _found(own=1)
            ),
        },
    )


def _found(own: int) -> Iterator[tuple[Fraction, Fraction]]:
    """The largest ratio of any event and the cost of the move, law by law and move by move."""
    for first, second in product(LAWS, repeat=2):
        weight = [first[a] * second[b] for a, b in PLACES]
        for shift in product(range(3), repeat=3):
            goes = [PLACES.index((a, (b + shift[a] - own * b) % 3)) for a, b in PLACES]
            cost = max(Fraction(weight[z], weight[y]) for z, y in enumerate(goes))
            moved = [sum(weight[z] for z, y in enumerate(goes) if y == place) for place in range(len(PLACES))]
            yield _largest(moved, weight), cost


def _largest(first: list[int], second: list[int]) -> Fraction:
    """The largest P(event | first)/P(event | second), over all events but the empty one."""
    top, bottom = 0, 1
    for event in EVENTS[1:]:
        one, two = sum(first[place] for place in event), sum(second[place] for place in event)
        if one * bottom > top * two:
            top, bottom = one, two
    return Fraction(top, bottom)


def outcomes(left_out: int = 0) -> Evidence:
    """F(x, z) = r ⇒ F(x', z + s_r) = r: z + s_r are as many z', each of which gives r; for each r another s.

    `left_out`: of so many values of the noise the move need not keep the outcome.
    """
    worst = [cost - ratio for ratio, cost in _kept(left_out)]
    return conclude(
        "proved for stated sizes",
        {
            "one draw of 4 values on a circle, 3 laws, all pairs of functions into two outcomes, all moves that keep "
            "an outcome: it is at most as much likelier as the move costs": min(worst) >= 0,
            "for some it is just as much likelier": min(worst) <= 0,
        },
    )


def _kept(left_out: int) -> Iterator[tuple[Fraction, Fraction]]:
    """P(r | x)/P(r | x'), and the cost of a move that keeps r."""
    sets = [frozenset(z for z in range(4) if bits >> z & 1) for bits in range(1, 16)]
    for weight, shift, first, second in product(((1, 2, 3, 4), (1, 1, 1, 1), (6, 1, 2, 1)), range(4), sets, sets):
        moved = {(z + shift) % 4 for z in sorted(first)[left_out:]}
        if moved <= second:
            cost = max(Fraction(weight[z], weight[(z + shift) % 4]) for z in range(4))
            yield Fraction(sum(weight[z] for z in first), sum(weight[z] for z in second)), cost


def total(parts: int = 2) -> Evidence:
    """log p(z)q(y) − log p(z+s)q(y+t) is a sum of two terms of which each has a draw of its own: the suprema add up."""
    one, two, first, second, near = reals("f g a b d")
    above = proves(one + two <= first + second, one <= first, two <= second)
    below = proves(one + two >= first + second - parts * near, one >= first - near, two >= second - near, near > 0)
    return conclude(
        "proved",
        {
            "two draws cost at most the sum": above,
            "each within d of its supremum: both within 2d of the sum, so nothing less does": below,
        },
    )


ENTRIES = (
    Entry(
        "trace-alignment",
        "Noise that undoes a change of the data",
        OURS,
        "If F(x', z + t) = F(x, z) for all z, where t depends only on coordinates that it leaves alone, then P(F(x, Z) "
        "in E) <= e^c·P(F(x', Z) in E) for every event E, c = sup over z of log p(z) - log p(z + t); Jacobian 1 for up "
        "to 4 coordinates. E may be what any function of the output shows, so post-processing does not matter.",
        "smt",
        theorem,
        constant="e^c",
    ),
    Entry(
        "trace-alignment-counted",
        "Alignments on small spaces, every event",
        OURS,
        "Two draws of three values, the second moved by a function of the first: the largest ratio of any event is at "
        "most the cost of the move, and equals it where the output determines the draws.",
        "enumeration",
        counted,
        constant="1",
    ),
    Entry(
        "trace-outcomes",
        "For each outcome a move of its own",
        OURS,
        "If F(x, z) = r implies F(x', z + s_r) = r for all z, with an s_r for each outcome r, then P(F(x, Z) = r) <= "
        "e^c·P(F(x', Z) = r), c the cost of s_r: an alignment need not keep the others. So a choice among few outcomes "
        "loses at most the largest of these costs.",
        "enumeration",
        outcomes,
        constant="e^c",
    ),
    Entry(
        "trace-sum",
        "Moves of independent draws add up",
        OURS,
        "The supremum of log p(z) - log p(z + t) over all draws is the sum of the suprema of single draws.",
        "smt",
        total,
        constant="1",
    ),
)
