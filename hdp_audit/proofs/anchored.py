"""The anchored mechanism (ours): an opinion moved into the box around a robust anchor."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def budget(kept: int = 1) -> Evidence:
    """min(ε, ρ) + min((ε − kept·ρ)₊, ρ₂) ≤ ε: both releases together spend no more than the demand."""
    import z3

    eps, rho, second = reals("e r s")

    def least(a: Any, b: Any) -> Any:
        return z3.If(a <= b, a, b)

    left = z3.If(eps - kept * rho >= 0, eps - kept * rho, z3.RealVal(0))
    within = proves(least(eps, rho) + least(left, second) <= eps, eps >= 0, rho >= 0, second >= 0)
    return conclude("proved", {"the two spendings sum to at most the demand": within})


def box(widths: int = 1) -> Evidence:
    """|y − μ| ≤ |y₁ − μ| + widths·h for y in y₁ ± h; and |y − μ| ≤ |y₂ − μ| wherever |y₁ − μ| ≤ h."""
    import z3

    anchor, opinion, truth, reach = reals("a o m h")
    moved = z3.If(opinion > anchor + reach, anchor + reach, z3.If(opinion < anchor - reach, anchor - reach, opinion))
    given = [reach >= 0]
    safe = proves(absolute(moved - truth) <= absolute(anchor - truth) + widths * reach, *given)
    closer = proves(absolute(moved - truth) <= absolute(opinion - truth), absolute(anchor - truth) <= reach, *given)
    return conclude(
        "proved",
        {
            "the answer errs by at most the anchor's error and h": safe,
            "a box that holds the truth harms nobody": closer,
        },
    )


def square(cross: int = 2) -> Evidence:
    """E(a + h)² ≤ (s + h)² where E a² = s² and so E a ≤ s: the mean square grows by at most cross·s·h + h²."""
    mean, root, reach = reals("m s h")
    given = [mean >= 0, root >= 0, reach >= 0, mean * mean <= root * root]
    grown = root * root + 2 * reach * mean + reach * reach
    bounded = proves(grown <= root * root + cross * reach * root + reach * reach, *given)
    return conclude("proved", {"E a ≤ √(E a²) carries over to (√V + h)²": bounded})


def twice(times: int = 2) -> Evidence:
    """h is at most the anchor's own worst figure: a bias a never makes |a + N| smaller in law than |N|.

    With u = e^{a/b} ≥ 1 and v = e^{x/b} ≥ 1 the law of |a + N| at x is 1 − (u + 1/u)/(2v) for x ≥ a and
    (v − 1/v)/(2u) for x < a (`tail-exact-mean`); without bias it is 1 − 1/v. Denominators are multiplied out.
    """
    u, v, p, q, others, others_free, worst, reach, noise = reals("u v p q P Q W h m")
    wide = proves(2 * u * v - (u * u + 1) <= 2 * u * v - 2 * u, u >= 1, v >= u)
    narrow = proves((v * v - 1) <= 2 * u * (v - 1), v >= 1, u >= v)
    entries = proves(p * others <= q * others_free, p >= 0, q >= p, others >= 0, others_free >= others)
    quantile = proves(worst + reach <= times * worst, reach >= 0, worst >= reach)
    root = proves((worst + reach) * noise <= worst * (noise + reach), reach >= 0, noise > 0, worst >= noise)
    return conclude(
        "proved",
        {
            "x ≥ a: u + 1/u ≥ 2": wide,
            "x < a: v + 1 ≤ 2u": narrow,
            "independent entries: products keep the order": entries,
            "so the worst quantile is at least h, and with h at most twice itself": quantile,
            "and the worst root mean square s ≥ m gives s + h ≤ (1 + h/m)·s": root,
        },
    )


ENTRIES = (
    Entry(
        "anchored-budget",
        "Two releases from one budget",
        OURS,
        "An anchor that spends min(eps, rho) and an opinion that spends min((eps - rho)_+, rho2) lose at most eps "
        "together; moving one into a box around the other is post-processing.",
        "smt",
        budget,
    ),
    Entry(
        "anchored-box",
        "An opinion in a box around an anchor",
        OURS,
        "Clipping y2 to y1 ± h errs by at most |y1 - mu| + h, and by no more than |y2 - mu| wherever |y1 - mu| <= h.",
        "smt",
        box,
        constant="1",
    ),
    Entry(
        "anchored-square",
        "Mean square of the anchored mechanism",
        OURS,
        "E(|y1 - mu| + h)^2 <= (sqrt(V1) + h)^2.",
        "smt",
        square,
        constant="2",
    ),
    Entry(
        "anchored-twice",
        "What the box costs",
        OURS,
        "P(|a + N| <= x) <= P(|N| <= x) for Laplace N and every bias a, so h = b·q_k(beta) is at most the anchor's "
        "worst quantile: anchor + h is at most twice it, and 1 + q_k/sqrt(H^2 + H2) times its worst root mean square. "
        "At sharp's level the anchor is sharp, and the best level does no worse.",
        "smt",
        twice,
        constant="2",
    ),
)
