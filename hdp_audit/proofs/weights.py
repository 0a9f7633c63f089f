"""Particular weights: UNI, Prop, HPF-A, and the example of one silent user."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, real_list, reals, smaller


def proportional(floor: int = 1) -> Evidence:
    """Prop has the least noise of all weights: 1 = Σw ≤ tΣε, so t ≥ 1/Σε, attained by w = ε/Σε."""
    t, total, mass = reals("t E m")
    least = proves(t * total >= floor, mass == 1, mass <= t * total, t > 0, total > 0)
    attained = proves(t * total == 1, total > 0, t == 1 / total)
    return conclude("proved", {"Σw ≤ tΣε": least, "w = ε/Σε has t = 1/Σε": attained})


def uniform(factor: int = 2) -> Evidence:
    """UNI: w = 1/n has t = 1/(nε₁), so HPF adds Laplace(2/(nε₁)) noise and the bias is zero."""
    import z3

    n, first, other, t = reals("n e1 e t")
    worst = proves(1 / (n * other) <= 1 / (n * first), n >= 1, first > 0, other >= first)
    demands = real_list("d", 4)
    ordered = [demands[0] > 0, *[demands[i] <= demands[i + 1] for i in range(3)]]
    # t = ‖w/ε‖∞: at least every w/ε_i, and one of them.
    level = [z3.And(*[t * 4 * d >= 1 for d in demands]), z3.Or(*[t * 4 * d == 1 for d in demands])]
    noise = proves(2 * t * 4 * demands[0] == factor, *ordered, *level)
    # Everybody spends the smallest demand: min(ε_i, ε₁) over its sum.
    spent = [smaller(d, demands[0]) for d in demands]
    bias = proves(z3.And(*[4 * one == z3.Sum(spent) for one in spent]), *ordered)
    return conclude(
        "proved",
        {
            "1/(nε_i) is largest at the smallest demand": worst,
            "four users: the maximum is 1/(4ε₁), so the scale 2t is 2/(4ε₁)": noise,
            "four users: min(ε_i, ε₁) over its sum is 1/4, so there is no bias": bias,
        },
    )


def soft_saturation(plus: int = 1) -> Evidence:
    """HPF-A: 1 − e^{−ε} ≤ min(ε, 1); (1 − e^{−ε})/ε falls, so t is attained at the smallest demand."""
    import sympy as sp

    x = symbols("x", positive=True)
    ratio = (1 - sp.exp(-x)) / x
    slope = vanishes(sp.diff(ratio, x) - ((plus + x) * sp.exp(-x) - 1) / x**2)
    # (1+x)e^{−x} − 1 is zero at 0 and has derivative −x·e^{−x} < 0.
    negative = vanishes(sp.diff((1 + x) * sp.exp(-x) - 1, x) + x * sp.exp(-x))
    first, value, share = reals("r1 r2 e")
    kept = proves(value * share / first <= share, first > 0, value > 0, value <= first, share > 0)
    return conclude(
        "proved",
        {
            "derivative of (1−e^{−x})/x": slope,
            "is negative": negative,
            "so the loss ε_i·ratio_i/ratio_1 is at most ε_i": kept,
        },
    )


def one_silent_user(scale: int = 2) -> Evidence:
    """One user with ε → 0, the rest public: w = 1/(n−1) on the rest has ‖w−u‖₁ = 2/n, bias 1/n, no noise."""
    n = symbols("n", positive=True)
    norm = vanishes(1 / n + (n - 1) * (1 / (n - 1) - 1 / n) - scale / n)
    return conclude("proved", {"‖w−u‖₁ = 2/n, so PAC error ≤ 1/n and MSE ≤ 1/n²": norm})


ENTRIES = (
    Entry(
        "weights-prop",
        "Proportional weights have the least noise",
        ("adx:exp-details",),
        "max(w/eps) >= 1/sum(eps) on the simplex, attained by w = eps/sum(eps).",
        "smt",
        proportional,
        constant="1",
    ),
    Entry(
        "weights-uniform",
        "Uniform weights",
        ("adx:exp-details",),
        "w = 1/n has max(w/eps) = 1/(n·eps_1), so HPF is Laplace(2/(n·eps_1)).",
        "smt",
        uniform,
        constant="2/(nε₁)",
    ),
    Entry(
        "weights-soft",
        "HPF-A keeps the demands",
        ("tab:hpf-weights",),
        "(1 - e^-eps)/eps falls with eps, so max(w/eps) is at the smallest demand and each loss is at most its demand.",
        "sympy",
        soft_saturation,
        constant="1",
    ),
    Entry(
        "weights-silent",
        "One silent user among public ones",
        ("sec:hpf",),
        "Dropping one user of n: |w - 1/n|_1 = 2/n, PAC error at most 1/n, MSE at most 1/n^2.",
        "sympy",
        one_silent_user,
        constant="1/n",
    ),
)
