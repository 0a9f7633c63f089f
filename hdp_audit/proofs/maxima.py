"""The two lemmas on maxima (lem:max-exp, lem:max-exp-2) with explicit constants."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude


def _harmonic(k: int, power: int = 1) -> Fraction:
    return sum((Fraction(1, i**power) for i in range(1, k + 1)), Fraction(0))


def _moment_by_expansion(k: int) -> Fraction:
    """∫ 2x(1 − (1−e^{−x})^k)dx = Σ_{j≥1} (−1)^{j+1}C(k,j)·2/j², by the binomial theorem."""
    from math import comb

    return sum((Fraction((-1) ** (j + 1) * comb(k, j) * 2, j * j) for j in range(1, k + 1)), Fraction(0))


def second_moment(square_weight: int = 1) -> Evidence:
    """lem:max-exp, exact: λ²·E max² = H_k² + H_k^{(2)} for every k, by a recursion in k."""
    k, h = symbols("k h", positive=True)
    # E M_k² − E M_{k−1}² = ∫ 2x·e^{−x}(1−e^{−x})^{k−1}dx = (2/k)·E M_k, and E M_k = H_k by the same step.
    previous = h - 1 / k
    step = vanishes(h**2 - previous**2 + square_weight / k**2 - 2 * h / k)
    expansions = all(
        _moment_by_expansion(size) == _harmonic(size) ** 2 + square_weight * _harmonic(size, 2) for size in range(1, 13)
    )
    return conclude(
        "proved",
        {
            "the recursion E M_k² − E M_{k−1}² = 2H_k/k is solved by H_k² + H_k^{(2)}": step,
            "the integrand's differences are the density of M_k over k": _density_step(),
            "k = 1..12 by exact expansion of the integral": expansions,
        },
    )


def _density_step() -> bool:
    """(1−(1−e^{−x})^k) − (1−(1−e^{−x})^{k−1}) = (1/k)·d/dx (1−e^{−x})^k."""
    import sympy as sp

    x, k = symbols("x k", positive=True)
    base = 1 - sp.exp(-x)
    difference = base ** (k - 1) - base**k
    return vanishes(difference - sp.diff(base**k, x) / k)


def order_constants(upper: str = "7.2852") -> Evidence:
    """log²k ≤ λ²·E max² ≤ C·log²k for k ≥ 2 with C = 3.5/log²2 < 7.2852, the value at k = 2."""
    context = iv()
    limit = interval(upper)
    small = all(_moment_below(k, limit * context.log(k) ** 2) for k in range(2, 10))
    # For k ≥ 10: H ≤ 1 + L and H₂ ≤ π²/6 < 1.645; (1+L)² + 1.645 − 7·L² is decreasing in L and negative at log 10.
    ell = context.log(10)
    large = surely_less((1 + ell) ** 2 + interval("1.645"), 7 * ell**2) and surely_less(2 * (1 + ell), 14 * ell)
    zeta = surely_less(context.pi**2 / 6, interval("1.645"))
    return conclude(
        "proved",
        {
            "k = 2..9 in intervals": small,
            "k ≥ 10 from H_k ≤ 1 + log k and π²/6 < 1.645": large and zeta and _harmonic_bracket(),
            "from below, H_k ≥ log k": _harmonic_bracket(),
        },
    )


def _harmonic_bracket() -> bool:
    """log k ≤ H_k ≤ 1 + log k: log(1+x) ≤ x ≤ −log(1−x), whose gaps vanish at 0 and have derivatives ≥ 0."""
    import sympy as sp

    x = symbols("x", positive=True)
    above, below = x - sp.log(1 + x), -sp.log(1 - x) - x
    slopes = vanishes(sp.diff(above, x) - x / (1 + x)) and vanishes(sp.diff(below, x) - x / (1 - x))
    return slopes and vanishes(above.subs(x, 0)) and vanishes(below.subs(x, 0))


def _moment_below(k: int, limit: Any) -> bool:
    return surely_less(interval(_harmonic(k) ** 2 + _harmonic(k, 2)), limit)


def unit_constants(upper: str = "2.37") -> Evidence:
    """eq:this1: 1 + log²k ≤ λ²·E max² ≤ 2.37(1 + log²k) for every k ≥ 1."""
    context = iv()
    limit = interval(upper)
    small = all(_moment_below(k, limit * (1 + context.log(k) ** 2)) for k in range(1, 40))
    ell = context.log(40)
    # (1+L)² + 1.645 ≤ 2(1 + L²) is L² − 2L − 0.645 ≥ 0, which increases from L = 1 on and holds at log 40.
    large = surely_less(2 * ell + interval("0.645"), ell**2)
    return conclude(
        "proved",
        {
            "k = 1..39 in intervals": small,
            "k ≥ 40 from H_k ≤ 1 + log k": large and _harmonic_bracket(),
            "from below: H_k ≥ log k and H_k^{(2)} ≥ 1": _harmonic_bracket(),
        },
    )


def dependent_maximum(log_factor: int = 2) -> Evidence:
    """lem:max-exp-2: E max ≤ (c₁+1)·log(2k)/c₂, from λ = c₂/(c₁+1) and the integral from 1 (not from 0)."""
    import sympy as sp

    c1, c2, k = symbols("c1 c2 k", positive=True)
    power = symbols("p", positive=True)  # c₂/λ = 1 + p with p > 0
    s = symbols("s", positive=True)
    # ∫₁^∞ t^{−(1+p)}dt with t = e^s
    tail = sp.integrate(sp.exp(-power * s), (s, 0, sp.oo))
    integral = vanishes(tail - 1 / power)
    rate = c2 / (c1 + 1)
    moment = k * (1 + c1 / (c2 / rate - 1))
    plugged = vanishes(sp.log(moment) / rate - (c1 + 1) * sp.log(log_factor * k) / c2)
    return conclude(
        "proved",
        {"∫₁^∞ t^{−c₂/λ}dt = 1/(c₂/λ − 1)": integral, "λ = c₂/(c₁+1) gives log(2k)·(c₁+1)/c₂": plugged},
    )


def dependent_sharper(plus: int = 1) -> Evidence:
    """E max ≤ (1 + log(c₁k))/c₂ for c₁k ≥ 1: integrate min(1, k·c₁·e^{−c₂t})."""
    import sympy as sp

    c2, t = symbols("c2 t", positive=True)
    m = symbols("m", positive=True)  # m = c₁k ≥ 1
    cut = sp.log(m) / c2
    tail = sp.integrate(m * sp.exp(-c2 * (t + cut)), (t, 0, sp.oo))
    total = vanishes(cut + tail - (plus + sp.log(m)) / c2)
    context = iv()
    better = all(surely_less(1 + context.log(2 * k), 3 * context.log(2 * k)) for k in range(1, 60))
    return conclude(
        "proved", {"integral of the capped union bound": total, "smaller than the lemma's at c₁ = 2, k < 60": better}
    )


ENTRIES = (
    Entry(
        "max-exp",
        "Second moment of the largest exponential",
        ("lem:max-exp",),
        "E max of k Exp(lambda), squared, equals (H_k^2 + H_k^(2))/lambda^2 for every k.",
        "sympy",
        second_moment,
        constant="H_k² + H_k^(2)",
    ),
    Entry(
        "max-exp-order",
        "Its order with constants",
        ("lem:max-exp",),
        "log(k)^2 <= lambda^2·E max^2 <= 7.2852·log(k)^2 for k >= 2.",
        "interval",
        order_constants,
        constant="[1, 7.2852]",
    ),
    Entry(
        "max-exp-unit",
        "Its order including k = 1",
        ("eq:this1",),
        "1 + log(k)^2 <= lambda^2·E max^2 <= 2.37·(1 + log(k)^2) for k >= 1.",
        "interval",
        unit_constants,
        constant="[1, 2.37]",
    ),
    Entry(
        "max-exp-2",
        "Maximum of dependent sub-exponentials",
        ("lem:max-exp-2",),
        "P(Y_i >= t) <= c1·e^(-c2·t) gives E max Y_i <= (c1+1)·log(2k)/c2.",
        "sympy",
        dependent_maximum,
        constant="(c₁+1)log(2k)/c₂",
    ),
    Entry(
        "max-exp-2-sharper",
        "A smaller bound for the same maximum",
        OURS,
        "P(Y_i >= t) <= c1·e^(-c2·t) and c1·k >= 1 give E max Y_i <= (1 + log(c1·k))/c2.",
        "sympy",
        dependent_sharper,
        constant="(1+log(c₁k))/c₂",
    ),
)
