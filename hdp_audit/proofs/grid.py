"""Exact integer mechanisms: discrete Laplace noise on a grid, losses as exact rationals.

The noise has mass (1−q)/(1+q)·q^{|z|} at the integer z, q = e^{−1/s}. Every output's probability is then a factor
that does not depend on the data times q to an integer power, so the log-ratio times s is an integer.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude


def _power(theta: int, output: int, top: int | None) -> tuple[str, int]:
    """The kind of an output and the exponent of q in its probability, for centre theta in [0, top].

    With clipping the outputs 0 and top are tails q^θ/(1+q) and q^{top−θ}/(1+q); others are points.
    """
    if top is not None and output == 0:
        return "tail", theta
    if top is not None and output == top:
        return "tail", top - theta
    return "point", abs(output - theta)


def _outputs(top: int, clipped: bool) -> range:
    return range(top + 1) if clipped else range(-top - 2, 2 * top + 3)


def _worst(old: tuple[int, ...], new: tuple[int, ...], top: int, clipped: bool) -> int:
    """max over outputs of (log-ratio · s): an integer. Coordinates are independent, so their maxima add."""
    limit = top if clipped else None
    total = 0
    for theta, other in zip(old, new, strict=True):
        gaps = []
        for output in _outputs(top, clipped):
            (kind, power), (same, against) = _power(theta, output, limit), _power(other, output, limit)
            if kind != same:
                raise ValueError("an output cannot be a tail for one dataset and a point for the other")
            gaps.append(against - power)
        total += max(gaps)
    return total


def _mean_centre(weights: tuple[int, ...], data: tuple[int, ...], offset: int) -> tuple[int, ...]:
    return (offset + sum(w * x for w, x in zip(weights, data, strict=True)),)


def _bins(weights: tuple[int, ...], data: tuple[int, ...], k: int, offset: int) -> tuple[int, ...]:
    return tuple(offset + sum(w for w, x in zip(weights, data, strict=True) if x == j) for j in range(k))


def _neighbours(n: int, values: int, user: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for data in product(range(values), repeat=n):
        for value in range(values):
            yield data, (*data[:user], value, *data[user + 1 :])


def _mean_loss(weights: tuple[int, ...], user: int, clipped: bool, offset: int = 0, levels: int = 3) -> int:
    top = (levels - 1) * sum(weights) + 2 * offset
    return max(
        _worst(_mean_centre(weights, x, offset), _mean_centre(weights, y, offset), top, clipped)
        for x, y in _neighbours(len(weights), levels, user)
    )


def _frequency_loss(weights: tuple[int, ...], user: int, clipped: bool, k: int, offset: int = 0) -> int:
    top = sum(weights) + 2 * offset
    return max(
        _worst(_bins(weights, x, k, offset), _bins(weights, y, k, offset), top, clipped)
        for x, y in _neighbours(len(weights), k, user)
    )


WEIGHTS = ((1,), (3,), (1, 2), (2, 2), (1, 3), (1, 2, 4), (2, 0, 1), (1, 1, 3))


def mean_loss(sensitivity: int = 1) -> Evidence:
    """Loss·s = sensitivity·g·W_i for the mean on {0, 1/g, …, 1} (here g = 2), clipped or not, centred or not."""
    steps = {}
    for clipped in (False, True):
        for offset in (0, 2):
            name = f"mean, {'clipped' if clipped else 'unclipped'}, offset {offset}: loss·s = 2·W_i exactly"
            steps[name] = all(
                _mean_loss(w, user, clipped, offset) == sensitivity * 2 * w[user]
                for w in WEIGHTS
                for user in range(len(w))
            )
    return conclude("proved for stated sizes", steps)


def frequency_loss(sensitivity: int = 2) -> Evidence:
    """Loss·s = sensitivity·W_i for frequencies, sensitivity 2, k = 2 and 3, clipped or not, centred or not."""
    steps = {}
    for k in (2, 3):
        for clipped in (False, True):
            for offset in (0, 1):
                name = f"k={k}, {'clipped' if clipped else 'unclipped'}, offset {offset}: loss·s = 2·W_i exactly"
                steps[name] = all(
                    _frequency_loss(w, user, clipped, k, offset) == sensitivity * w[user]
                    for w in WEIGHTS
                    for user in range(len(w))
                )
    return conclude("proved for stated sizes", steps)


def losses_follow_users(places: int = 0) -> Evidence:
    """Permuting the users permutes their losses: nobody pays for a place in the list."""
    weights = (1, 2, 4)
    base = [_mean_loss(weights, user, clipped=True) for user in range(3)]
    follows = all(
        [_mean_loss(tuple(weights[i] for i in order), user, clipped=True) for user in range(3)]
        == [base[(i + places) % 3] for i in order]
        for order in permutations(range(3))
    )
    return conclude("proved for stated sizes", {"all orders of three users": follows})


def tails(extra: int = 1) -> Evidence:
    """Masses of the discrete Laplace law: total 1, one-sided tail q^m/(1+q), P(|N| > a) = 2q^{⌊a⌋+extra}/(1+q)."""
    import sympy as sp

    q, m = symbols("q", positive=True), symbols("m", integer=True, nonnegative=True)
    # Σ_{z≥m} q^z = q^m/(1−q) is checked by its own recursion: T(m) − T(m+1) = q^m and T → 0.
    tail = q**m / (1 + q)
    step = vanishes(tail - tail.subs(m, m + 1) - (1 - q) / (1 + q) * q**m)
    total = vanishes(2 * tail.subs(m, 1) + (1 - q) / (1 + q) - 1)
    both = vanishes(2 * tail.subs(m, m + 1) - 2 * q ** (m + extra) / (1 + q))
    limit = sp.limit(tail.subs(q, sp.Rational(9, 10)), m, sp.oo) == 0
    two_sided = all(
        _absolute_tail(Fraction(2, 3), a) == 2 * Fraction(2, 3) ** (a + extra) / (1 + Fraction(2, 3)) for a in range(12)
    )
    return conclude(
        "proved",
        {
            "the tail recursion T(m) − T(m+1) = mass(m)": step,
            "the tail tends to zero": bool(limit),
            "the masses sum to one": total,
            "both sides: P(|N| > a) = 2T(⌊a⌋ + 1)": both,
            "P(|N| > a) = 2q^{a+1}/(1+q) in rationals at q = 2/3, a = 0..11": two_sided,
        },
    )


def _absolute_tail(q: Fraction, a: int) -> Fraction:
    """1 − Σ_{|z| ≤ a} mass(z), summed term by term."""
    return 1 - sum(((1 - q) / (1 + q) * q ** abs(z) for z in range(-a, a + 1)), Fraction(0))


def scale_choice(sensitivity: int = 2) -> Evidence:
    """s = max_i sensitivity·W_i/ε_i in rationals keeps every demand: 2W_i/s ≤ ε_i, with equality for some user."""
    demands = [(Fraction(1, 10), Fraction(1, 2)), (Fraction(1, 3), Fraction(2)), (Fraction(7, 9), Fraction(1, 100))]
    kept, tight = True, True
    for eps in demands:
        for weights in product(range(1, 5), repeat=2):
            scale = max(sensitivity * Fraction(w) / e for w, e in zip(weights, eps, strict=True))
            losses = [2 * Fraction(w) / scale for w in weights]
            kept &= all(loss <= e for loss, e in zip(losses, eps, strict=True))
            tight &= any(loss == e for loss, e in zip(losses, eps, strict=True))
    return conclude(
        "proved for stated sizes", {"every loss is at most its demand": kept, "one user is exactly at it": tight}
    )


ENTRIES = (
    Entry(
        "grid-mean",
        "Exact loss of the grid mean",
        OURS,
        "With x on {0, 1/2, 1} and integer weights W, the worst log-ratio equals g·W_i/s exactly (g = 2), clipped, "
        "unclipped and centred, n <= 3.",
        "enumeration",
        mean_loss,
        constant="g·W_i/s",
    ),
    Entry(
        "grid-frequency",
        "Exact loss of the grid frequencies",
        OURS,
        "The worst log-ratio over all outputs equals 2·W_i/s exactly, k = 2, 3, n <= 3, clipped, unclipped and "
        "centred.",
        "enumeration",
        frequency_loss,
        constant="2·W_i/s",
    ),
    Entry(
        "grid-permutation",
        "Losses follow the users",
        OURS,
        "Permuting the users permutes their exact losses (n = 3, all orders).",
        "enumeration",
        losses_follow_users,
    ),
    Entry(
        "grid-tails",
        "Tails of the discrete Laplace law",
        OURS,
        "P(N >= m) = q^m/(1+q) for m >= 0 and P(|N| > a) = 2q^(floor(a)+1)/(1+q), q = e^(-1/s).",
        "sympy",
        tails,
        constant="2q^(⌊a⌋+1)/(1+q)",
    ),
    Entry(
        "grid-scale",
        "The exact scale keeps the demands",
        OURS,
        "s = max 2W_i/eps_i in rational arithmetic gives losses 2W_i/s <= eps_i, with equality for one user.",
        "enumeration",
        scale_choice,
        constant="s = max 2W_i/ε_i",
    ),
)
