"""Lattices of datasets (ours): which outputs a certificate must look at, and what those between them can save."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def _farness(w: Sequence[int], datasets: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """D = max|w_j − 2x_j| for each dataset x."""
    return tuple(max(abs(value - 2 * one) for value, one in zip(w, x, strict=True)) for x in datasets)


def _listed(w: Sequence[int], blocks: int, room: int) -> bool:
    """Some w odd, all where ⌊w/2⌋ = 0, 0 < w < 2M, and Σ⌊w/2⌋ ≤ M ≤ Σ⌈w/2⌉."""
    odd = any(value % 2 for value in w) and all(0 < value < 2 * blocks for value in w)
    return odd and sum(value // 2 for value in w) <= blocks - room and sum((value + 1) // 2 for value in w) >= blocks


def outputs(room: int = 0) -> Evidence:
    """Every output in half blocks is no better than a listed one or than a dataset, or loses 1 everywhere."""
    covered = True
    for k, blocks in ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2)):
        datasets = [x for x in product(range(blocks + 1), repeat=k) if sum(x) == blocks]
        everything = list(product(range(-1, 2 * blocks + 2), repeat=k))
        kept = {_farness([2 * one for one in x], datasets) for x in datasets}
        kept |= {_farness(w, datasets) for w in everything if _listed(w, blocks, room)}
        for found in {_farness(w, datasets) for w in everything}:
            better = any(all(one <= other for one, other in zip(good, found, strict=True)) for good in kept)
            covered = covered and (better or min(found) >= 2)
    return conclude("proved for stated sizes", {"k ≤ 4, up to three blocks: all outputs": covered, **_pairs()})


def _pairs() -> dict[str, bool]:
    """Whole numbers less than 1 away from the same number are neighbours or equal."""
    import z3

    first, second = z3.Ints("a c")
    y = reals("y")[0]
    near = [absolute(y - z3.ToReal(one)) < 1 for one in (first, second)]
    return {"errors below a block: pairs of neighbours": proves(absolute(first - second) <= 1, *near)}


def rounding(most: str = "1/16") -> Evidence:
    """One uniform u sends w_j, d_j from the nearest whole number a_j, to a_j, or for u < 2d_j half a block to its side.

    A dataset on the other side of a_j is n + d_j away, one on w_j's side m − d_j. The farthest coordinate stays the
    farthest, so the largest error becomes n or n + ½, m or m − ½; its square is the chord's, at most 1/16 too large.
    """
    import z3

    d, e, u, n, other = reals("d e u n o")
    half = z3.RealVal("1/2")
    # All that is needed of whole numbers n and o.
    whole = z3.Or(other <= n - 1, other == n, other >= n + 1)
    given = [d >= 0, d <= half, e >= 0, e <= half, u >= 0, u < 1, whole]

    def moved(start: Any, near: Any, sign: int) -> Any:
        return start + z3.If(u < 2 * near, sign * half, z3.RealVal(0))

    steps = {}
    for sign, name in ((1, "n + d"), (-1, "m − d")):
        for own, kind in ((1, "n + d"), (-1, "m − d")):
            nearer = other + own * e <= n + sign * d
            claim = moved(other, e, own) <= moved(n, d, sign)
            steps[f"{kind} stays below {name}"] = proves(claim, nearer, *given)
    saved = d / 2 - d * d
    steps["the chord's excess d/2 − d², at n + d and at m − d"] = _excess()
    steps["is at most 1/16"] = proves(saved <= z3.RealVal(most), d >= 0, d <= half)
    return conclude("proved", steps)


def _excess() -> bool:
    import sympy

    d, level = sympy.symbols("d l")
    half = sympy.Rational(1, 2)
    chords = [(1 - 2 * d) * level**2 + 2 * d * (level + sign * half) ** 2 - (level + sign * d) ** 2 for sign in (1, -1)]
    return all(sympy.expand(chord - (d / 2 - d**2)) == 0 for chord in chords)


def names(sign: int = 1) -> Evidence:
    """Densities averaged over names stay in the cone; rows that hold make the form non-negative there."""
    a, b, c, d, grow = reals("a b c d E")
    cone = [grow >= 1, a >= 0, b >= 0, c >= 0, d >= 0, a <= grow * b, c <= grow * d]
    averaged = proves(a + sign * c <= grow * (b + sign * d), *cone)
    near, far, own, beyond, flow = reals("g h r s f")
    given = [grow >= 1, near >= 0, far >= 0, near <= grow * far, flow >= 0, own >= -flow, beyond >= flow * grow]
    form = proves(own * near + beyond * far >= flow * (grow * far - near), *given)
    one = proves(flow * (grow * far - near) >= 0, flow >= 0, grow * far >= near)
    steps = {"an average stays in the cone": averaged, "rows add up to flows": form, "flows are at least 0": one}
    return conclude("proved", steps)


ENTRIES = (
    Entry(
        "simplex-outputs",
        "Which outputs a lattice's certificate looks at",
        OURS,
        "Of all outputs w/2 in half blocks, each is at every dataset no better than a dataset's own or than one with "
        "some w odd, 0 < w < 2M, sum floor(w/2) <= M <= sum ceil(w/2); or it loses 1 at every dataset.",
        "enumeration",
        outputs,
    ),
    Entry(
        "simplex-rounding",
        "Outputs between those in half blocks",
        OURS,
        "For every output there is a random one in half blocks whose mean square at each dataset is at most 1/16 of a "
        "squared block larger.",
        "smt",
        rounding,
        constant="1/16",
    ),
    Entry(
        "simplex-names",
        "A lattice's certificate",
        OURS,
        "Averages over names keep P(y|x) <= E P(y|x'), and nu - loss lambda + sum flow (E far - near) <= 0 at each "
        "node gives sum (loss lambda - nu) g >= 0.",
        "smt",
        names,
    ),
)
