"""What moving a draw costs, sup over u of log p(u) − log p(u + t), where a direction has no bound (ours)."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def exponential(rate: int = 1) -> Evidence:
    """p = e^{−u} for u ≥ 0: upwards e^t at each u; downwards draws below −t leave the support."""
    import sympy as sp

    u, t = symbols("u t", positive=True)
    up = vanishes(sp.exp(-u) / sp.exp(-(u + t)) - sp.exp(rate * t))
    place, move = reals("u t")
    left = proves(place + move < 0, move < 0, place >= 0, place < -move)
    chance = vanishes(sp.integrate(sp.exp(-u), (u, 0, t)) - (1 - sp.exp(-t)))
    return conclude(
        "proved",
        {
            "t ≥ 0: the ratio is e^t at each u ≥ 0": up,
            "t < 0: every u < −t moves to where there is no density": left,
            "and such u have probability 1 − e^t > 0": chance,
        },
    )


def gumbel(rate: int = 1) -> Evidence:
    """p = exp(−u − e^{−u}): log p(u) − log p(u + t) = t − y(1 − a), y = e^{−u} > 0, a = e^{−t}."""
    import sympy as sp
    import z3

    u, t = symbols("u t", real=True)
    logs = [-each - sp.exp(-each) for each in (u, u + t)]
    formula = vanishes(logs[0] - logs[1] - (rate * t - sp.exp(-u) * (1 - sp.exp(-t))))
    limit = vanishes(sp.limit(t - sp.exp(-u) * (1 - sp.exp(-t)), u, sp.oo) - t)
    y, a, move, level = reals("y a t M")
    up = proves(move - y * (1 - a) < move, y > 0, a > 0, a < 1)
    low = (y - 1) * (a - 1) == absolute(level - move)
    down = proves(z3.And(y > 0, move - y * (1 - a) >= level), a > 1, low)
    return conclude(
        "proved",
        {
            "log p(u) − log p(u + t) = t − e^{−u}(1 − e^{−t})": formula,
            "t > 0: below t everywhere": up,
            "which is its limit for u → ∞": limit,
            "t < 0: at least M at e^{−u} = 1 + |M − t|/(a − 1), whatever M": down,
        },
    )


def geometric(rate: int = 1) -> Evidence:
    """p(k) = q^{k−1}(1 − q), k = 1, 2, 3 …, q = 1 − p: upwards q^{−t} at each k; 1 moves down to where nothing is."""
    import sympy as sp
    import z3

    q = symbols("q", positive=True)
    k, t = symbols("k t", integer=True, positive=True)
    up = vanishes(sp.powsimp(q ** (k - 1) * (1 - q) / (q ** (k + t - 1) * (1 - q))) - q ** (-rate * t))
    place, move, part, whole = reals("k t f m")
    down = proves(place + move < 1, move <= -1, place == 1)
    # a whole number m is at most k or at least k + 1
    between = proves(place + part != whole, part > 0, part < 1, z3.Or(whole <= place, whole >= place + 1))
    return conclude(
        "proved",
        {
            "whole t ≥ 0: the ratio is (1 − p)^{−t} at each k": up,
            "t ≤ −1: k = 1 leaves the support": down,
            "a part of a step leads between whole numbers": between,
        },
    )


def normal(divisor: int = 2) -> Evidence:
    """p ∝ e^{−u²/2}: log p(u) − log p(u + t) = tu + t²/2, which is M at u = (M − t²/2)/t."""
    u, t, level = symbols("u t M", real=True)
    loss = t * u + t**2 / divisor
    formula = vanishes(-(u**2) / 2 + (u + t) ** 2 / 2 - loss)
    reached = vanishes(loss.subs(u, (level - t**2 / divisor) / t) - level)
    return conclude(
        "proved",
        {
            "log p(u) − log p(u + t) = tu + t²/2, and 0 for t = 0": formula,
            "t ≠ 0: it is M at u = (M − t²/2)/t, whatever M": reached,
        },
    )


def uniform(half: str = "1/2") -> Evidence:
    """p = 1 on (−½, ½): draws within |t| of the end that the move goes to leave the support."""
    import z3

    u, t = reals("u t")
    edge = z3.RealVal(half)
    up = proves(u + t >= edge, t > 0, u < z3.RealVal("1/2"), u >= z3.RealVal("1/2") - t)
    down = proves(u + t <= -edge, t < 0, u > z3.RealVal("-1/2"), u <= z3.RealVal("-1/2") - t)
    size, length = reals("m l")
    often = proves(length > 0, absolute(t) > 0, size == absolute(t), z3.Or(length == size, length == 1))
    return conclude(
        "proved",
        {
            "t > 0: every u from ½ − t on leaves the support": up,
            "t < 0: every u up to −½ − t does": down,
            "these have probability min(|t|, 1), which is positive unless t = 0": often,
        },
    )


ENTRIES = (
    Entry(
        "trace-exponential",
        "Moving an exponential draw",
        OURS,
        "Exponential: sup over u of log p(u) - log p(u + t) = t for t >= 0, attained at every u; infinite for t < 0.",
        "sympy",
        exponential,
        constant="t",
    ),
    Entry(
        "trace-gumbel",
        "Moving a Gumbel draw",
        OURS,
        "Gumbel: sup over u of log p(u) - log p(u + t) = t for t >= 0, a limit that no u attains unless t = 0; "
        "infinite for t < 0.",
        "sympy",
        gumbel,
        constant="t",
    ),
    Entry(
        "trace-geometric",
        "Moving a geometric draw",
        OURS,
        "Geometric on 1, 2, 3 ... with 0 < p < 1: the cost is t·(-log(1 - p)) for whole t >= 0, attained at every u; "
        "infinite for t < 0 and for parts of a step.",
        "sympy",
        geometric,
        constant="t·(−log(1−p))",
    ),
    Entry(
        "trace-normal",
        "Moving a normal draw",
        OURS,
        "Normal: log p(u) - log p(u + t) = tu + t^2/2 takes every value unless t = 0, so no pure loss bounds it.",
        "sympy",
        normal,
        constant="∞",
    ),
    Entry(
        "trace-uniform",
        "Moving a uniform draw",
        OURS,
        "Uniform on (-1/2, 1/2): a move by t leaves the support with probability min(|t|, 1); so it costs nothing for "
        "t = 0 and is infinite else.",
        "smt",
        uniform,
        constant="∞",
    ),
)
