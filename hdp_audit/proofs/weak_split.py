"""Permuted data under any noise: the error probability is split between the order and the noise."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def weak_split(parts: int = 2) -> Evidence:
    """Permuted data, any noise: P(error > s + x + y) ≤ P(|A| > x) + P(|N| > y) ≤ δ + (β − δ), x = √(V·log(2k/δ)/2)."""
    import sympy as sp
    import z3

    v, k, delta = symbols("V k delta", positive=True)
    x = sp.sqrt(v * sp.log(2 * k / delta) / 2)
    level = vanishes(2 * k * sp.exp(-parts * x**2 / v) - delta)
    shift, moved, noise, first, second, small = reals("s a n x y m")
    union = proves(
        absolute(shift + moved + noise) <= small + first + second,
        absolute(shift) <= small,
        absolute(moved) <= first,
        absolute(noise) <= second,
    )
    c, d, mu = reals("c D u")
    size = absolute(c * d - d * mu)
    mean = proves(z3.Or(size <= c * d, size <= (1 - c) * d), c >= 0, c <= 1, d >= 0, mu >= 0, mu <= 1)
    return conclude(
        "proved",
        {
            "2k·e^{−2x²/V} = δ (perm-constant)": level,
            "where both are small, so is their sum": union,
            "the mean bias cD − Dμ is at most D·max(c, 1−c)": mean,
        },
    )


ENTRIES = (
    Entry(
        "weak-split",
        "Permuted data under any noise",
        OURS,
        "D·max(c, 1-c) + sqrt(V·log(2k/delta)/2) + the noise's (1 - beta + delta)-quantile, every 0 < delta < beta.",
        "smt",
        weak_split,
    ),
)
