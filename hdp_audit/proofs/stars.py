"""Stars (ours): what one output can do for datasets that are one move away from a common base.

Node r of the arm i → j has moved r users from category i to j: the truth is r·(e_j − e_i). Let w be an output and x ≥ 0
the largest min(w_j, −w_i) over all arms, that of the arm 0 → 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, positive_part, proves, reals


def star_errors(share: str = "1") -> Evidence:
    """The own arm errs by |r − x|, every other one by x and by r − x; four categories hold every pair of arms."""
    import z3

    w = reals("w0 w1 w2 w3")
    r, x = reals("r x")
    part = z3.RealVal(share) * x
    base = [r >= 0, x >= 0, w[1] >= x, -w[0] >= x, z3.Or(w[1] == x, -w[0] == x)]
    steps = {"own arm: |r − x|": proves(_errs_by(w, (0, 1), r, absolute(r - part)), *base)}
    for source, target in permutations(range(4), 2):
        if (source, target) != (0, 1):
            most = z3.Or(w[target] <= x, -w[source] <= x)
            away = z3.And(
                _errs_by(w, (source, target), r, part),
                _errs_by(w, (source, target), r, r - x),
            )
            steps[f"arm {source} → {target}"] = proves(away, *base, most)
    outside = proves(_errs_by(w, (2, 3), r, r), r >= 0, z3.Or(w[3] <= 0, w[2] >= 0))
    return conclude("proved", steps | {"an arm that w does not point along: r": outside})


def _errs_by(w: Sequence[Any], arm: tuple[int, int], r: Any, least: Any) -> Any:
    """Some coordinate of w − r(e_target − e_source) is at least so large."""
    import z3

    truth = {arm[0]: -r, arm[1]: r}
    return z3.Or(*(absolute(value - truth.get(place, 0)) >= least for place, value in enumerate(w)))


def star_counts(less: int = 0, largest: int = 6) -> Evidence:
    """Of the arms i → j with w_j > 0 > w_i and another source than a given such arm's, at most (d−1)(k−d), d ≤ s."""
    fits, met = True, True
    for k in range(2, largest + 1):
        for sources in range(1, k + 1):
            bound = max((d - 1) * (k - d) for d in range(1, min(sources, k - 1) + 1)) - less
            found = max(_elsewhere(signs, sources) for signs in product((-1, 0, 1), repeat=k))
            fits, met = fits and found <= bound, met and found == bound
    return conclude("proved for stated sizes", {f"all signs, k ≤ {largest}: at most": fits, "and attained": met})


def _elsewhere(signs: tuple[int, ...], sources: int) -> int:
    down = sum(sign < 0 for sign in signs[:sources])
    up = sum(sign > 0 for sign in signs)
    return (down - 1) * up if down and up else 0


def star_siblings(users: int = 1) -> Evidence:
    """Two arms of one source at equal r, and a node and the base, differ in the r users moved; n ≤ 4, k ≤ 4."""
    base, right = (0, 0, 0, 0), True
    for r, first, second in product(range(1, 5), (1, 2, 3), (1, 2, 3)):
        one, other = (first,) * r + base[r:], (second,) * r + base[r:]
        right = right and _apart(one, base) == users * r and (_apart(one, other) == users * r or first == second)
    return conclude("proved for stated sizes", {"the datasets differ in r users": right})


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def star_grid(quarter: str = "1/4") -> Evidence:
    """Losses are convex in x; between bends the sum is F* + c(x − x*)² with c ≤ Λ, so a grid costs at most Λτ²/4."""
    import z3

    curve, mass, step, near, lowest = reals("c M t d F")
    given = [curve >= 0, curve <= mass, step >= 0, 2 * absolute(near) <= step]
    grid = proves(lowest + curve * near * near <= lowest + z3.RealVal(quarter) * mass * step * step, *given)
    convex = {f"convex: {name}": _convex(loss) for name, loss in _LOSSES.items()}
    return conclude("proved", convex | {"the nearer output": grid})


def _convex(loss: Callable[[Any, Any], Any]) -> bool:
    """The positive part of the error (its square is then convex too) lies below its chords' middles."""
    first, second, r = reals("u v r")
    sides = positive_part(loss(first, r)) + positive_part(loss(second, r))
    return proves(2 * positive_part(loss((first + second) / 2, r)) <= sides)


def _larger(a: Any, b: Any) -> Any:
    return positive_part(a - b) + b


_LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "|r − x|": lambda x, r: absolute(r - x),
    "max(x, r − x)": lambda x, r: _larger(x, r - x),
    "max(x, r)": lambda x, r: _larger(x, r),
}


ENTRIES = (
    Entry(
        "star-errors",
        "What one output can do on a star",
        OURS,
        "With x >= 0 the largest min(w_j, -w_i) over the arms, its arm errs by |r - x|, every other one by max(x, r - "
        "x), and those with w_j <= 0 or w_i >= 0 by r.",
        "smt",
        star_errors,
        constant="1",
    ),
    Entry(
        "star-counts",
        "How many arms of other sources one output can point along",
        OURS,
        "Given an arm i -> j with w_j > 0 > w_i, at most max over d of (d-1)(k-d) arms with other sources are like it.",
        "enumeration",
        star_counts,
    ),
    Entry(
        "star-siblings",
        "Arms of one source move the same users",
        OURS,
        "Node r of an arm differs from the base, and from node r of another arm of its source, in r users.",
        "enumeration",
        star_siblings,
    ),
    Entry(
        "star-grid",
        "A star's certificate holds between the outputs checked",
        OURS,
        "Checked at outputs at most tau apart and where losses bend, sum lambda E error^2 >= sum nu - tau^2/4.",
        "smt",
        star_grid,
        constant="1/4",
    ),
)
