"""The exact worst case of the correlated setting before clipping: a vertex of the bias polytope."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def log_concave(sign: int = 1) -> Evidence:
    """x → P(|x+N| ≤ α) is even and log-concave: −log(1 − s·cosh x) is convex inside, linear outside, smooth at α."""
    import sympy as sp

    x, alpha = symbols("x alpha", positive=True)
    s = sp.exp(-alpha)
    inside = 1 - s * sp.cosh(x)
    level = symbols("s", positive=True)
    general = sp.diff(-sp.log(1 - level * sp.cosh(x)), x, 2)
    convex = vanishes(general - sign * level * (sp.cosh(x) - level) / (1 - level * sp.cosh(x)) ** 2)
    outside = sp.exp(-x) * sp.sinh(alpha)
    linear = vanishes(sp.diff(sp.log(outside), x, 2))
    joined = vanishes((inside - outside).subs(x, alpha).rewrite(sp.exp))
    smooth = vanishes((sp.diff(inside, x) / inside - sp.diff(outside, x) / outside).subs(x, alpha).rewrite(sp.exp))
    c, level_ = reals("c s")
    positive = proves(level_ * (c - level_) >= 0, c >= 1, level_ > 0, level_ <= 1)
    return conclude(
        "proved",
        {
            "second derivative of −log is s(cosh x − s)/(1 − s·cosh x)²": convex,
            "which is ≥ 0 because cosh x ≥ 1 ≥ s": positive,
            "beyond α the logarithm is linear": linear,
            "value and slope agree at α, so −Σ log is convex and largest at a vertex (bias-vertices)": joined
            and smooth,
        },
    )


def _pair_law(a: Any, alpha: Any, below: bool) -> Any:
    import sympy as sp

    return sp.exp(-a) * sp.sinh(alpha) if below else 1 - sp.exp(-alpha) * sp.cosh(a)


def pair_mean_square() -> Any:
    """E max(|a+N₁|, |−a+N₂|)² at b = 1 in closed form: ∫ 2α(1 − F²)dα, F as in tail-exact-mean."""
    import sympy as sp

    a, alpha = symbols("a alpha", positive=True)
    low = sp.integrate(sp.expand((2 * alpha * (1 - _pair_law(a, alpha, True) ** 2)).rewrite(sp.exp)), (alpha, 0, a))
    high_integrand = sp.expand((2 * (alpha + a) * (1 - _pair_law(a, alpha + a, False) ** 2)).rewrite(sp.exp))
    high = sp.integrate(high_integrand, (alpha, 0, sp.oo))
    return sp.simplify((low + high).rewrite(sp.exp)).rewrite(sp.exp)


def worst_mean_square(noise_weight: int = 2) -> Evidence:
    """MSE: E(a+N)² = a² + 2b² for the mean; for k = 2 the vertex value lies between a² and the triangle bound."""
    import sympy as sp

    a, b, z = symbols("a b z", positive=True)
    density = sp.exp(-z / b) / (2 * b)
    moment = sp.integrate(sp.expand((a + z) ** 2 + (a - z) ** 2) * density, (z, 0, sp.oo))
    exact = vanishes(moment - a**2 - noise_weight * b**2)
    pair = pair_mean_square()
    size = next(iter(pair.free_symbols))
    zero = vanishes(sp.limit(pair, size, 0) - sp.Rational(7, 2))
    context = iv()
    value = sp.lambdify(size, pair, modules=[{"exp": context.exp}])
    steps = {
        "mean: E(a+N)² = a² + 2b² by integration": exact,
        "k = 2: the vertex formula gives H₂² + H₂^{(2)} = 7/2 at a = 0": zero,
    }
    for ratio in (1, 3, 6):
        found = value(interval(ratio))
        triangle = interval(ratio) ** 2 + 2 * ratio * interval("1.5") + interval("3.5")
        steps[f"k = 2, a/b = {ratio}: below a² + 2abH + b²(H² + H₂)"] = surely_less(found, triangle)
    return conclude("proved", steps)


def convex_square(times: int = 1) -> Evidence:
    """A → E‖A+N‖∞² is convex: the largest of squares of affine functions is convex, so the vertex is worst."""
    x, y, s = reals("x y s")
    mixed = s * x + (1 - s) * y
    convex = proves(times * mixed * mixed <= s * x * x + (1 - s) * y * y, s >= 0, s <= 1)
    first, second, p, q = reals("f g p q")
    largest = proves(s * p + (1 - s) * q <= s * first + (1 - s) * second, s >= 0, s <= 1, p <= first, q <= second)
    return conclude("proved", {"a square is convex": convex, "a maximum of convex functions is convex": largest})


def quantile_example(low: str = "0.4495") -> Evidence:
    """k = 10, a = 0.3, b = 0.05, β = 0.05: the exact quantile is in (0.4495, 0.4505), the simple one above 0.563."""
    context = iv()
    ratio, beta = interval(6), interval("0.05")
    cosh = (context.exp(ratio) + context.exp(-ratio)) / 2

    def inside(alpha: str) -> Any:
        s = context.exp(-interval(alpha) / interval("0.05"))
        return (1 - s) ** 8 * (1 - s * cosh) ** 2

    simple = interval("0.3") - interval("0.05") * context.log(1 - context.exp(context.log(1 - beta) / 10))
    return conclude(
        "proved",
        {
            "probability at 0.4495 is below 1 − β": surely_less(inside(low), 1 - beta),
            "probability at 0.4505 is above 1 − β": surely_less(1 - beta, inside("0.4505")),
            "a + b·q_k(β) exceeds 0.563": surely_less(interval("0.563"), simple),
        },
    )


ENTRIES = (
    Entry(
        "vertex-log-concave",
        "The worst bias for the PAC error is a vertex",
        OURS,
        "P(|A+N|_inf <= alpha) is log-concave and even in each bias coordinate, so its minimum over the bias polytope "
        "is at a(e_i - e_j) for every alpha and beta.",
        "sympy",
        log_concave,
    ),
    Entry(
        "vertex-convex",
        "The worst bias for the mean square is a vertex",
        OURS,
        "E|A+N|_inf^2 is convex in A, so its maximum over the polytope is at a(e_i - e_j).",
        "smt",
        convex_square,
    ),
    Entry(
        "vertex-mse",
        "Exact mean squares at the vertex",
        OURS,
        "Mean: E(a+N)^2 = a^2 + 2b^2. Frequency, k = 2: the integral of 2·alpha·(1 - F) in closed form, H^2 + H2 = "
        "7/2 at a = 0, and below a^2 + 2abH + b^2(H^2 + H2) at a/b = 1, 3, 6.",
        "sympy",
        worst_mean_square,
        constant="a² + 2b²",
    ),
    Entry(
        "vertex-quantile",
        "The exact quantile in an example",
        OURS,
        "k = 10, a = 0.3, b = 0.05, beta = 0.05: exact quantile 0.450, simple bound 0.564.",
        "interval",
        quantile_example,
        constant="0.450",
    ),
)
