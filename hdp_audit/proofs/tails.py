"""Laplace tails: one coordinate, k coordinates, and the exact quantile q_k(β)."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, real_list, reals


def _mass(low: Any, high: Any, scale: Any) -> Any:
    """∫ of the Laplace density over [low, high], both on one side of zero (low ≥ 0)."""
    import sympy as sp

    z = sp.Dummy("z", positive=True)
    return sp.integrate(sp.exp(-z / scale) / (2 * scale), (z, low, high))


def laplace_tail(scale_factor: int = 1) -> Evidence:
    """eqr-1: P(|N| > x) = e^{−x/b}; the maximum of k has 1 − (1 − e^{−x/b})^k ≤ k·e^{−x/b}."""
    import sympy as sp

    x, b = symbols("x b", positive=True)
    one = vanishes(2 * _mass(x, sp.oo, b) - sp.exp(-x * scale_factor / b))
    y, m, rest = reals("y m rest")
    # Bernoulli's inequality (1−y)^k ≥ 1 − ky by induction: multiply by 1 − y.
    bernoulli = proves(rest * (1 - y) >= 1 - (m + 1) * y, y >= 0, y <= 1, m >= 0, rest >= 1 - m * y)
    return conclude(
        "proved",
        {"one coordinate by integration": one, "induction step of (1−y)^k ≥ 1 − ky, the union bound": bernoulli},
    )


def quantile(beta_term: int = 1) -> Evidence:
    """q_k(β) = log(1/(1 − (1−β)^{1/k})) solves (1 − e^{−q})^k = 1 − β, and q_k(β) ≤ log(k/β)."""
    import sympy as sp

    k, x = symbols("k x", positive=True)
    beta = symbols("beta", positive=True)
    q = sp.log(1 / (1 - (beta_term - beta) ** (1 / k)))
    solves = vanishes(sp.exp(-q) - (1 - (1 - beta) ** (1 / k)))
    # (1 − x/k)^k ≥ 1 − x: the logarithms agree at 0 and the derivative of the difference is ≥ 0 for k ≥ 1, x < 1.
    gap = k * sp.log(1 - x / k) - sp.log(1 - x)
    slope = vanishes(sp.diff(gap, x) - x * (k - 1) / ((1 - x) * (k - x)))
    start = vanishes(gap.subs(x, 0))
    return conclude(
        "proved",
        {
            "1 − e^{−q} = (1−β)^{1/k} at q = q_k(β)": solves,
            "k·log(1 − x/k) ≥ log(1 − x): equal at 0": start,
            "and the derivative of the difference is x(k−1)/((1−x)(k−x)) ≥ 0, so q_k(β) ≤ log(k/β)": slope,
        },
    )


def exact_mean_tail(cosh_weight: int = 1) -> Evidence:
    """P(|a+N| > α) = e^{−α/b}cosh(a/b) for α ≥ a, and P(|a+N| ≤ α) = e^{−a/b}sinh(α/b) for α < a."""
    import sympy as sp

    a, b, more = symbols("a b d", positive=True)
    alpha = a + more
    outside = _mass(alpha - a, sp.oo, b) + _mass(alpha + a, sp.oo, b)
    wide = vanishes((outside - cosh_weight * sp.exp(-alpha / b) * sp.cosh(a / b)).rewrite(sp.exp))
    small = symbols("s", positive=True)
    inside = _mass(more, more + 2 * small, b)  # here a = small + more and α = small
    narrow = vanishes((inside - sp.exp(-(small + more) / b) * sp.sinh(small / b)).rewrite(sp.exp))
    return conclude(
        "proved",
        {
            "α ≥ a: both tails integrated": wide,
            "α < a: the mass of [a−α, a+α] integrated": narrow,
            "α = b·log(cosh(a/b)/β) is at least a when β ≤ ½, as (1 + e^{−2a/b})/2 ≥ ½": _half_suffices(),
        },
    )


def _half_suffices() -> bool:
    """e^{−a/b}cosh(a/b) = (1 + y)/2 ≥ ½ ≥ β with y = e^{−2a/b} > 0."""
    y, beta = reals("y beta")
    return proves((1 + y) / 2 >= beta, y > 0, y <= 1, beta > 0, 2 * beta <= 1)


def laplace_moment() -> bool:
    """E e^{λN} = 1/(1 − λ²b²) for λb < 1; with r = λb, in units of b."""
    import sympy as sp

    r, z = symbols("r z", positive=True)
    gap = symbols("g", positive=True)  # 1 − r
    right = sp.integrate(sp.exp(-gap * z) / 2, (z, 0, sp.oo)).subs(gap, 1 - r)
    left = sp.integrate(sp.exp(-(1 + r) * z) / 2, (z, 0, sp.oo))
    return vanishes(right + left - 1 / (1 - r**2))


def laplace_is_best(ratio: int = 2) -> Evidence:
    """log f 1-Lipschitz gives P(|X| > α) ≥ e^{−α}: the tail is at least the density of |X|, so it decays no faster.

    On a grid: masses g_0, g_1, ... of |X| that fall by a factor of at most 2 each have Σ_{i≥m} g_i ≥ 2^{−m}.
    """
    import sympy as sp
    import z3

    masses, rest = real_list("g", 6), z3.Real("r")
    falling = [masses[i] <= 2 * masses[i + 1] for i in range(5)]
    # What lies beyond the sixth falls by at most 2 each time as well: at least g_5·(½ + ¼ + ...).
    given = [*[mass >= 0 for mass in masses], *falling, rest >= masses[5], z3.Sum(masses) + rest == 1]
    grid = z3.And(*[ratio**m * (z3.Sum(masses[m:]) + rest) >= 1 for m in range(6)])

    h, density, level = symbols("h d alpha", positive=True)
    # The density of |X| at α + h is at least e^{−h} times that at α; integrate over h.
    tail = vanishes(sp.integrate(sp.exp(-h) * density, (h, 0, sp.oo)) - density)
    left = sp.Function("T")(level)  # T' = −density ≥ −T, so e^α·T never falls
    grown = sp.diff(sp.exp(level) * left, level) - sp.exp(level) * (left + sp.diff(left, level))
    equal = vanishes(sp.integrate(sp.exp(-h), (h, level, sp.oo)) - sp.exp(-level))
    return conclude(
        "proved",
        {
            "tail ≥ density": tail,
            "(e^α T)' = e^α(T + T') ≥ 0 and T(0) = 1": vanishes(grown),
            "six points of a grid, ratios of 2: every such law has tails of at least 2^{−m}": proves(grid, *given),
            "equality for Laplace": equal,
        },
    )


def clipping(top: str = "1") -> Evidence:
    """|clip(y) − μ| ≤ |y − μ| for μ in [0, 1]: clipping never increases the error."""
    import z3

    y, mu = reals("y mu")
    clipped = z3.If(y < 0, 0, z3.If(y > z3.RealVal(top), z3.RealVal(top), y))
    return conclude(
        "proved", {"every coordinate": proves(absolute(clipped - mu) <= absolute(y - mu), mu >= 0, mu <= 1)}
    )


def trivial_half(half: str = "1/2") -> Evidence:
    """The constant ½ errs by at most ½, so every PAC rate is ≤ ½ and every MSE rate ≤ ¼."""
    import z3

    mu = reals("mu")[0]
    pac = proves(absolute(mu - z3.RealVal(half)) <= z3.RealVal("1/2"), mu >= 0, mu <= 1)
    mse = proves((mu - z3.RealVal(half)) * (mu - z3.RealVal(half)) <= z3.RealVal("1/4"), mu >= 0, mu <= 1)
    return conclude("proved", {"PAC ≤ ½": pac, "MSE ≤ ¼": mse})


def sharper_example(halves: int = 2) -> Evidence:
    """At k = 1, a/b = 6: the exact quantile b·log(cosh(a/b)/β) is below a + b·log(1/β)."""
    context = iv()
    exact = context.log((context.exp(6) + context.exp(-6)) / halves / interval("0.05"))
    simple = interval(6) + context.log(1 / interval("0.05"))
    return conclude("proved", {"exact quantile below the simple one at a/b = 6, β = 0.05": surely_less(exact, simple)})


ENTRIES = (
    Entry(
        "tail-laplace",
        "Laplace tails and the union bound",
        ("eqr-1",),
        "P(|N| > x) = e^(-x/b) and P(max of k > x) = 1 - (1 - e^(-x/b))^k <= k·e^(-x/b).",
        "sympy",
        laplace_tail,
        constant="1",
    ),
    Entry(
        "tail-quantile",
        "The exact quantile of the largest noise",
        OURS,
        "q_k(beta) = log(1/(1 - (1-beta)^(1/k))) is the exact (1-beta)-quantile of max of k Exp(1), and is at most "
        "log(k/beta).",
        "sympy",
        quantile,
        constant="1",
    ),
    Entry(
        "tail-exact-mean",
        "Exact law of |a + N|",
        OURS,
        "P(|a+N| > alpha) = e^(-alpha/b)·cosh(a/b) for alpha >= a, P(|a+N| <= alpha) = e^(-a/b)·sinh(alpha/b) below; "
        "so the exact quantile is b·log(cosh(a/b)/beta) for beta <= 1/2.",
        "sympy",
        exact_mean_tail,
        constant="cosh(a/b)",
    ),
    Entry(
        "tail-exact-gain",
        "The exact quantile is smaller",
        OURS,
        "b·log(cosh(a/b)/beta) < a + b·log(1/beta) at a/b = 6, beta = 0.05, in interval arithmetic.",
        "interval",
        sharper_example,
    ),
    Entry(
        "tail-laplace-best",
        "Laplace noise is best in one dimension",
        OURS,
        "Noise whose log density is 1-Lipschitz has P(|X| > alpha) >= e^-alpha, with equality for Laplace.",
        "sympy",
        laplace_is_best,
        constant="1",
    ),
    Entry(
        "clipping-helps",
        "Clipping never increases the error",
        OURS,
        "|clip(y) - mu| <= |y - mu| for mu in [0, 1].",
        "smt",
        clipping,
        constant="1",
    ),
    Entry(
        "trivial-half",
        "The constant one half",
        ("thm:pac-lb", "thm:mse-lb"),
        "The constant 1/2 gives PAC rate <= 1/2 and MSE rate <= 1/4 in all settings.",
        "smt",
        trivial_half,
        constant="1/2 and 1/4",
    ),
)
