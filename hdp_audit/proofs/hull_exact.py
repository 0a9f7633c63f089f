"""Hull noise without union bounds: its exact law, and permuted data (ours)."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, real_list, reals


def law(radius: int = 1) -> Evidence:
    """r ~ Gamma(k−1), j positives with weight C(k,j)C(k−2,j−1): E r² = k(k−1); k = 3: P(‖v‖∞ > a) = (1+a)e^{−a}."""
    import sympy as sp

    r, a = symbols("r a", positive=True)
    steps = {}
    for k in range(2, 8):
        density = r ** (k - 2) * sp.exp(-r) / sp.factorial(k - 2)
        moment = sp.integrate(r**2 * density, (r, 0, sp.oo))
        steps[f"k={k}: E r² = k(k−1)"] = vanishes(moment - k * (k - 2 + radius))
    w = symbols("w", real=True)
    for k in (2, 3, 4, 5):
        centre = sp.integrate((1 + w**2) ** (-k), (w, -sp.oo, sp.oo)) / (2 * sp.pi)
        steps[f"k={k}: h_k(0) = C(2k−2, k−1)/2^(2k−1)"] = vanishes(
            centre - sp.Rational(comb(2 * k - 2, k - 1), 2 ** (2 * k - 1))
        )
    steps["ΣC(k,j)C(k−2,j−1) = C(2k−2, k−1), k = 2..12"] = all(
        sum(comb(k, j) * comb(k - 2, j - 1) for j in range(1, k)) == comb(2 * k - 2, k - 1) for k in range(2, 13)
    )
    # With k = 3 one entry has the sign that the two others have not, hence the largest size, r.
    tail = sp.integrate(r * sp.exp(-r), (r, a, sp.oo))
    steps["k=3: P(r > a) = (1 + a)e^{−a}"] = vanishes(tail - (1 + a) * sp.exp(-a))
    first, second, third = reals("x y z")
    steps["k=3: the entry alone on its side is the largest"] = proves(
        absolute(first) >= absolute(second), first + second + third == 0, first >= 0, second <= 0, third <= 0
    )
    return conclude("proved for stated sizes", steps)


def cut(sign: int = 1) -> Evidence:
    """∫₀^x ½e^{−u+iωu}du = (1 − e^{−x(1−iω)})/(2(1−iω)), the factor of the Fourier sum, and its mirror image."""
    import sympy as sp

    x, w = symbols("x w", positive=True)
    rate = 1 - sp.I * w
    right = (1 - sp.exp(-x * rate)) / (2 * rate)
    mirrored = (1 - sp.exp(-x * (1 + sp.I * w))) / (2 * (1 + sp.I * w))
    return conclude(
        "proved",
        {
            "its derivative is the integrand": vanishes(sp.diff(right, x) - sp.exp(-x + sign * sp.I * w * x) / 2),
            "it is 0 at 0": bool(right.subs(x, 0) == 0),
            "on the left the sign of ω changes": vanishes(mirrored - right.subs(w, -w)),
        },
    )


def tilted(weight: int = 2) -> Evidence:
    """∫2α·min(1, C·e^{−λα})dα = α₀² + 2α₀/λ + 2/λ² with C·e^{−λα₀} = 1; E e^{λA} ≤ e^{λ²V/8} moves α₀ by λV/8."""
    import sympy as sp

    a, start, rate, v, c = symbols("a s l v c", positive=True)
    tail = sp.integrate(2 * a * sp.exp(-rate * (a - start)), (a, start, sp.oo))
    area = vanishes(start**2 + tail - (start**2 + 2 * start / rate + weight / rate**2))
    moved = (sp.log(c) + rate**2 * v / 8) / rate
    level = vanishes(sp.exp(sp.log(c) + rate**2 * v / 8 - rate * moved) - 1)
    shift = vanishes(moved - sp.log(c) / rate - rate * v / 8)
    return conclude("proved", {"the area": area, "where the bound is 1": level, "the shift": shift})


def newton(order: int = 2) -> Evidence:
    """p_m² ≥ p_{m−1}·p_{m+1}, p_m = e_m/C(n,m): the exact moments of permuted sums are log-concave in m."""
    steps = {}
    for n in (2, 3):
        values = real_list("a", n)
        means = [_elementary(values, m) / comb(n, m) for m in range(n + 1)]
        given = [value > 0 for value in values]
        for m in range(1, n):
            power = means[m] * means[m] if order == 2 else means[m]
            steps[f"n={n}, m={m}"] = proves(power >= means[m - 1] * means[m + 1], *given)
    numbers = [Fraction(part) for part in (1, 2, 2, 5, 9, 30)]
    found = [_elementary(numbers, m) / comb(6, m) for m in range(7)]
    steps["six numbers"] = all(found[m] ** order >= found[m - 1] * found[m + 1] for m in range(1, 6))
    return conclude("proved for stated sizes", steps)


def _elementary(values: list[Any], m: int) -> Any:
    from itertools import combinations

    total: Any = 0
    for part in combinations(values, m):
        term: Any = 1
        for value in part:
            term = term * value
        total = total + term
    return total


def price(whole: int = 1) -> Evidence:
    """Σg(μ_j) ≤ η + k·max(g − ημ) if Σμ_j = 1: what the worst frequencies can make of a bound for each of them."""
    import z3

    eta, most = reals("h m")
    steps = {}
    for k in range(2, 7):
        worth, share = real_list("g", k), real_list("u", k)
        given = [z3.Sum(share) == whole, *[worth[j] - eta * share[j] <= most for j in range(k)]]
        steps[f"k={k}"] = proves(z3.Sum(worth) <= eta + k * most, *given)
    return conclude("proved for stated sizes", steps)


def two_categories(other: int = 1) -> Evidence:
    """The answer (1 − y, y) errs by |y − θ| in both categories, and no answer (u, v) does better than (1 − u + v)/2."""
    u, v, y, theta = reals("u v y t")
    alike = proves(absolute((other - y) - (1 - theta)) == absolute(y - theta))
    middle = (1 - u + v) / 2
    first, second = absolute(u - (1 - theta)), absolute(v - theta)
    import z3

    best = proves(absolute(middle - theta) <= z3.If(first >= second, first, second))
    return conclude("proved", {"both categories err alike": alike, "an answer off the simplex errs no less": best})


def clipped(floor: int = 0) -> Evidence:
    """An answer clipped at 0 is too low by α only where the entry is above α; fewer than 1/α entries are."""
    import z3

    entry, answer, alpha = reals("m y a")
    shown = z3.If(answer >= floor, answer, z3.RealVal(floor))
    above = list(reals("m1 m2 m3 m4"))
    count = z3.Sum([z3.If(one > alpha, 1.0, 0.0) for one in above])
    return conclude(
        "proved",
        {
            "entry ≤ α: never too low by more than α": proves(entry - shown <= alpha, entry <= alpha, entry >= 0),
            "never farther above than before clipping": proves(
                z3.Or(shown - entry <= answer - entry, shown <= entry), entry >= 0
            ),
            "four entries that sum to 1 at most": proves(
                z3.Or(count * alpha < 1, count == 0), alpha > 0, z3.Sum(above) <= 1, *[one >= 0 for one in above]
            ),
        },
    )


ENTRIES = (
    Entry(
        "hull-law",
        "The exact law of hull noise",
        OURS,
        "|v|_inf is r·max of Dirichlet parts, r ~ Gamma(k-1), j positive entries with weight C(k,j)·C(k-2,j-1); "
        "E r^2 = k(k-1), and for k = 3 P(|v|_inf > a) = (1+a)·e^-a in units of t.",
        "sympy",
        law,
        constant="k(k−1)",
    ),
    Entry(
        "hull-fourier",
        "Factors of the Fourier sum",
        OURS,
        "A Laplace(1) number cut to [0, x] has transform (1 - e^(-x(1-iw)))/(2(1-iw)).",
        "sympy",
        cut,
        constant="1/2",
    ),
    Entry(
        "hull-clipped",
        "Clipped answers under hull noise",
        OURS,
        "Clipped at 0, an entry of at most a is never too low by more than a, and fewer than 1/a of the frequencies "
        "are above a: the others are cut above only.",
        "smt",
        clipped,
        constant="1/a",
    ),
    Entry(
        "weak-tilted",
        "The tilted mean square",
        OURS,
        "If P(|error| > a) <= C·e^(-lambda·a), the mean square is at most s^2 + 2s/lambda + 2/lambda^2, s = "
        "log(C)/lambda; a permuted bias moves s by lambda·V/8.",
        "sympy",
        tilted,
        constant="2/λ²",
    ),
    Entry(
        "weak-newton",
        "Moments of permuted sums between sizes",
        OURS,
        "E e^(lambda·sum over a random m-subset) is log-concave in m (Newton's inequalities).",
        "smt",
        newton,
        constant="1",
    ),
    Entry(
        "weak-price",
        "The worst frequencies",
        OURS,
        "If the frequencies sum to 1, sum g(mu_j) <= eta + k·max(g - eta·mu) for every eta.",
        "smt",
        price,
        constant="1",
    ),
    Entry(
        "two-categories",
        "Two frequencies are a mean",
        OURS,
        "The answer (1-y, y) errs by |y - theta|, and for every answer (u, v) the mean (1-u+v)/2 errs no more.",
        "smt",
        two_categories,
        constant="1",
    ),
)
