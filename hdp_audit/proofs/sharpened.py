"""Sharper bounds of our own: several rivals, all moments, tilted tails, the best shrinking."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def rivals(share: str = "1") -> Evidence:
    """MSE with K rivals: (m/2n)²·sech²((S − log K)₊/2): no posterior exceeds p* = E/(E + K), the risk is ≥ p*(1−p*).

    If the answer's largest coordinate v is below ½, all truths err by ≥ ½. Else truth i errs by ≥ 1 − v, others by ≥ v.
    """
    import sympy as sp
    import z3

    ratio, own, others, k, posterior, v = reals("E g o K p v")
    capped = proves(
        own * (ratio + k) <= z3.RealVal(share) * ratio * (own + others),
        ratio >= 1,
        k >= 1,
        own >= 0,
        others * ratio >= k * own,
    )
    low = proves((1 - v) * (1 - v) >= z3.RealVal("1/4"), 2 * v <= 1)
    risk = posterior * (1 - v) * (1 - v) + (1 - posterior) * v * v
    sure = proves(risk >= posterior * (1 - posterior), posterior >= 0, posterior <= 1)
    unsure = proves(risk >= z3.RealVal("1/4"), posterior >= 0, 2 * posterior <= 1, 2 * v >= 1)
    top = reals("t")[0]
    falls = proves(posterior * (1 - posterior) >= top * (1 - top), 2 * posterior >= 1, posterior <= top, top <= 1)
    s, many = symbols("S K", positive=True)
    best = sp.exp(s) / (sp.exp(s) + many)
    secant = vanishes((best * (1 - best) - 1 / sp.cosh((s - sp.log(many)) / 2) ** 2 / 4).rewrite(sp.exp))
    return conclude(
        "proved",
        {
            "posterior ≤ E/(E + K)": capped,
            "v < ½: every truth errs by at least ½": low,
            "v ≥ ½: risk ≥ π(1−π), and ≥ ¼ for π ≤ ½": sure and unsure,
            "π(1−π) falls beyond ½": falls,
            "p*(1−p*) = ¼sech²((S − log K)/2)": secant,
        },
    )


def moments(times: int = 1) -> Evidence:
    """1−β ≤ q + (1−2q)(E X − 1)/(X* − 1), X = e^{ηS}, X* its value at e^{−S} = q/(1−q), for 0 < |η| ≤ 1, q = β/K.

    ψ = min(q/x, 1 − (1−q)x), x = e^{−S}, lies below the line through x = 1 and the kink: the slopes from x = 1
    rise up to the kink and fall after it. With h = |η| each slope is a fraction whose derivative has a numerator N
    with N(1) = 0.
    """
    import sympy as sp

    x, h, q = symbols("x h q", positive=True)
    kink = times * q / (1 - q)
    meet = vanishes(q / kink - (1 - q)) and vanishes(1 - (1 - q) * kink - (1 - q))
    order = vanishes(q / x - (1 - (1 - q) * x) - ((1 - q) * x - q) * (x - 1) / x)
    steps = {
        "both branches are 1 − q at the kink q/(1−q)": meet,
        "q/x is the smaller branch exactly for x ≥ q/(1−q)": order,
    }
    # top/bottom, and the derivative of N = top'·bottom − top·bottom' in a form whose sign is plain for 0 < h ≤ 1
    fractions = {
        "η > 0, x below the kink: rises": (1 - x, x**-h - 1, -(1 - x) * h * (h + 1) * x ** (-h - 2)),
        "η < 0, x below the kink: rises": (1 - x, 1 - x**h, (1 - x) * h * (h - 1) * x ** (h - 2)),
        "η > 0, x above the kink (in y = 1/x > 1): rises with y": (
            x - 1,
            x**h - 1,
            -(x - 1) * h * (h - 1) * x ** (h - 2),
        ),
        "η < 0, x above the kink (in y = 1/x > 1): rises with y": (
            x - 1,
            1 - x**-h,
            (x - 1) * h * (h + 1) * x ** (-h - 2),
        ),
    }
    for name, (top, bottom, slope) in fractions.items():
        numerator = sp.diff(top, x) * bottom - top * sp.diff(bottom, x)
        steps[name] = vanishes(sp.diff(numerator, x) - slope) and vanishes(numerator.subs(x, 1))
    return conclude("proved", steps)


def tilted(half: int = 2) -> Evidence:
    """Weak PAC: P(‖A+N‖∞ > α) ≤ k·e^{−α/b + V²/8b²}, because P(N > x) ≤ ½e^{−x/b} for every real x.

    So the error is at most b·log(k/β) + V²/(8b) with probability 1 − β.
    """
    import sympy as sp

    grown = reals("y")[0]  # y = e^{|x|/b} ≥ 1; for x < 0, P(N > x) = 1 − 1/(2y) and the claim is 1 − 1/(2y) ≤ y/2
    negative = proves(1 - 1 / (2 * grown) <= grown / half, grown >= 1)
    x, b, v, k, beta = symbols("x b V k beta", positive=True)
    z = sp.Dummy("z", positive=True)
    positive = vanishes(sp.integrate(sp.exp(-z / b) / (2 * b), (z, x, sp.oo)) - sp.exp(-x / b) / 2)
    alpha = b * sp.log(k / beta) + v**2 / (8 * b)
    # Two signs and k bins: 2k·½·e^{−α/b}·E e^{A/b}, with λ = 1/b in E e^{λA} ≤ e^{λ²V²/8} (perm-constant).
    level = vanishes(2 * k * sp.exp(-alpha / b + v**2 / (8 * b**2)) / 2 - beta)
    return conclude("proved", {"x ≥ 0: the exact tail": positive, "x < 0": negative, "that α makes the bound β": level})


def shrinking(eight: int = 8) -> Evidence:
    """Weak centred mean: ¼(1−s)² + 2s²t² is least at s = 1/(1 + 8t²); the two ends meet at s = 1/(1 + √V₀)."""
    import sympy as sp

    s, t, root = symbols("s t r", positive=True)
    least = vanishes(sp.diff((1 - s) ** 2 / 4 + 2 * s**2 * t**2, s).subs(s, 1 / (1 + eight * t**2)))
    meet = vanishes(((1 - s) ** 2 - s**2 * root**2).subs(s, 1 / (1 + root)))
    return conclude("proved", {"stationary point (the function is convex in s)": least, "crossing at V₀ = r²": meet})


ENTRIES = (
    Entry(
        "sharp-rivals",
        "MSE lower bound with several categories",
        OURS,
        "E_c^f >= (m/2n)^2·sech^2((S_m - log K)_+/2), K = k-1.",
        "smt",
        rivals,
        constant="log K",
    ),
    Entry(
        "sharp-moments",
        "All moments in the weak PAC condition",
        OURS,
        "E e^(eta·S) >= 1 + c(X - 1) for 0 < eta <= 1, and <= for eta < 0: X = ((1-q)/q)^eta, c = (1-beta-q)/(1-2q), "
        "q = beta/K < 1/2.",
        "sympy",
        moments,
        constant="c = (1−β−q)/(1−2q)",
    ),
    Entry(
        "sharp-tilted",
        "A tilted weak PAC bound",
        OURS,
        "P(error > alpha) <= k·e^(-alpha/b + V^2/(8b^2)), V^2 = K_n·|w - 1/n|_2^2: so the error is at most "
        "b·log(k/beta) + V^2/(8b) with probability 1 - beta.",
        "sympy",
        tilted,
        constant="k",
    ),
    Entry(
        "sharp-shrinking",
        "The best shrinking factor",
        OURS,
        "¼(1-s)^2 + 2s^2·t^2 is least at s = 1/(1+8t^2); it meets s^2(V0/4 + 2t^2) at s = 1/(1+sqrt(V0)).",
        "sympy",
        shrinking,
        constant="1/(1+8t²)",
    ),
)
