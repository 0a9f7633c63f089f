"""Slips inside the paper's proofs: the conclusion can be kept, the printed step cannot."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hdp_audit.proofs import maxima, optimality, privacy, upper
from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import Evidence, conclude, correction


def panch_constant(factor: str = "1") -> Evidence:
    """All ε = 1: L²/‖1−e^{−ε}‖₁² = 2.5026·L²/‖ε‖₁²: the step holds with factor (1−1/e)^{−2}, not 1."""
    context = iv()
    ratio = 1 / (1 - context.exp(-1)) ** 2
    return conclude(
        "proved",
        {
            "the ratio exceeds the printed factor": surely_less(interval(factor), ratio),
            "and is below 2.503": surely_less(ratio, interval("2.503")),
            "with it the chain holds (opt-weak-upper)": optimality.weak_upper().holds,
        },
    )


def weak_symbol(limit: str = "0.01") -> Evidence:
    """n = 10⁴, half with ε = 0, half with ε = 1, k = 2, β = 0.05: R_C = 1, the printed right side is below 0.01."""
    context = iv()
    n = 10_000
    level = context.log(2 / interval("0.05"))
    soft = 1 - context.exp(-1)
    norm = n // 2 * soft
    right = (level * (n // 2) * soft**2 + level**2) / norm**2
    bias = 2 * Fraction(n // 2, n)  # a user with ε = 0 has weight 0, so ‖w−u‖₁ ≥ 2·½
    return conclude(
        "proved",
        {
            "R_C = 1, as ‖w−u‖₁ ≥ 1": bias == 1,
            "the right side is below 0.01": surely_less(right, interval(limit)),
            "for R_WC the chain holds (opt-weak-upper)": optimality.weak_upper().holds,
        },
    )


def integral_limits(start: int = 1) -> Evidence:
    """∫₀^∞ t^{−c}dt diverges at 0 for c = c₂/λ > 1; the integral meant is ∫₁^∞ = 1/(c−1)."""
    import sympy as sp

    t = symbols("t", positive=True)
    diverges = sp.integrate(t**-2, (t, 0, 1)) == sp.oo
    meant = sp.integrate(t**-3, (t, start, sp.oo)) == sp.Rational(1, 2)
    lemma = maxima.dependent_maximum().holds
    return conclude(
        "proved",
        {"divergent from 0": bool(diverges), "1/(c−1) from 1": bool(meant), "so the lemma holds (max-exp-2)": lemma},
    )


def cross_term(sign: int = -1) -> Evidence:
    """M = sample mean, n = 2, Bern(1/3): E(μ(Z)−M)² = 0, but f + Var/n − 2E[(μ(Z)−μ(P))(μ(P)−M)] = 4Var/n."""
    p, n = Fraction(1, 3), 2
    cross = Fraction(0)
    for z in product((0, 1), repeat=n):
        mass = p ** sum(z) * (1 - p) ** (n - sum(z))
        mean = Fraction(sum(z), n)
        cross += mass * (mean - p) * (p - mean)
    variance = p * (1 - p) / n
    printed = variance + variance + 2 * sign * cross
    right = variance + variance + 2 * cross
    x, y = symbols("x y", real=True)
    return conclude(
        "proved",
        {
            "the printed sign gives 4Var/n instead of 0": printed == 4 * variance != 0,
            "the plus sign gives 0": right == 0,
            "(x+y)² = x² + y² + 2xy": vanishes((x + y) ** 2 - x**2 - y**2 - 2 * x * y),
        },
    )


def ratio_sign(sign: int = 1) -> Evidence:
    """p(a | θ)/p(a | θ') = exp((|θ' − a| − |θ − a|)/b): at θ = a = 0, θ' = w the ratio is e^{w/b} > 1, not e^{−w/b}."""
    import sympy as sp

    w, b = symbols("w b", positive=True)
    density = sp.Lambda(w, sp.exp(-w / b) / (2 * b))  # of the distance |θ − a|
    ratio = density(0) / density(w)
    return conclude(
        "proved",
        {
            "the ratio is e^{w/b}": vanishes(ratio - sp.exp(sign * w / b)),
            "the printed order of the two distances gives its inverse": vanishes(ratio * sp.exp((0 - w) / b) - 1),
            "the lemma holds either way (privacy-hpf)": privacy.frequency_all().holds,
        },
    )


