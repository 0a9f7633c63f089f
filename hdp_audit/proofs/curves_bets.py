"""Bets on guesses against a curve: they do not grow while it is kept, and there are no better ones (ours)."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def line(halves: int = 1) -> Evidence:
    """½(P(A) − x·Q(A)) + ½(Q(B) − x·P(B)) ≤ d, and ≤ d/2 with one of them; x = e^ε, d = δ(ε)."""
    a, b, c, e, x, d = reals("a b c e x d")  # P(A), Q(A), Q(B), P(B)
    right, wrong = (a + c) / 2, (b + e) / 2
    kept = [a <= x * b + d, c <= x * e + d, x >= 1, d >= 0]
    both = proves(2 * (right - x * wrong) <= 2 * d, *kept)
    single = proves(2 * (a / 2 - x * b / 2) <= halves * d, *kept)
    # one has to guess: right + wrong = 1 at x = 1
    share, level = reals("s v")
    forced = proves(share <= (1 + level) / 2, share - (1 - share) <= level)
    return conclude(
        "proved",
        {
            "guessing either: E[right − e^ε·wrong] ≤ δ": both,
            "guessing one only: ≤ δ/2": single,
            "guessing always: right with probability (1 + δ(0))/2 at most": forced,
        },
    )


def _factors(stake: Any, x: Any, d: Any) -> tuple[Any, Any, Any]:
    """After a right guess, a wrong one, none."""
    return 1 + stake * (1 - d), 1 - stake * (x + d), 1 - stake * d


def wealth(boldest: int = 1) -> Evidence:
    """right·(1 + λ(1−d)) + wrong·(1 − λ(x+d)) + none·(1 − λd) ≤ 1 if right − x·wrong ≤ d; factors are ≥ 0."""
    r, w, n, x, d, stake = reals("r w n x d l")
    bets = [x >= 1, d >= 0, d <= 1, stake >= 0, stake * (x + d) <= boldest]
    law = [r >= 0, w >= 0, n >= 0, r + w + n == 1, r - x * w <= d]
    won, lost, none = _factors(stake, x, d)
    fair = proves(r * won + w * lost + n * none <= 1, *bets, *law)
    positive = [proves(factor >= 0, *bets) for factor in (won, lost, none)]
    first, second, share = reals("f g s")
    mixed = proves(share * first + (1 - share) * second <= 1, share >= 0, share <= 1, first <= 1, second <= 1)
    return conclude(
        "proved",
        {
            "the expected factor is at most 1": fair,
            "no factor is negative for λ ≤ 1/(e^ε + δ)": all(positive),
            "nor do mixtures grow": mixed,
        },
    )


def every(slack: int = 1) -> Evidence:
    """Payoffs a, b, c ≥ 0 of expectation ≤ 1 at the corners of {right − x·wrong ≤ d} lie below 1 + λ(·) for one λ."""
    a, b, c, x, d, stake = reals("a b c x d l")
    corners = [b <= 1, c <= 1, d * a + (1 - d) * c <= slack, (x + d) * a + (1 - d) * b <= 1 + x]
    given = [a >= 0, b >= 0, c >= 0, x >= 1, d >= 0, d < 1, *corners]
    won, lost, none = _factors(stake, x, d)
    bold = [*given, a >= 1, stake * (1 - d) == a - 1]
    above = [proves(claim, *bold) for claim in (a <= won, b <= lost, c <= none, stake >= 0, stake * (x + d) <= 1)]
    timid = proves(a <= 1, *given, a < 1)  # λ = 0
    r, w = reals("r w")
    corner = proves(r - x * w == d, x >= 1, d >= 0, d < 1, w * (1 + x) == 1 - d, r * (1 + x) == x + d)
    return conclude(
        "proved",
        {
            "with λ = (a − 1)/(1 − δ) none pays more, and λ ≤ 1/(e^ε + δ)": all(above),
            "where a right guess wins nothing λ = 0 does": timid,
            "the corner where it always guesses lies on the line": corner,
        },
    )


def projection(stake_sign: int = 1) -> Evidence:
    """p* = q/(1 + λ(c − d)) at the best λ is a law on the line, and E_p[q/p*] ≤ 1 for every p that keeps it."""
    import sympy as sp

    pay, stake = symbols("y lambda", positive=True)  # c − d of an outcome; each has its own term in all sums
    growth, nearest = sp.log(1 + stake * pay), 1 / (1 + stake_sign * stake * pay)
    best = vanishes(sp.diff(growth, stake) - nearest * pay)
    total = vanishes(nearest + stake * nearest * pay - 1)
    concave = vanishes(sp.diff(growth, stake, 2) + (nearest * pay) ** 2)
    r, w, n, x, free, part = reals("r w n x d l")
    law = [r >= 0, w >= 0, n >= 0, r + w + n == 1, r - x * w <= free, part >= 0]
    won, lost, passed = _factors(part, x, free)
    ratio = proves(r * won + w * lost + n * passed <= 1, *law)
    return conclude(
        "proved",
        {
            "d growth/dλ = E_p*[c] − δ: at the best λ the nearest law lies on the line": best,
            "and sums to one": total,
            "growth is concave in λ": concave,
            "E_p[q/p*] ≤ 1 for every p that keeps the line, so by Jensen none is nearer": ratio,
        },
    )


ENTRIES = (
    Entry(
        "curve-line",
        "What a curve allows a guesser",
        OURS,
        "A rule that guesses or abstains has E[right - e^eps wrong] <= delta(eps), half of that if it only ever "
        "guesses one of the two; if it always guesses it is right with probability (1 + delta(0))/2 at most.",
        "smt",
        line,
    ),
    Entry(
        "curve-bet",
        "Bets against a kept curve do not grow",
        OURS,
        "For 0 <= lambda <= 1/(e^eps + d) the factors 1 + lambda(1 - d), 1 - lambda(e^eps + d) and 1 - lambda d after "
        "a right guess, a wrong one and none are never negative and at most 1 in expectation if "
        "E[right - e^eps wrong] <= d; Ville's inequality does the rest.",
        "smt",
        wealth,
        constant="1",
    ),
    Entry(
        "curve-bet-all",
        "There are no other bets on a line",
        OURS,
        "Any payoff of a right guess, a wrong one and none that is at most 1 in expectation for every law with "
        "E[right - e^eps wrong] <= d < 1 is nowhere above one of these.",
        "smt",
        every,
    ),
    Entry(
        "curve-projection",
        "The best bet is the likelihood ratio to the nearest law",
        OURS,
        "The best lambda for a truth q makes q/(1 + lambda(c - d)) the law on the line that is nearest to q in "
        "Kullback-Leibler divergence (reverse information projection).",
        "sympy",
        projection,
    ),
)
