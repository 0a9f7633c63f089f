"""What keeping the demands allows on a packing: p*, the chance of a right answer, and r*, the projected risk."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def right(radius: str = "1/2", rivals: int = 1) -> Evidence:
    """K + 1 datasets drawn evenly, densities within E = e^S of each other: P(error < Δ/2) ≤ p* = E/(E + K).

    An output is right for at most one dataset, and that one's posterior is g/(g + others) with others ≥ K·g/E.
    """
    import z3

    out, first, second, gap = reals("o s t d")
    close = z3.RealVal(radius) * gap
    disjoint = proves(
        z3.Not(z3.And(absolute(out - first) < close, absolute(out - second) < close)),
        gap > 0,
        absolute(first - second) >= gap,
    )
    ratio, own, others, k = reals("E g o K")
    posterior = proves(
        own * (ratio + rivals * k) <= ratio * (own + others),
        *[ratio >= 1, k >= 1, own >= 0, others * ratio >= k * own],
    )
    return conclude(
        "proved",
        {
            "truths lie exactly m/n apart, n = 5, 1 to 5 rivals": _distances(),
            "open balls of radius Δ/2 do not meet": disjoint,
            "no posterior exceeds E/(E + K)": posterior,
        },
    )


def _distances() -> bool:
    """Everybody in category 0, or m users in one of 1, ..., K: the truths of any two datasets."""
    good = True
    for rivals, moved in product(range(1, 6), range(1, 6)):
        truths = [[Fraction(5)] + [Fraction(0)] * rivals]
        for rival in range(1, rivals + 1):
            truths.append(
                [Fraction(5 - moved), *(Fraction(moved if bin_ == rival else 0) for bin_ in range(1, rivals + 1))]
            )
        gaps = {max(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in combinations(truths, 2)}
        good &= gaps == {Fraction(moved)}
    return good


def attained(rivals: int = 1) -> Evidence:
    """Answering the truth with probability E/(E + K) and each rival with 1/(E + K) keeps e^S and is right p* often."""
    ratio, k = reals("E K")
    given = [ratio >= 1, k >= 1]
    honest, wrong = ratio / (ratio + k), rivals / (ratio + k)
    law = proves(honest + k * wrong == 1, *given)
    kept = proves(honest == ratio * wrong, *given)
    return conclude("proved", {"a law": law, "whose probabilities differ by exactly E": kept})


def risk(quarter: str = "1/4") -> Evidence:
    """In units of Δ the truths are unit vectors e_0..e_K of the box [0, 1]: E(projected error)² ≥ r*.

    v the answer's largest coordinate: below ½ every truth errs by ≥ ½; else one errs by ≥ 1 − v, the others by ≥ v.
    """
    import z3

    v, p, top, own = reals("v p t y")
    fourth = z3.RealVal(quarter)
    low = proves((1 - own) * (1 - own) >= fourth, own <= v, 2 * v <= 1)
    loss = p * (1 - v) * (1 - v) + (1 - p) * v * v
    inside = [p >= 0, p <= top, top <= 1, v >= 0, v <= 1, 2 * v >= 1]
    sure = proves(loss >= top * (1 - top), *inside, 2 * top >= 1)
    unsure = proves(loss >= fourth, *inside, 2 * top <= 1)
    out, low_end, high_end, truth = reals("o l h t")
    moved = z3.If(out < low_end, low_end, z3.If(out > high_end, high_end, out))
    projected = proves(absolute(moved - truth) <= absolute(out - truth), low_end <= truth, truth <= high_end)
    best = symbols("p", positive=True)
    reached = vanishes(best * (1 - best) ** 2 + (1 - best) * best**2 - best * (1 - best))
    return conclude(
        "proved",
        {
            "v ≤ ½: every truth errs by at least ½": low,
            "v ≥ ½ and p* ≥ ½: at least p*(1 − p*)": sure,
            "p* ≤ ½: at least ¼": unsure,
            "moving an output into the box never increases an error": projected,
            "K = 1: answering p* or 1 − p* reaches p*(1 − p*)": reached,
            "1 − p* = 1/(1 + e^S/K), which the code computes without cancellation": _complement(),
        },
    )


def _complement() -> bool:
    import sympy as sp

    s, k = symbols("S K", positive=True)
    best = 1 / (1 + k * sp.exp(-s))
    return vanishes(1 - best - 1 / (1 + sp.exp(s) / k))


ENTRIES = (
    Entry(
        "packed-right",
        "How often an answer may be right",
        OURS,
        "m users moved to any of K rival categories, demands of sum S: the error stays below m/(2n) with probability "
        "at most p* = 1/(1 + K·e^-S), data drawn evenly from the K + 1 datasets.",
        "smt",
        right,
        constant="1/(1 + K·e^−S)",
    ),
    Entry(
        "packed-attained",
        "No smaller probability is true",
        OURS,
        "Randomised response over the K + 1 datasets keeps e^S and is right with probability p* exactly.",
        "smt",
        attained,
        constant="1",
    ),
    Entry(
        "packed-risk",
        "How small a projected risk may be",
        OURS,
        "Outputs moved into the box of the truths have mean squared error at least (m/n)^2·r*, r* = p*(1-p*) for "
        "p* >= 1/2 and 1/4 otherwise; attained for K = 1.",
        "smt",
        risk,
        constant="p*(1−p*)",
    ),
)
