"""One knob: every optimal weighting is min(ε, ρ) up to a factor. Majorisation, losses, and the ℓ2 closed form."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, positive_part, proves, reals, smaller


def majorised(times: int = 1) -> Evidence:
    """min(c_i, λ) is majorised by every feasible w (0 ≤ w ≤ c = tε, equal sums): Σ(v−s)₊ ≤ Σ(w−s)₊ for all s."""
    import z3

    w, cap, level, s = reals("w c l s")
    below = proves(
        times * positive_part(s - smaller(cap, level)) <= positive_part(s - w), w >= 0, w <= cap, level >= 0, s <= level
    )
    above = proves(positive_part(smaller(cap, level) - s) == 0, s >= level, cap >= 0)
    x = z3.Real("x")
    split = proves(positive_part(x - s) == (x - s) + positive_part(s - x))
    return conclude(
        "proved",
        {
            "s ≤ λ: the lack (s − v)₊ is at most (s − w)₊ for each user": below,
            "equal sums turn lacks into excesses": split,
            "s ≥ λ: no entry of v exceeds s": above,
        },
    )


def least_bias(factor: int = 2) -> Evidence:
    """Under caps tε the least ‖w−u‖₁ is 2Σ(u − tε_i)₊, attained by min(tε_i, λ) (λ ≥ u as Σ = 1)."""
    w, cap, u, level = reals("w c u l")
    double = proves(factor * positive_part(u - w) == absolute(u - w) + (u - w))
    floor = proves(positive_part(u - w) >= positive_part(u - cap), w <= cap)
    attained = proves(positive_part(u - smaller(cap, level)) == positive_part(u - cap), level >= u)
    return conclude(
        "proved",
        {
            "equal sums: Σ|u−w| = 2Σ(u−w)₊": double,
            "each lack is at least (u − tε_i)₊": floor,
            "min(tε_i, λ) with λ ≥ u attains it": attained,
        },
    )


def level_loss(times: int = 1) -> Evidence:
    """With w = min(ε, ρ)/Z and ρ ≥ the smallest positive demand: t = 1/Z and the loss w_i/t is min(ε_i, ρ)."""
    import z3

    eps, rho, total, least = reals("e r Z d")
    weight = smaller(eps, rho) / total
    given = [eps > 0, rho > 0, total > 0]
    capped = proves(times * weight <= eps / total, *given)
    reached = proves(smaller(least, rho) / total == least / total, *given, least > 0, least <= rho)
    loss = proves(z3.And(weight * total <= eps, weight * total == smaller(eps, rho)), *given)
    return conclude(
        "proved",
        {
            "w_i/ε_i ≤ 1/Z": capped,
            "with equality at the smallest demand, so t = 1/Z": reached,
            "w_i/t = min(ε_i, ρ) ≤ ε_i": loss,
        },
    )


def closed_form(sign: int = 1) -> Evidence:
    """‖w‖² + c·t² over the family is least where Σε_i(ρ − ε_i)₊ = c: the derivative has the sign of that minus c."""
    import sympy as sp

    rho, low, low2, many, c = symbols("rho s q b c", positive=True)  # Σ and Σ² below the level, users above it
    total = low + many * rho
    square = low2 + many * rho**2
    slope = sp.diff((square + c) / total**2, rho)
    root = low * rho - low2  # Σ ε_i(ρ − ε_i)₊
    identity = vanishes(slope - 2 * many / total**3 * sign * (root - c))
    rising = vanishes(sp.diff(root, rho) - low)
    return conclude(
        "proved", {"derivative = 2|B|/Z³·(Σε(ρ−ε)₊ − c)": identity, "Σε(ρ−ε)₊ rises with ρ: one root": rising}
    )


def _r_sequence(eps: tuple[Fraction, ...], c: Fraction) -> list[Fraction]:
    r = [eps[0]]
    for e in eps[1:]:
        r.append(min((sum((x * x for x in r), Fraction(0)) + c) / sum(r, Fraction(0)), e))
    return r


def _saturated(eps: tuple[Fraction, ...], c: Fraction) -> list[Fraction]:
    """min(ε, ρ) with ρ the root of Σε(ρ−ε)₊ = c, found exactly piece by piece."""
    for j in range(1, len(eps) + 1):
        low, square = sum(eps[:j], Fraction(0)), sum((e * e for e in eps[:j]), Fraction(0))
        rho = (c + square) / low
        if j == len(eps) or rho <= eps[j]:
            return [min(e, rho) for e in eps]
    raise ValueError("no root: the demands must be positive")


def r_sequence(offset: int = 0) -> Evidence:
    """The paper's r-sequence stays constant after its first saturation and equals min(ε, ρ)."""
    total, square, c = symbols("R Q c", positive=True)
    x = (square + c) / total
    constant = vanishes((square + x**2 + c) / (total + x) - x)
    values = [Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(9)]
    same = all(
        _r_sequence(tuple(sorted(eps)), c_) == [v + offset for v in _saturated(tuple(sorted(eps)), c_)]
        for n in (1, 2, 3, 4)
        for eps in product(values, repeat=n)
        for c_ in (Fraction(1, 4), Fraction(1), Fraction(7))
    )
    return conclude(
        "proved", {"after saturating at x the ratio is x again": constant, "2340 vectors of rationals, n ≤ 4": same}
    )


def turbo_reduction(times: int = 1) -> Evidence:
    """n‖w−u‖² + L²t² = n‖w‖² − 1 + L²t²: the turbo problems are the ℓ2 problem with c = L²/n or c = L."""
    n, p, level, t = symbols("n P L t", positive=True)
    first = vanishes(n * (p - 2 / n + 1 / n) + level**2 * t**2 - (n * (p + times * level**2 / n * t**2) - 1))
    second = vanishes(level * p + level**2 * t**2 - level * (p + level * t**2))
    return conclude("proved", {"CT: c = L²/n": first, "second branch of WT: c = L": second})


ENTRIES = (
    Entry(
        "saturation-majorised",
        "One knob",
        OURS,
        "min(t·eps, lambda) is majorised by every w on the simplex with w <= t·eps: every Schur-convex criterion has "
        "its minimum in the family.",
        "smt",
        majorised,
    ),
    Entry(
        "saturation-l1",
        "The least bias under caps",
        OURS,
        "The least |w - 1/n|_1 under w <= t·eps is 2·sum (1/n - t·eps_i)_+.",
        "smt",
        least_bias,
        constant="2",
    ),
    Entry(
        "saturation-loss",
        "Loss at a level",
        OURS,
        "With w = min(eps, rho)/Z: max(w/eps) = 1/Z and user i's exact loss is min(eps_i, rho).",
        "smt",
        level_loss,
        constant="1",
    ),
    Entry(
        "saturation-l2",
        "Closed form of the L2 problems",
        ("adx:apx",),
        "|w|_2^2 + c·max(w/eps)^2 is least at the root of sum eps_i(rho - eps_i)_+ = c.",
        "sympy",
        closed_form,
        constant="c",
    ),
    Entry(
        "saturation-sequence",
        "The r-sequence is the same family",
        ("adx:apx",),
        "r_(k+1) = min((sum r^2 + c)/sum r, eps_(k+1)) equals min(eps, rho) at that root.",
        "sympy",
        r_sequence,
    ),
    Entry(
        "saturation-turbo",
        "The turbo problems",
        ("alg:BDPF",),
        "HPF-CT is the L2 problem with c = L^2/n; the second branch of HPF-WT has c = L.",
        "sympy",
        turbo_reduction,
        constant="L²/n, L",
    ),
)
