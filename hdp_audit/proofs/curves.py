"""Promises as curves: P(S) ≤ e^ε·Q(S) + δ(ε) for every event, and what δ is for each kind of promise (ours)."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import possible, proves, reals


def approximate(leak: int = 1) -> Evidence:
    """p ≤ r·q + d and 1 − q ≤ r(1 − p) + d, r = e^ε₀, give p − x·q ≤ d + (1 − d)(r − x)/(1 + r) for 1 ≤ x ≤ r."""
    p, q, r, d, x = reals("p q r d x")
    given = [r >= 1, d >= 0, d <= 1, p >= 0, p <= 1, q >= 0, q <= 1, p <= r * q + d, 1 - q <= r * (1 - p) + d]
    below = proves((p - x * q) * (1 + r) <= leak * d * (1 + r) + (1 - d) * (r - x), *given, x >= 1, x <= r)
    above = proves(p - x * q <= leak * d, *given, x >= r)
    law = [r >= 1, d >= 0, d <= 1, p * (1 + r) == d * (1 + r) + (1 - d) * r, q * (1 + r) == 1 - d]
    keeps = proves(p <= r * q + d, *law)
    other = proves(1 - q <= r * (1 - p) + d, *law)
    attained = proves((p - x * q) * (1 + r) == d * (1 + r) + (1 - d) * (r - x), *law)
    return conclude(
        "proved",
        {
            "ε ≤ ε₀: at most δ₀ + (1−δ₀)(e^ε₀ − e^ε)/(1 + e^ε₀)": below,
            "ε ≥ ε₀: at most δ₀": above,
            "revealing with probability δ₀, else answering with odds e^ε₀, keeps the promise": keeps and other,
            "and attains the curve at every ε ≤ ε₀": attained,
        },
    )


def pure(least: int = 0) -> Evidence:
    """The same with d = 0: (r − x)/(1 + r), and 0 from r on."""
    p, q, r, x = reals("p q r x")
    given = [r >= 1, p >= 0, p <= 1, q >= 0, q <= 1, p <= r * q, 1 - q <= r * (1 - p)]
    below = proves((p - x * q) * (1 + r) <= r - x - least, *given, x >= 1, x <= r)
    above = proves(p - x * q <= 0, *given, x >= r)
    attained = possible(r == 3, p * 4 == 3, q * 4 == 1, x == 2, (p - x * q) * (1 + r) == r - x, *given)
    steps = {"ε ≤ ε₀: at most (e^ε₀ − e^ε)/(1 + e^ε₀)": below, "ε ≥ ε₀: 0": above, "attained by answers": attained}
    return conclude("proved", steps)


def gaussian(halves: int = 1) -> Evidence:
    """∫(φ(y−μ) − e^ε·φ(y))₊: the ratio e^{μy − μ²/2} reaches e^ε at y = ε/μ + μ/2, and δ is what lies beyond."""
    import sympy as sp

    mu = symbols("mu", positive=True)
    epsilon, y, z = symbols("epsilon y z", real=True)
    place = epsilon / mu + halves * mu / 2
    reached = vanishes(mu * place - mu**2 / 2 - epsilon)
    rising = bool(sp.diff(mu * y - mu**2 / 2, y).is_positive)
    # δ = Φ(μ − place) − e^ε·Φ(−place), and Φ′ = φ
    formula = vanishes(mu - place - (mu / 2 - epsilon / mu)) and vanishes(place - (mu / 2 + epsilon / mu))
    slope = vanishes(-((place - mu) ** 2) / 2 - (epsilon - place**2 / 2))  # φ(place − μ) = e^ε·φ(place)
    tangent = vanishes(place.subs(epsilon, -mu * (z + mu / 2)) + z)
    return conclude(
        "proved",
        {
            "the likelihood ratio rises, so the best event is a tail": rising,
            "which begins at ε/μ + μ/2": reached,
            "δ = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)": formula,
            "moving that place changes nothing at first order, so −dδ/d(e^ε) = Φ(−μ/2 − ε/μ)": slope,
            "which is Φ(z) at ε = −μ(z + μ/2), and there δ + e^ε·Φ(z) = Φ(z + μ)": tangent,
        },
    )


def concentrated(power: int = 0) -> Evidence:
    """(L − x)₊ ≤ c·L^α with c = x^{1−α}(α−1)^{α−1}/α^α, and E_Q L^α ≤ e^{α(α−1)ρ}, L the likelihood ratio."""
    import sympy as sp

    x, alpha, rho, ratio = symbols("x alpha rho L", positive=True)
    more = alpha - 1
    peak = alpha * x / more
    touched = sp.log(ratio - x) - alpha * sp.log(ratio)
    # its derivative is (αx − (α−1)L)/(L(L−x)), which changes its sign once, at the peak
    once = vanishes(sp.diff(touched, ratio) - (alpha * x - more * ratio) / (ratio * (ratio - x)))
    largest = (1 - alpha) * sp.log(x) + more * sp.log(more) - alpha * sp.log(alpha)
    value = vanishes(sp.expand_log(sp.log(sp.simplify(peak - x)) - alpha * sp.log(peak) - largest, force=True))
    stated = more * (alpha * rho - sp.log(x)) + alpha * (sp.log(more) - sp.log(alpha)) - (1 + power) * sp.log(more)
    formula = vanishes(sp.expand(largest + alpha * more * rho - stated))
    return conclude(
        "proved",
        {
            "(L − x)/L^α rises up to L = αx/(α−1) and falls from there": once,
            "its value there": value,
            "times the largest moment: e^{(α−1)(αρ−ε)}·(1−1/α)^α/(α−1)": formula,
        },
    )


def best_order(twice: int = 2) -> Evidence:
    """d log δ/dα = (2α−1)ρ + log(1−1/α) − ε, which rises with α; so δ is convex in e^ε, too."""
    import sympy as sp

    alpha, rho, epsilon = symbols("alpha rho epsilon", positive=True)
    more = alpha - 1
    log_delta = more * (alpha * rho - epsilon) + more * sp.log(more) - alpha * sp.log(alpha)
    best = (twice * alpha - 1) * rho + sp.log(more) - sp.log(alpha)
    stationary = vanishes(sp.diff(log_delta, alpha) - (best - epsilon))
    rises = vanishes(sp.diff(best, alpha) - (2 * rho + 1 / (alpha * more)))
    ends = sp.limit(best.subs(rho, 1), alpha, 1, "+") == -sp.oo and sp.limit(best.subs(rho, 1), alpha, sp.oo) == sp.oo
    slope = vanishes(sp.diff(log_delta, epsilon) + more)
    x = symbols("x", positive=True)
    order, delta = sp.Function("a")(x), sp.Function("d")(x)
    first = -(order - 1) * delta / x
    second = sp.diff(first, x).subs(sp.diff(delta, x), first)
    bend = vanishes(second * x**2 / delta - (order * (order - 1) - x * sp.diff(order, x)))
    t, r, rise = reals("t r s")  # α(α−1), ρ, and dα/dε = 1/(2ρ + 1/t)
    convex = proves(t - rise >= 0, t > 0, r > 0, rise * (2 * r * t + 1) == t)
    return conclude(
        "proved",
        {
            "the best order satisfies ε = (2α−1)ρ + log(1−1/α)": stationary,
            "whose right side rises with α": rises,
            "from −∞ to ∞: there is one for each ε": bool(ends),
            "−d log δ/dε = α − 1": slope,
            "(e^ε)²·δ″/δ = α(α−1) − dα/dε": bend,
            "which is not negative: δ is convex in e^ε": convex,
        },
    )


ENTRIES = (
    Entry(
        "curve-pure",
        "The curve of pure privacy",
        OURS,
        "eps0-differential privacy is P(S) <= e^eps Q(S) + delta(eps) with delta = (e^eps0 - e^eps)/(1 + e^eps0) below "
        "eps0 and 0 from there on; randomised response attains it.",
        "smt",
        pure,
    ),
    Entry(
        "curve-approximate",
        "The curve of (eps, delta)",
        OURS,
        "(eps0, delta0) gives delta0 + (1 - delta0)(e^eps0 - e^eps)/(1 + e^eps0) below eps0 and delta0 from there on; "
        "revealing with probability delta0, else randomised response, attains it.",
        "smt",
        approximate,
    ),
    Entry(
        "curve-gaussian",
        "The curve of Gaussian privacy",
        OURS,
        "A shift by mu standard deviations has delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), and "
        "-d delta/d(e^eps) = Phi(-mu/2 - eps/mu).",
        "sympy",
        gaussian,
    ),
    Entry(
        "curve-zcdp",
        "The curve of zCDP",
        OURS,
        "If all Renyi divergences are at most alpha·rho then delta(eps) <= e^((alpha-1)(alpha rho - eps))·"
        "(1 - 1/alpha)^alpha/(alpha - 1) for every alpha > 1.",
        "sympy",
        concentrated,
    ),
    Entry(
        "curve-zcdp-order",
        "The best order of zCDP",
        OURS,
        "The alpha that makes this smallest is the only one with eps = (2 alpha - 1) rho + log(1 - 1/alpha); the "
        "smallest delta is convex in e^eps.",
        "sympy",
        best_order,
        constant="(2α − 1)ρ + log(1 − 1/α)",
    ),
)
