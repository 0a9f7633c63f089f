"""Secret demands (ours): what a public level of saturation leaves to tell."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, possible, proves, reals


def secret_demands(most: str = "larger") -> Evidence:
    """|m(x − ½) − m'(x' − ½)| ≤ max(m, m'), m = min(ε, ρ): all that an output has of a user, in units of noise."""
    import z3

    e, f, level, x, y = reals("e f r x y")

    def least(demand: Any) -> Any:
        return z3.If(demand <= level, demand, level)

    m, n = least(e), least(f)
    half = z3.RealVal("1/2")
    moved = absolute(m * (x - half) - n * (y - half))
    larger, smaller = z3.If(e >= f, e, f), z3.If(e >= f, f, e)
    given = [e >= 0, f >= 0, level > 0, x >= 0, x <= 1, y >= 0, y <= 1]
    return conclude(
        "proved",
        {
            "datum and demand together": proves(moved <= (larger if most == "larger" else smaller), *given),
            "a demand alone: half of the difference": proves(moved <= absolute(m - n) / 2, *given, x == y),
            "nobody in their place: half of the demand": proves(moved <= e / 2, *given, f == 0),
            "a datum alone: the demand": proves(moved <= e, *given, e == f),
            "attained": possible(*given, e == f, e == 1, level == 1, moved == e),
        },
    )


def level_too_small(times: str = "c") -> Evidence:
    """At ρ/c instead of ρ no weight is farther from 1/n and the noise is c times as wide."""
    import z3

    e, level, c, a, b = reals("e r c a b")
    given = [e >= 0, level > 0, c >= 1, a >= 0, b >= 0]

    def missing(at: Any) -> Any:
        """1 − min(1, ε/ρ), by its numerator."""
        return z3.If(e >= at, z3.RealVal(0), at - e)

    # 1 − ε/(ρ/c) ≤ 1 − ε/ρ, both parts positive: multiplied by ρ/c and ρ.
    fewer = proves(missing(level / c) * c <= missing(level), *given)
    wider = c if times == "c" else z3.RealVal(1)
    return conclude(
        "proved",
        {
            "the bias does not grow": fewer,
            "an error that grows with bias and noise, and with both by their factor, grows by c at most": proves(
                a + c * b <= wider * (a + b), *given
            ),
        },
    )


ENTRIES = (
    Entry(
        "secret-demands",
        "A public level keeps demands secret",
        OURS,
        "1/2 + sum min(eps_i, r)(x_i - 1/2)/(nr) + Laplace(1/(nr)), n and r public: a user's datum and demand may both "
        "change for max(eps, eps'), a demand alone for half of the difference; eps + eps' is what leaving and coming "
        "would allow.",
        "smt",
        secret_demands,
        constant="1",
    ),
    Entry(
        "secret-level",
        "The price of a level that is too small",
        OURS,
        "A public level that is c times too small costs at most c times the error: weights come nearer to 1/n, and the "
        "noise is c times as wide.",
        "smt",
        level_too_small,
        constant="c",
    ),
)
