"""MSE optimality with constants (thm:uncorr-minimax-mse), with our own bounds on the statistical rate.

The paper cites E_stat ≃ v, v = min_w ‖w‖₂² + ‖w/ε‖∞². Here both directions are derived: with demands sorted, A is the
longest prefix with ε_j·S_j ≤ 1 (S_j the prefix sum), B the rest, S = S_A and G = |B| + S².
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def regime(base: int = 6) -> Evidence:
    """E_stat ≥ 1/(2n) gives E_stat ≤ (6 + 4√2)·(√E_stat − √(1/4n))²."""
    g, s, r = reals("g s r")
    good = proves((g - s) * (g - s) * (base + 4 * r) >= g * g, g >= 0, s >= 0, r > 0, r * r == 2, g * g >= 2 * s * s)
    return conclude("proved", {"(√E − s)²(6 + 4√2) ≥ E when E ≥ 2s²": good})


def upper_on_statistical(noise: int = 2) -> Evidence:
    """E_stat ≤ ¼‖w‖² + 2t² for every w on the simplex: variance of Σw_iX_i plus Laplace variance."""
    import sympy as sp

    p, w, b, z = symbols("p w b z", positive=True)
    variance = vanishes(p * (w * (1 - p)) ** 2 + (1 - p) * (w * p) ** 2 - w**2 * p * (1 - p))
    laplace = vanishes(sp.integrate(z**2 * sp.exp(-z / b) / b, (z, 0, sp.oo)) - noise * b**2)
    share = reals("q")[0]
    return conclude(
        "proved",
        {
            "one user's variance": variance,
            "p(1−p) ≤ ¼": proves(4 * share * (1 - share) <= 1),
            "Laplace variance 2t²": laplace,
        },
    )


def lower_on_statistical(divisor: int = 64) -> Evidence:
    """E_stat ≥ 3/(256·max(1, G)): δ² = 1/(64·max(1, G)) in the two-point bound."""
    largest, total, square = reals("e S q")
    small_squares = proves(square <= 1, square <= largest * total, largest * total <= 1, largest >= 0, total >= 0)
    delta, s = reals("d S2")
    private = proves(
        (2 * delta * (1 - 2 * delta) * square + 4 * delta * delta * s) / 4 <= delta / 2 + delta * delta * s,
        delta >= 0,
        2 * delta <= 1,
        square >= 0,
        square <= 1,
        s >= 0,
    )
    a, b, x, y = reals("a b x y")
    roots = proves(
        a + b <= 0.5, a >= 0, b >= 0, a * a <= 1 / 16 + x, b * b <= y, x >= 0, y >= 0, divisor * (x + y / 4) <= 1
    )
    small = proves(delta <= 0.125, divisor * delta * delta <= 1, delta >= 0)
    return conclude(
        "proved",
        {
            "Σ_A ε² ≤ ε_j·S ≤ 1": small_squares,
            "D_A ≤ δ/2 + δ²S²": private,
            "δ ≤ 1/8, so δ/2 ≤ 1/16": small,
            "D_B ≤ 4δ²|B| and δ²(S² + |B|) ≤ 1/64 give √D_A + √D_B ≤ ½, so the risk is ≥ ¾δ²": roots,
        },
    )


def upper_on_value(constant: str = "8.48") -> Evidence:
    """min(1, v) ≤ 8.48/max(1, G), from weights ∝ min(ε, τ) with τ(S + τ) = 1."""
    import z3

    e, s, tau, phi = reals("e S t phi")
    golden = [phi > 0, phi * phi == phi + 1]
    level = [tau > 0, s >= 0, tau * (s + tau) == 1]
    close = proves(e <= phi * tau, *golden, *level, e >= 0, e <= s, e * s <= 1)
    beyond = proves(e > tau, *level, e > 0, e * (s + e) > 1)
    share = z3.RealVal("0.618")  # below 1/φ
    steep = proves(z3.And(tau * s >= share, tau * s <= 1), *level, s >= 1)
    flat = proves(z3.And(tau >= share, tau <= 1), *level, s < 1)
    return conclude(
        "proved",
        {
            "demands of A are at most φτ, φ the golden ratio, so T = Σmin(ε, τ) ≥ 0.618·S + |B|τ": close,
            "demands of B exceed τ; and Σmin(ε, τ)² ≤ τT, so v ≤ (τT + 1)/T²": beyond,
            "S ≥ 1: 0.618 ≤ τS ≤ 1, then (T/S + 1)G ≤ 8.48·T²": steep and _many(share, z3.RealVal(constant)),
            "S < 1, |B| ≥ 1: 0.618 ≤ τ ≤ 1, then (T + 1)G ≤ 8.48·T² (with |B| = 0, min(1, v) ≤ 1)": flat
            and _few(share, z3.RealVal(constant)),
            "40 demand vectors, value by the closed form": _stress(float(constant)),
        },
    )


def _many(share: Any, limit: Any) -> bool:
    """T·S ≥ 0.618·G; with T = U·G/S the claim is U·G + S² ≤ 8.48·U²·G, and S² ≤ G."""
    s, tau, public, total, u, size = reals("S t B T U G")
    wide = proves(
        total * s >= share * (public + s * s),
        s >= 1,
        tau > 0,
        public >= 0,
        tau * s >= share,
        total >= share * s + public * tau,
    )
    final = proves(u * size + s * s <= limit * u * u * size, u >= share, size >= s * s, s >= 1)
    return wide and final


def _few(share: Any, limit: Any) -> bool:
    """G ≤ |B| + 1 ≤ 2|B| and T ≥ 0.618·|B|."""
    public, total, size = reals("B T G")
    return proves(
        (total + 1) * size <= limit * total * total, public >= 1, size >= 0, size <= 2 * public, total >= share * public
    )


def _stress(constant: float) -> bool:
    """The claim and the two bounds on E_stat on deterministic demand vectors over many orders of magnitude."""
    import numpy as np

    rng = np.random.default_rng(2025)
    good = True
    for _ in range(40):
        n = int(rng.integers(1, 60))
        eps = np.sort(np.exp(rng.uniform(-6, 4) + rng.uniform(0, 4) * rng.standard_normal(n)))
        sums = np.fromiter(accumulate(eps), dtype=float)
        j = int(np.sum(eps * sums <= 1))
        size = (n - j) + (sums[j - 1] ** 2 if j else 0.0)
        value = _value(eps)
        good &= min(1.0, value) <= constant / max(1.0, size)
        good &= 3 / (256 * max(1.0, size)) <= min(0.25, 2 * value)
    return bool(good)


def _value(eps: Any) -> float:
    """min ‖w‖² + ‖w/ε‖∞² by the r-sequence of the paper (c = 1)."""
    r: list[float] = []
    for e in eps:
        ratio = (sum(x * x for x in r) + 1) / sum(r) if r else float("inf")
        r.append(min(float(e), ratio))
    total = sum(r)
    return (sum(x * x for x in r) + 1) / total**2


def all_public(share: str = "3/256") -> Evidence:
    """ε = ∞ for all: G = n, so 3/(256n) ≤ E_stat ≤ 1/(4n), below the 1/(2n) of the theorem; the weak rate is 0."""
    import z3

    n, norm = reals("n s")
    below = proves(z3.RealVal(share) / n <= norm / 4, n >= 1, norm * n == 1)
    outside = proves(norm / 4 < 1 / (2 * n), n >= 1, norm * n == 1)
    weight, uniform = reals("w u")
    exact = proves((weight - uniform) * (weight - uniform) == 0, weight == uniform)
    return conclude(
        "proved",
        {
            "3/(256n) ≤ ¼‖u‖² = 1/(4n)": below,
            "1/(4n) < 1/(2n)": outside,
            "uniform weights without noise are exact": exact,
        },
    )


def theorem(mean: str = "1448", frequency: str = "44700") -> Evidence:
    """E_wc^m ≤ 1448·E_stat, E_wc^f ≤ 44700·log²k·E_stat; and E_stat ≤ 11.66·E_wc where E_stat ≥ 1/(2n)."""
    context = iv()
    low = interval(3) / 256 / interval("8.48")
    log_two = 1 / context.log(2) ** 2
    x, y, t, ell = reals("x y t L")
    squared = proves(ell * x + ell * ell * t <= ell * ell * (y * x + t), ell > 0, y * ell >= 1, x >= 0, t >= 0, y >= 1)
    return conclude(
        "proved",
        {
            "2·8.48·256/3 < 1448 (mse-upper-weak, E_stat ≥ min(1, v)·3/(256·8.48))": surely_less(
                2 / low, interval(mean)
            ),
            "L·‖w‖² + L²t² ≤ L²(‖w‖²/log 2 + t²) for L ≥ log 2": squared,
            "29.6/log²2·8.48·256/3 < 44700": surely_less(interval("29.6") * log_two / low, interval(frequency)),
            "6 + 4√2 < 11.66": surely_less(6 + 4 * context.sqrt(2), interval("11.66")),
        },
    )


ENTRIES = (
    Entry(
        "opt-mse-regime",
        "From E_stat to the weak rate",
        ("thm:uncorr-minimax-mse",),
        "If E_stat >= 1/(2n), then E_stat <= (6 + 4·sqrt(2))·E_wc, for both tasks.",
        "smt",
        regime,
        constant="6 + 4√2",
    ),
    Entry(
        "opt-stat-upper",
        "The statistical rate from above",
        OURS,
        "E_stat <= min over w of ¼·|w|_2^2 + 2·max(w/eps)^2.",
        "sympy",
        upper_on_statistical,
        constant="1/4, 2",
    ),
    Entry(
        "opt-stat-lower",
        "The statistical rate from below",
        OURS,
        "E_stat >= 3/(256·max(1, G)) with G = |B| + S^2 for the split after the longest prefix with eps_j·S_j <= 1.",
        "smt",
        lower_on_statistical,
        constant="3/256",
    ),
    Entry(
        "opt-stat-value",
        "The optimum of the quadratic problem",
        OURS,
        "min(1, min over w of |w|_2^2 + max(w/eps)^2) <= 8.48/max(1, G).",
        "smt",
        upper_on_value,
        constant="8.48",
    ),
    Entry(
        "opt-stat-public",
        "The statistical rate without demands",
        ("sec:interu",),
        "With eps = inf for all: 3/(256n) <= E_stat <= 1/(4n) and the weak rates are 0.",
        "smt",
        all_public,
        constant="3/256, 1/4",
    ),
    Entry(
        "opt-mse",
        "MSE optimality, weakly correlated",
        ("thm:uncorr-minimax-mse",),
        "E_wc^m <= 1448·E_stat, E_wc^f <= 44700·log(k)^2·E_stat, and E_stat <= 11.66·E_wc when E_stat >= 1/(2n).",
        "interval",
        theorem,
        constant="1448, 44700·log²k, 11.66",
    ),
)
