"""Bets on many users' coins within one call (ours)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def one_bet(share: int = 1) -> Evidence:
    """The excess of a guess over p is (1 − p)·(P₁ − e^ε·P₀)/2 on each output, and (1 − p)·δ at most in all."""
    p0, p1, x, q = symbols("p0 p1 x q")
    p = x / (1 + x)
    excess = vanishes((p1 / 2 - p * (p0 + p1) / 2) - share * (1 - p) * (p1 - x * p0) / 2)
    fair = vanishes(p * (q / p) + (1 - p) * ((1 - q) / (1 - p)) - 1)
    right, wrong, most, over, level = reals("r w m o p")
    grows = proves(
        (level + over) * right + (1 - level - over) * wrong <= 1 + right * over,
        level * right + (1 - level) * wrong == 1,
        wrong >= 0,
        over >= 0,
    )
    held = reals("v h")[0]
    capped = proves(held * right * over <= most * over, held * right <= most, over >= 0)
    return conclude(
        "proved",
        {
            "P₁/2 − p(P₀ + P₁)/2 = (1 − p)(P₁ − e^ε·P₀)/2": excess,
            "stakes q/p and (1 − q)/(1 − p) are fair at p": fair,
            "a guess that is right with p + o grows the wealth by r·o at most": grows,
            "with wealth·r ≤ M by M·o": capped,
        },
    )


def one_call(cap: Fraction = Fraction(20), fee: int = 1) -> Evidence:
    """Three users; with probability d all coins are told at once, else each answers by randomised response."""
    x, d, users = Fraction(3), Fraction(1, 50), 3
    p = x / (1 + x)
    gain, loss = Fraction(9, 10) / p, Fraction(1, 10) / (1 - p)

    def wealth(coins: tuple[int, ...], answers: tuple[int, ...]) -> Fraction:
        held = Fraction(1)
        for coin, answer in zip(coins, answers, strict=True):
            if held * gain > cap:
                break
            held *= gain if coin == answer else loss
        return held

    everything = list(product((0, 1), repeat=users))
    mean = Fraction(0)
    for coins in everything:
        mean += d * wealth(coins, coins)
        for answers in everything:
            right = sum(coin == answer for coin, answer in zip(coins, answers, strict=True))
            mean += (1 - d) * p**right * (1 - p) ** (users - right) * wealth(coins, answers)
    mean /= len(everything)
    return conclude(
        "proved for stated sizes",
        {
            "telling all coins at once grows a plain product": mean > 1,
            "by no more than M·Σ(1 − p)·δ": mean <= 1 + fee * Fraction(20) * users * (1 - p) * d,
        },
    )


ENTRIES = (
    Entry(
        "crowd-bets",
        "Bets on everybody's coins within one call",
        OURS,
        "If user i is promised (eps, delta) then guesses of i's fair coin, by the output and the coins before it, are "
        "right with probability p = e^eps/(1 + e^eps) at most, but for an excess of (1 - p) delta on average. A wealth "
        "multiplied by q/p and (1 - q)/(1 - p) that never exceeds M within the call has expectation "
        "1 + M sum (1 - p) delta at most. The sum over users, E[W_i] <= E[W_(i-1)] + M E[o_i], is induction in prose.",
        "smt",
        one_bet,
        constant="1",
    ),
    Entry(
        "crowd-bets-told-at-once",
        "A leak of all coins at once",
        OURS,
        "Where all coins leak together with probability delta the product of the bets does grow, and by no more than "
        "the fee (three users, exact).",
        "enumeration",
        one_call,
    ),
)
