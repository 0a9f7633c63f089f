"""Permuted data: what a chain of datasets allows, rung by rung, when everything but the rung is told."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals

_STEPS = (  # e^S between neighbouring rungs
    (Fraction(3),),
    (Fraction(2), Fraction(5)),
    (Fraction(1), Fraction(3, 2)),
    (Fraction(3), Fraction(3), Fraction(3)),
    (Fraction(9), Fraction(2), Fraction(1), Fraction(4)),
    (Fraction(3, 2), Fraction(3, 2), Fraction(7), Fraction(2), Fraction(3)),
)


def tents(ends: int = 1) -> Evidence:
    """Of all densities g within the steps none gives a rung more weight, or leaves less variance, than a tent.

    For a fixed answer both are quotients of sums linear in g, over a cone: largest, or least, on one of its rays,
    where every step is taken whole, up or down.
    """
    found = {}
    for steps in _STEPS:
        rungs = len(steps) + 1
        for weights in _priors(rungs):
            laws = [_posterior(_ray(steps, signs), weights) for signs in product((1, -1), repeat=len(steps))]
            peaks = [_posterior(_tent(steps, peak), weights) for peak in range(rungs)[: rungs if ends else -1]]
            highest = max(max(law) for law in laws) == max(max(law) for law in peaks)
            least = min(_variance(law) for law in laws) == min(_variance(law) for law in peaks)
            found[f"steps {', '.join(map(str, steps))}, weights {', '.join(map(str, weights))}"] = highest and least
    return conclude("proved for stated sizes", found)


def _priors(rungs: int) -> list[list[int]]:
    return [[1] * rungs, [1 + (3 * j) % 5 for j in range(rungs)], [2**j for j in range(rungs)]]


def _ray(steps: tuple[Fraction, ...], signs: tuple[int, ...]) -> list[Fraction]:
    law = [Fraction(1)]
    for step, sign in zip(steps, signs, strict=True):
        law.append(law[-1] * step**sign)
    return law


def _tent(steps: tuple[Fraction, ...], peak: int) -> list[Fraction]:
    return _ray(steps, tuple(1 if j < peak else -1 for j in range(len(steps))))


def _posterior(law: list[Fraction], weights: list[int]) -> list[Fraction]:
    masses = [value * weight for value, weight in zip(law, weights, strict=True)]
    return [mass / sum(masses) for mass in masses]


def _variance(law: list[Fraction]) -> Fraction:
    mean = sum((j * mass for j, mass in enumerate(law)), Fraction(0))
    return sum(((j - mean) ** 2 * mass for j, mass in enumerate(law)), Fraction(0))


def quotients(below: int = 1) -> Evidence:
    """(s + t)/(u + v) lies between s/u and t/v: on a sum of rays a quotient is between those on the rays."""
    s, t, u, v, level = reals("s t u v r")
    given = [u > 0, v > 0, s >= level * u, t >= level * v]
    return conclude("proved", {"no sum of rays does better": proves(s + t >= below * level * (u + v), *given)})


def bets(stake: int = 1) -> Evidence:
    """r/p if right, (1−r)/(1−p) if wrong, P(right) ≤ p < r; and 1 + c(m − X)/(1 − m), E X ≥ m: at most 1 on average."""
    chance, p, r = reals("P p r")
    given = [p > 0, p < r, r < 1, chance >= 0, chance <= p]
    right = proves(stake * r * (1 - p) * chance + (1 - r) * p * (1 - chance) <= p * (1 - p), *given)
    mean, m, c = reals("x m c")
    risk = proves(1 + c * (m - mean) / (1 - m) <= 1, m >= 0, m < 1, c >= 0, c <= 1, mean >= m)
    return conclude("proved", {"bets on right answers": right, "bets on squared errors": risk})


ENTRIES = (
    Entry(
        "permuted-tents",
        "What a chain of permuted datasets allows",
        OURS,
        "If the densities of neighbouring rungs are within e^S_j, the largest weight that an answer gives to a rung, "
        "and the least variance that it can leave, are those of a tent around some rung (2 to 6 rungs, stated steps).",
        "enumeration",
        tents,
    ),
    Entry(
        "permuted-quotients",
        "Quotients on a cone",
        OURS,
        "If s >= r·u and t >= r·v, u, v > 0, then s + t >= r·(u + v).",
        "smt",
        quotients,
        constant="1",
    ),
    Entry(
        "permuted-bets",
        "Bets with a limit of each draw's own",
        OURS,
        "If the limit p, or m, of a draw is fixed before it, multiplying wealth by r/p or (1-r)/(1-p), or by "
        "1 + c(m - X)/(1 - m), has expectation at most 1; Ville's inequality does the rest.",
        "smt",
        bets,
        constant="1",
    ),
)
