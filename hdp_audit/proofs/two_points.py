"""MSE lower bounds from two datasets: correlated (the cells that the paper leaves empty) and weakly correlated."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def bayes_risk(weight: str = "1/2") -> Evidence:
    """Two centres Δ apart, prior ½: the least posterior risk at a point is (Δ²/2)·pq/(p+q)."""
    import z3

    p, q, y, gap = reals("p q y D")
    risk = (p * y * y + q * (gap - y) * (gap - y)) / 2
    least = proves(risk * (p + q) >= z3.RealVal(weight) * gap * gap * p * q, p >= 0, q >= 0, p + q > 0)
    a, b, d = symbols("p q D", positive=True)
    best = d * b / (a + b)
    attained = vanishes((a * best**2 + b * (d - best) ** 2) / 2 - d**2 * a * b / (2 * (a + b)))
    harmonic = vanishes(a * b / (a + b) - (a + b) / 4 * (1 - ((a - b) / (a + b)) ** 2))
    return conclude(
        "proved",
        {
            "no answer y does better": least,
            "the posterior mean attains it": attained,
            "pq/(p+q) = (p+q)/4·(1 − r²), r = (p−q)/(p+q)": harmonic,
        },
    )


def hyperbolic(shift: int = 1) -> Evidence:
    """|p−q|/(p+q) ≤ tanh(S/2) = (E−1)/(E+1) when e^{−S} ≤ p/q ≤ e^S = E; then V ≥ (m/2n)²·sech²(S/2)."""
    import sympy as sp

    p, q, ratio = reals("p q E")
    pointwise = proves(
        absolute(p - q) * (ratio + 1) <= (ratio - shift) * (p + q),
        p >= 0,
        q >= 0,
        ratio >= 1,
        p <= ratio * q,
        q <= ratio * p,
    )
    s = symbols("S", positive=True)
    tangent = vanishes(((sp.exp(s) - 1) / (sp.exp(s) + 1) - sp.tanh(s / 2)).rewrite(sp.exp))
    secant = vanishes((1 - sp.tanh(s / 2) ** 2 - 1 / sp.cosh(s / 2) ** 2).rewrite(sp.exp))
    gap = symbols("D", positive=True)
    # ∫(p+q) = 2, so (Δ²/2)·(2/4)·sech² = Δ²/4·sech² = (m/2n)²·sech².
    scale = vanishes(gap**2 / 2 * sp.Rational(2, 4) - (gap / 2) ** 2)
    return conclude(
        "proved",
        {
            "pointwise ratio": pointwise,
            "(E−1)/(E+1) = tanh(S/2)": tangent,
            "1 − tanh² = sech²": secant,
            "Δ²/4 in front": scale,
        },
    )


def tight_at_one(quarter: int = 4) -> Evidence:
    """n = 1, data 0 or 1: answering ½ ± ½tanh(ε/2) by randomised response has MSE exactly ¼sech²(ε/2)."""
    import sympy as sp

    e = symbols("e", positive=True)
    keep = sp.exp(e) / (1 + sp.exp(e))
    reach = sp.tanh(e / 2)
    near, far = (sp.Rational(1, 2) - reach / 2) ** 2, (sp.Rational(1, 2) + reach / 2) ** 2
    value = keep * near + (1 - keep) * far
    return conclude(
        "proved", {"MSE = ¼·sech²(ε/2)": vanishes((value - 1 / sp.cosh(e / 2) ** 2 / quarter).rewrite(sp.exp))}
    )


def weak_mixture(curvature: int = 8) -> Evidence:
    """(p−q)²/(p+q) is convex in q: averaging over orders, 1 − E tanh²(S/2) replaces sech²(S/2)."""
    import sympy as sp

    p, q = symbols("p q", positive=True)
    divergence = (p - q) ** 2 / (p + q)
    convex = vanishes(sp.diff(divergence, q, 2) - curvature * p**2 / (p + q) ** 3)
    bound, tangent, total = reals("d t s")
    square = proves(
        bound * bound <= tangent * tangent * total * total, total > 0, tangent >= 0, absolute(bound) <= tangent * total
    )
    return conclude(
        "proved",
        {"second derivative is 8p²/(p+q)³ ≥ 0": convex, "(p−q)²/(p+q) ≤ tanh²(S/2)·(p+q) for each order": square},
    )


def tangent_bound(first: int = 4, second: int = 8) -> Evidence:
    """1 − tanh²(S/2) = 4x/(1+x)² ≥ A·x − B·x², x = e^{−S}, A = 4/(1+y)² + 8y/(1+y)³, B = 8/(1+y)³, y in [0,1]."""
    import sympy as sp

    x, y = reals("x y")
    cube = (1 + y) * (1 + y) * (1 + y)
    line = first * (1 + y) + second * y - second * x  # (A − B·x)·(1+y)³
    below = proves(4 * cube >= (1 + x) * (1 + x) * line, x >= 0, x <= 1, y >= 0, y <= 1)
    s = symbols("S", positive=True)
    form: Any = 1 - sp.tanh(s / 2) ** 2 - 4 * sp.exp(-s) / (1 + sp.exp(-s)) ** 2
    touch = symbols("y", positive=True)
    a, b = 4 / (1 + touch) ** 2 + 8 * touch / (1 + touch) ** 3, 8 / (1 + touch) ** 3
    touches = vanishes(a * touch - b * touch**2 - 4 * touch / (1 + touch) ** 2)
    return conclude(
        "proved",
        {
            "1 − tanh² = 4x/(1+x)²": vanishes(form.rewrite(sp.exp)),
            "A·x − B·x² lies below": below,
            "equality at x = y": touches,
        },
    )


def markov(times: int = 1) -> Evidence:
    """V ≥ β·R(β)²: an error above α with probability more than β costs at least β·α²."""
    alpha, beta, rest, tail = reals("a b r p")
    return conclude(
        "proved",
        {
            "E err² ≥ P(err > α)·α²": proves(
                tail * alpha * alpha + rest >= times * beta * alpha * alpha,
                alpha >= 0,
                rest >= 0,
                tail > beta,
                beta > 0,
            )
        },
    )


ENTRIES = (
    Entry(
        "two-bayes",
        "The least risk between two datasets",
        OURS,
        "With prior 1/2 on centres D apart, the risk is at least (D^2/2)·integral of pq/(p+q), attained by the "
        "posterior mean.",
        "smt",
        bayes_risk,
        constant="1/2",
    ),
    Entry(
        "two-correlated",
        "MSE lower bound, correlated",
        OURS,
        "E_c^m, E_c^f >= (m/2n)^2·sech^2(S_m/2) for every m, S_m the sum of the m smallest demands: the paper has no "
        "bound here.",
        "smt",
        hyperbolic,
        constant="1/4",
    ),
    Entry(
        "two-tight",
        "Tight at one user",
        OURS,
        "Randomised response between 1/2 +- tanh(eps/2)/2 has mean square exactly ¼·sech^2(eps/2) on {0, 1}.",
        "sympy",
        tight_at_one,
        constant="1/4",
    ),
    Entry(
        "two-weak",
        "MSE lower bound, weakly correlated",
        OURS,
        "E_wc >= (m/2n)^2·(1 - E tanh^2(S/2)), S the sum of m demands drawn without replacement.",
        "sympy",
        weak_mixture,
        constant="1/4",
    ),
    Entry(
        "two-tangent",
        "From hyperbolic tangents to exponentials",
        OURS,
        "1 - tanh^2(S/2) >= A·e^-S - B·e^-2S, A = 4/(1+y)^2 + 8y/(1+y)^3, B = 8/(1+y)^3, any y in [0,1].",
        "smt",
        tangent_bound,
        constant="A, B",
    ),
    Entry(
        "two-markov", "From PAC to MSE", OURS, "The MSE rate is at least beta·R(beta)^2.", "smt", markov, constant="1"
    ),
)
