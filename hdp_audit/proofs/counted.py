"""Counts of right guesses in a fixed number of draws, where a promise has a δ (ours)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def split(price: int = 1) -> Evidence:
    """What is right for nothing with probability δ, and guesses of a coin p otherwise."""
    right, wrong, d, x = reals("a b d x")
    allowed = (right >= d, right <= x * wrong + d, right + wrong <= 1, wrong >= 0, d >= 0, d < 1, x >= 1)
    rest = (right - d) / (1 - d), wrong / (1 - d)
    law = proves(rest[0] + rest[1] <= 1, *allowed)
    coin = proves(price * rest[0] * (1 + x) <= x * (rest[0] + rest[1]), *allowed)
    free, share = symbols("f p")
    all_guessed = vanishes((free + (1 - free) * share) - (1 + free) / 2 - (1 - free) * (share - Fraction(1, 2)))
    return conclude(
        "proved",
        {
            "(a − δ)/(1 − δ) and b/(1 − δ) are probabilities that sum to 1 at most": law,
            "a guess among these is right with probability e^ε/(1 + e^ε) at most": coin,
            "with a guess in each draw and ε = 0: (1 + δ)/2": all_guessed,
        },
    )


def against_all(less: Fraction = Fraction(0)) -> Evidence:
    """The best mechanism, found backwards draw by draw in rational numbers, is right no more often than stated."""
    checks = {}
    for guesses, judged, x, d in ((3, 3, Fraction(2), Fraction(1, 10)), (3, 6, Fraction(3), Fraction(1, 7))):
        for right in range(1, guesses + 1):
            best, stated = _best(right, guesses, judged, x, d), _stated(right, guesses, judged, x, d) - less
            checks[f"{right} of {guesses} in {judged} draws"] = best <= stated
            if guesses == judged:
                checks[f"{right} of {guesses} in {judged} draws is attained"] = best == stated
    return conclude("proved for stated sizes", checks)


def _best(right: int, guesses: int, judged: int, x: Fraction, d: Fraction) -> Fraction:
    corners = ((Fraction(0), Fraction(0)), (d, Fraction(0)), ((x + d) / (1 + x), (1 - d) / (1 + x)))

    @cache
    def value(draws: int, made: int, won: int) -> Fraction:
        if won >= right:
            return Fraction(1)
        if draws == 0 or made == guesses:
            return Fraction(0)
        none, hit, miss = (value(draws - 1, made + a, won + b) for a, b in ((0, 0), (1, 1), (1, 0)))
        return max((1 - a - b) * none + a * hit + b * miss for a, b in corners)

    return value(judged, 0, 0)


def _stated(right: int, guesses: int, judged: int, x: Fraction, d: Fraction) -> Fraction:
    def binomial(n: int, p: Fraction, k: int) -> Fraction:
        return comb(n, k) * p**k * (1 - p) ** (n - k)

    found = Fraction(0)
    for free in range(judged + 1):
        left = max(guesses - free, 0)
        tail = sum((binomial(left, x / (1 + x), k) for k in range(max(right - free, 0), left + 1)), Fraction(0))
        found += binomial(judged, d, free) * tail
    return found


ENTRIES = (
    Entry(
        "counted-curve",
        "Right guesses in a fixed number of draws, with a delta",
        OURS,
        "If (eps, delta) is kept then the right ones among the first W guesses in M draws are stochastically at most "
        "D + Binomial(W - D, p) with D ~ Binomial(M, delta) and p = e^eps/(1 + e^eps), whatever the rules learned on "
        "the way: a draw is right for nothing with probability delta, else its guess is right with probability p at "
        "most. That fewer of D may be used, which only lowers the count, is a coupling in prose.",
        "smt",
        split,
        constant="1",
    ),
    Entry(
        "counted-curve-best",
        "No mechanism does better",
        OURS,
        "Over all mechanisms, also such that change from draw to draw by what was seen, the probability of so many "
        "right guesses is at most that of counted-curve; with a guess in each draw it is attained (small, exact).",
        "enumeration",
        against_all,
    ),
)
