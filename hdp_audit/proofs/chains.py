"""Certificates on chains and products of datasets (ours): why a checked certificate bounds every mechanism.

Dataset j has mean θ_j; g_j is the density of one output under dataset j. Neighbours obey g_j ≤ E·g_{j+1} and
g_{j+1} ≤ E·g_j with E = e^s: a cone. A linear inequality that holds on the cone for each output may be integrated.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def _least_by_recursion(coefficients: tuple[Fraction, ...], ratio: Fraction) -> Fraction:
    """min of Σc_j g_j over the cone with g_0 = 1, from the far end."""
    total = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = c + (total / ratio if total >= 0 else total * ratio)
    return total


def _least_by_rays(coefficients: tuple[Fraction, ...], ratio: Fraction) -> Fraction:
    """The same over all extreme rays: every step multiplies by E or 1/E."""
    values = []
    for signs in product((1, -1), repeat=len(coefficients) - 1):
        g, total = Fraction(1), coefficients[0]
        for sign, c in zip(signs, coefficients[1:], strict=True):
            g = g * ratio if sign > 0 else g / ratio
            total += c * g
        values.append(total)
    return min(values)


def cone_minimum(flip: int = 1) -> Evidence:
    """T_j = c_j + T_{j+1}·(1/E if T_{j+1} ≥ 0, else E) is the least Σ_{i≥j}c_ig_i over the cone with g_j = 1."""
    here, there, tail, ratio = reals("g h T E")
    cone = [here > 0, ratio >= 1, there <= ratio * here, here <= ratio * there]
    rising = proves(tail * there * ratio >= flip * tail * here, *cone, tail >= 0)
    falling = proves(tail * there >= flip * tail * here * ratio, *cone, tail < 0)
    vectors = [
        tuple(Fraction((7 * i * i + 3 * i * s + s) % 11 - 5, 1 + (i + s) % 3) for i in range(5)) for s in range(30)
    ]
    same = all(_least_by_recursion(c, Fraction(3, 2)) == _least_by_rays(c, Fraction(3, 2)) for c in vectors)
    return conclude(
        "proved",
        {
            "step, T ≥ 0": rising,
            "step, T < 0": falling,
            "30 forms on five nodes against all sixteen rays, in rationals": same,
        },
    )


def pac_duality(total: str = "1") -> Evidence:
    """If Σ(ν_j − λ_j1{j in W})g_j ≥ 0 on the cone for each window W, then Σλ_jP_j(|Y−θ_j| ≤ α) ≤ Σν_j.

    Two nodes more than 2α apart: ν = ½E/(1+E) each proves 1 − β ≤ E/(1+E), the packing bound.
    """
    import z3

    first, second, ratio, y, low, high, alpha = reals("g h E y l r a")
    cone = [first > 0, second > 0, ratio >= 1, first <= ratio * second, second <= ratio * first]
    share = z3.RealVal(total) * ratio / (2 * (1 + ratio))
    pair = proves(z3.And(share * (first + second) >= first / 2, share * (first + second) >= second / 2), *cone)
    window = proves(high - low <= 2 * alpha, absolute(y - low) <= alpha, absolute(y - high) <= alpha)
    beta = reals("b")[0]
    packing = proves(ratio * beta >= 1 - beta, beta > 0, ratio >= 1, (1 - beta) * (1 + ratio) <= ratio)
    return conclude(
        "proved",
        {
            "the nodes one output serves span at most 2α": window,
            "two nodes: ν = ½E/(1+E) is a certificate": pair,
            "and its bound 1 − β ≤ E/(1+E) is the packing bound e^S ≥ (1−β)/β": packing,
            "a rational certificate on five nodes beats the packing bound": _five_nodes(),
        },
    )


def _five_nodes() -> bool:
    """E = 3/2, five datasets, windows of two neighbours: λ = (4, 0, 9, 0, 4)/17, ν = (0, 0, 9, 0, 0)/17.

    Success ≤ 9/17; two datasets two steps apart only give E²/(1+E²) = 9/13.
    """
    ratio = Fraction(3, 2)
    prior = [Fraction(v, 17) for v in (4, 0, 9, 0, 4)]
    nu = [Fraction(v, 17) for v in (0, 0, 9, 0, 0)]
    forms = [tuple(nu[j] - (prior[j] if j in (w, w + 1) else 0) for j in range(5)) for w in range(4)]
    checked = all(_least_by_recursion(form, ratio) >= 0 for form in forms)
    return checked and sum(prior) == 1 and sum(nu, Fraction(0)) < ratio**2 / (1 + ratio**2)


def mse_duality(quarter: str = "1/4") -> Evidence:
    """A certificate checked at outputs τ apart holds for all outputs after adding τ²/4 to each square.

    For fixed g: Σλ_jg_j(y−θ_j)² = Λ(v + (y−c)²), Λ = Σλ_jg_j; some checked y lies within τ/2 of the centre c.
    """
    import z3

    mass, spread, centre, near, step, need, y = reals("M v c z t N y")
    given = [mass >= 0, spread >= 0, step >= 0, 2 * absolute(near - centre) <= step]
    checked = mass * (spread + (near - centre) * (near - centre)) >= need
    everywhere = mass * (spread + (y - centre) * (y - centre) + z3.RealVal(quarter) * step * step) >= need
    return conclude("proved", {"from the checked output to every output": proves(everywhere, *given, checked)})


def product_step(sign: int = 1) -> Evidence:
    """ν ≥ 0 keeps the cone: Σ_xν_xg_{x,·} is again in the cone of the other groups, so success bounds multiply."""
    a, b, c, d, ratio, first, second = reals("a b c d E m n")
    given = [ratio >= 1, a >= 0, b >= 0, c >= 0, d >= 0, a <= ratio * b, c <= ratio * d, first >= 0, second >= 0]
    kept = proves(first * a + sign * second * c <= ratio * (first * b + sign * second * d), *given)
    inner, outer, weight = reals("x y w")
    applied = proves(weight * inner <= weight * outer, weight >= 0, inner <= outer)
    return conclude(
        "proved",
        {
            "a non-negative combination stays in the cone": kept,
            "and the inequality may be applied group by group": applied,
        },
    )


def spider_windows(reach: int = 2) -> Evidence:
    """One output serves nodes of two arms, or node 0, only where θ ≤ 2α; otherwise an interval of one arm."""
    y, z, theta, other, alpha = reals("y z p q a")
    base = [alpha > 0, theta > 0, other > 0]
    two_arms = proves(
        theta <= reach * alpha, *base, absolute(y - theta) <= alpha, absolute(y) <= alpha, absolute(z - other) <= alpha
    )
    both = [absolute(y - theta) <= alpha, absolute(y - other) <= alpha]
    one_arm = proves(theta - other <= reach * alpha, *base, *both)
    between = proves(absolute(y - z) <= alpha, *both, other <= z, z <= theta)
    return conclude(
        "proved",
        {
            "two arms, or node 0: a node of another arm has zero here": two_arms,
            "one arm: an interval": one_arm and between,
        },
    )


def tail_steps(times: int = 1) -> Evidence:
    """E err² = ∫2αP(err > α)dα ≥ Σ(α_{i+1}² − α_i²)·P(err > α_{i+1}): the tail falls with α."""
    low, high, tail, later = reals("l h p q")
    step = proves(
        tail * (high * high - low * low) >= times * later * (high * high - low * low),
        low >= 0,
        high >= low,
        tail >= later,
        later >= 0,
    )
    return conclude("proved", {"one step": step})


ENTRIES = (
    Entry(
        "chain-cone",
        "Least value on the cone of a chain",
        OURS,
        "The backward recursion T_j = c_j + T_(j+1)·e^(-s or +s) gives the least value of a linear form on the cone "
        "of densities; T_0 >= 0 proves the inequality there.",
        "smt",
        cone_minimum,
    ),
    Entry(
        "chain-pac",
        "A chain's certificate bounds the PAC rate",
        OURS,
        "If the form nu - lambda·1_W is >= 0 on the cone for every window W, then sum lambda_j P_j(error <= alpha) <= "
        "sum nu_j; two nodes give the packing bound, five nodes more.",
        "smt",
        pac_duality,
        constant="1",
    ),
    Entry(
        "chain-mse",
        "A chain's certificate bounds the mean square",
        OURS,
        "Checked at outputs tau apart, sum lambda_j E_j(Y - theta_j)^2 >= sum nu_j - tau^2/4.",
        "smt",
        mse_duality,
        constant="1/4",
    ),
    Entry(
        "spider-product",
        "Certificates multiply",
        OURS,
        "With nu >= 0, c groups of disjoint users and categories have success at most (sum nu)^c.",
        "smt",
        product_step,
    ),
    Entry(
        "spider-windows",
        "What one output serves on a spider",
        OURS,
        "Within radius alpha an output serves an interval of one arm, or nodes at distance at most 2·alpha from node "
        "0.",
        "smt",
        spider_windows,
        constant="2",
    ),
    Entry(
        "spider-risk",
        "From success probabilities to the mean square",
        OURS,
        "E error^2 >= sum (a_(i+1)^2 - a_i^2)·P(error > a_(i+1)) for ascending radii a_i from 0.",
        "smt",
        tail_steps,
        constant="1",
    ),
)