def mean_by_similar_steps(k: int = 1) -> Evidence:
    """k = 1 in eq:pop1 is log(0), and eq:pop2 gives log(1−β) < 0: the mean needs the conditions with K = 1."""
    context = iv()
    beta = interval("0.05")
    return conclude(
        "proved",
        {
            "(k−1)/(kβ) = 0 at k = 1": Fraction(k - 1, k) == 0,
            "log(1·(1−β)) < 0 says nothing": surely_less(context.log(1 - beta), interval(0)),
            "log((1−β)/β) > 0 from K = 1 does": surely_less(interval(0), context.log((1 - beta) / beta)),
            "and the mean follows (opt-weak-lower)": optimality.weak_lower().holds,
        },
    )


def beta_near_one(limit: str = "1000") -> Evidence:
    """log(4k/β) ≲ log(k/β) in eq:note fails for the mean as β → 1; k/β ≥ 2 suffices (pac-upper-weak)."""
    context = iv()
    beta = interval("0.999")
    left, right = context.log(4 / beta), context.log(1 / beta)
    return conclude(
        "proved",
        {
            "k = 1, β = 0.999: ratio above 1000": surely_less(interval(limit) * right, left),
            "for k/β ≥ 2 the bound holds (pac-upper-weak)": upper.pac_weak().holds,
        },
    )


ENTRIES = (
    correction(
        "proof-ratio-sign",
        "Sign in the density ratio",
        ("lem:eps-dp",),
        "The log density ratio is the sum of |theta(X')_j - a_j| - |theta(X)_j - a_j| over the noise scale.",
        "sympy",
        ratio_sign,
        "Printed with the two distances exchanged; harmless, since the bound is symmetric.",
    ),
    correction(
        "proof-panch",
        "A constant in the weak PAC proof",
        ("eq:panch",),
        "Replacing |1 - e^-eps|_1 by |eps|_1 costs the factor (1 - 1/e)^-2 < 2.503 in the square.",
        "interval",
        panch_constant,
        "Printed with <= and no factor; all eps = 1 is a counterexample.",
        "2.503",
    ),
    correction(
        "proof-weak-symbol",
        "R_C for R_WC",
        ("thm:uncorr-minimax-pac",),
        "The chain of the proof bounds R_WC^2.",
        "interval",
        weak_symbol,
        "Printed for R_C^2; with half of the demands 0 it is 1 while the right side is below 0.01.",
    ),
    correction(
        "proof-integral",
        "Limits of an integral",
        ("lem:max-exp-2",),
        "The tail integral runs from 1.",
        "sympy",
        integral_limits,
        "Printed from 0 to infinity, where it diverges; its stated value is that from 1.",
    ),
    correction(
        "proof-cross-term",
        "Sign of the cross term",
        ("eq:mse-lb-5",),
        "The cross term has the sign +2.",
        "enumeration",
        cross_term,
        "Printed with -2 as an equality; harmless, since Cauchy-Schwarz bounds both signs.",
        "+2",
    ),
    correction(
        "proof-similar-steps",
        "The mean by similar steps",
        ("eq:pop1", "eq:pop2"),
        "For means use E e^S >= (1-beta)/beta, which gives (e-1)(m/n)|eps|_1 >= log((1-beta)/beta).",
        "interval",
        mean_by_similar_steps,
        "Setting k = 1 turns the two printed steps into log 0 and log(1-beta) < 0.",
        "K = 1",
    ),
    correction(
        "proof-beta-one",
        "Error probabilities near one",
        ("eq:note",),
        "log(4k/beta) is of the order log(k/beta) for k/beta >= 2.",
        "interval",
        beta_near_one,
        "For means (k = 1) and beta -> 1 the ratio is unbounded.",
        "k/β ≥ 2",
    ),
)
