"""Products of chains that draw their users from one pool (ours): folding counts that are too many, and its price."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import positive_part, proves, reals


def _folded(counts: list[Any], size: Any, kept: int) -> list[Any]:
    """x'_j = min(x_j, |A| − x'_1 − ... − x'_{j−1})."""
    import z3

    found: list[Any] = []
    for count in counts:
        room = size - kept * z3.Sum([z3.RealVal(0), *found])
        found.append(z3.If(count <= room, count, room))
    return found


def fold(kept: int = 1) -> Evidence:
    """Folded counts fit; counts that fit stay; raising one count by δ moves at most δ users, for c ≤ 3."""
    import z3

    size, delta = reals("M d")
    found = {}
    for groups in (1, 2, 3):
        counts = list(reals(" ".join(f"x{j}" for j in range(groups))))
        given = [size >= 0, delta >= 0, *[count >= 0 for count in counts]]
        here = _folded(counts, size, kept)
        found[f"c = {groups}: the folded counts fit"] = proves(z3.Sum(here) <= size, *given)
        same = z3.And([one == other for one, other in zip(here, counts, strict=True)])
        found[f"c = {groups}: what fits stays"] = proves(same, z3.Sum(counts) <= size, *given)
        for j in range(groups):
            raised = [count + delta if i == j else count for i, count in enumerate(counts)]
            moved = [there - one for there, one in zip(_folded(raised, size, kept), here, strict=True)]
            into = z3.Sum([positive_part(one) for one in moved])
            out = z3.Sum([positive_part(-one) for one in moved])
            claim = z3.And(into <= delta, out <= delta)
            found[f"c = {groups}, count {j + 1}: at most δ in, δ out"] = proves(claim, *given)
    return conclude("proved for stated sizes", found)


def inside(share: int = 1) -> Evidence:
    """If inside and outside together succeed s at most, the average inside fails at least 1 − s/p."""
    success, outside, mass, bound, failure = reals("a o p s f")
    given = [mass > 0, mass <= 1, success >= 0, outside >= 0, success + outside <= bound]
    # `success` is the sum over datasets inside, each by its weight; the weights inside add up to p.
    claim = proves(share * failure * mass >= mass - bound, failure * mass == mass - success, bound <= mass, *given)
    falling = proves(1 - bound / mass >= 0, bound <= mass, mass > 0)
    nothing = proves(share * failure * mass >= mass / 2, bound == 0, failure * mass == mass - success, *given)
    steps = {"1 − (average success) ≥ 1 − s/p": claim, "it is a probability where s ≤ p": falling}
    return conclude("proved", steps | {"where nothing succeeds all fail": nothing})


ENTRIES = (
    Entry(
        "pool-fold",
        "Counts that are too many for a pool of users",
        OURS,
        "x'_j = min(x_j, M - x'_1 - ... - x'_{j-1}) sums to at most M, keeps counts that fit, and moves at most d "
        "users where one count is raised by d.",
        "smt",
        fold,
        constant="1",
    ),
    Entry(
        "pool-inside",
        "Success inside a product of chains",
        OURS,
        "If a product of priors succeeds with probability at most s and has mass p on the datasets, the datasets' "
        "average fails with probability at least 1 - s/p.",
        "smt",
        inside,
        constant="1/p",
    ),
)
