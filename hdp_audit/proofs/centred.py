"""The centred mechanism (ours): weights that need not sum to one, released around ½."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, possible, proves, reals


def mean_bias(centre: str = "1/2") -> Evidence:
    """|½ + Σw_i(x_i − ½) − Σu·x_i| = |Σ(w_i − u)(x_i − ½)| ≤ ½Σ(u − w_i) for 0 ≤ w ≤ u."""
    import z3

    w, u, x = reals("w u x")
    middle = z3.RealVal(centre)
    given = [w >= 0, w <= u, x >= 0, x <= 1]
    each = proves(absolute((w - u) * (x - middle)) <= (u - w) / 2, *given)
    worst = possible(w >= 0, w < u, x == 1, absolute((w - u) * (x - middle)) == (u - w) / 2)
    shift = vanishes(_centred_identity())
    return conclude(
        "proved",
        {
            "Σu = 1 turns ½ − ½Σw into ½Σ(u − w)": shift,
            "each user adds at most (u − w_i)/2": each,
            "attained at x = 1": worst,
        },
    )


def _centred_identity() -> object:
    """For one user of n: ½u + w(x − ½) − ux = (w − u)(x − ½)."""
    import sympy as sp

    w, u, x = symbols("w u x", real=True)
    half = sp.Rational(1, 2)
    return half * u + w * (x - half) - u * x - (w - u) * (x - half)


def frequency_bias(centre: str = "1/2") -> Evidence:
    """Adding c·D to each bin, D = 1 − Σw: the worst bias is D·max(c, 1−c), least at c = ½."""
    import z3

    deficit, mass, c = reals("D m c")
    # A bin that lost mass m of the deficit (0 ≤ m ≤ D) errs by c·D − m.
    given = [deficit >= 0, mass >= 0, mass <= deficit]
    middle = z3.RealVal(centre)
    each = proves(absolute(middle * deficit - mass) <= deficit / 2, *given)
    least = proves(z3.Or(c >= z3.RealVal("1/2"), 1 - c >= z3.RealVal("1/2")))
    return conclude("proved", {"every bin errs by at most D/2": each, "no other c has max(c, 1−c) < ½": least})


def weak_mean(quarter: str = "1/4") -> Evidence:
    """w = s·w_ρ around ½: worst mean square ¼max((1−s)², s²V₀) + 2s²t₀², V₀ = ‖w_ρ−u‖²·n/(n−1)."""
    import sympy as sp
    import z3

    s, v, d = reals("s V d")
    # d = (μ − ½)² in [0, ¼]; the permuted part is s²V₀(μ(1−μ)) ≤ s²V₀(¼ − d), the shift (1−s)²d.
    inside = s * s * v * (z3.RealVal("1/4") - d) + (1 - s) * (1 - s) * d
    share = z3.RealVal(quarter)
    given = [v >= 0, s >= 0, d >= 0, d <= z3.RealVal("1/4")]
    bounded = proves(z3.Or(inside <= share * s * s * v, inside <= share * (1 - s) * (1 - s)), *given)
    mu = symbols("mu", real=True)
    spread = vanishes(mu * (1 - mu) - (sp.Rational(1, 4) - (mu - sp.Rational(1, 2)) ** 2))
    return conclude("proved", {"μ(1−μ) = ¼ − (μ−½)²": spread, "linear in (μ−½)², so the worst is at an end": bounded})


def convex_level(rising: bool = False) -> Evidence:
    """A(t) = Σ(u − tε_i)₊ is convex and falling in t, so a criterion convex and increasing in it is convex in t."""
    import z3

    s, t, lam, eps, u = reals("s t l e u")

    def lack(level: Any) -> Any:
        return z3.If(u - level * eps >= 0, u - level * eps, 0)

    given = [lam >= 0, lam <= 1, eps >= 0, u > 0, s >= 0, t >= 0]
    convex = proves(lack(lam * s + (1 - lam) * t) <= lam * lack(s) + (1 - lam) * lack(t), *given)
    falling = proves(z3.Implies(s <= t, lack(s) <= lack(t) if rising else lack(t) <= lack(s)), *given)
    return conclude("proved", {"each term is convex in t": convex, "and falling": falling})


ENTRIES = (
    Entry(
        "centred-mean",
        "Bias of the centred mean",
        OURS,
        "1/2 + sum w_i(x_i - 1/2) with 0 <= w_i <= 1/n errs by at most ½·sum (1/n - w_i) before noise.",
        "smt",
        mean_bias,
        constant="1/2",
    ),
    Entry(
        "centred-frequency",
        "Bias of the centred frequencies",
        OURS,
        "Adding c·D to each bin, D = 1 - sum w, errs by at most D·max(c, 1-c) in every bin: D/2 at c = 1/2, the best "
        "c.",
        "smt",
        frequency_bias,
        constant="1/2",
    ),
    Entry(
        "centred-weak-mean",
        "Centred mean under a random order",
        OURS,
        "Weights s·w around 1/2: mean square at most ¼·max((1-s)^2, s^2·V0) + 2s^2·t0^2.",
        "smt",
        weak_mean,
        constant="1/4",
    ),
    Entry(
        "level-convex",
        "Criteria are convex in the level",
        OURS,
        "A(t) = sum (1/n - t·eps_i)_+ is convex and falling in t.",
        "smt",
        convex_level,
    ),
)
