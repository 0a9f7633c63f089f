"""Local privacy baselines: k-RAPPOR, its unbiasing and concentration, Laplace per user, and their weights."""

from __future__ import annotations

from itertools import product
from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def rappor_loss(half: int = 2) -> Evidence:
    """Each bit flips with probability 1/(1 + e^{ε/2}): two bits differ, so the loss is exactly 2·ε/2 = ε.

    With z = e^{ε/half}, the probability of a report is z^{agreements}/(1+z)^k: the ratio is a power of z.
    """
    steps = {}
    for k in (2, 3, 4):
        worst = 0
        for report in product((0, 1), repeat=k):
            powers = [sum(bit == (j == x) for j, bit in enumerate(report)) for x in range(k)]
            worst = max(worst, max(powers) - min(powers))
        steps[f"k={k}: the largest exponent difference is 2, so the loss is 2·(ε/2)"] = worst == half
    return conclude("proved for stated sizes", steps)


def rappor_unbiased(quarter: int = 4) -> Evidence:
    """coth(ε/4)(y − 1/(1+e^{ε/2})) has mean 1 on the user's bin and 0 elsewhere."""
    import sympy as sp

    e = symbols("e", positive=True)
    flip = 1 / (1 + sp.exp(e / 2))
    gain = sp.coth(e / quarter)
    own = vanishes((gain * ((1 - flip) - flip) - 1).rewrite(sp.exp))
    other = vanishes(gain * (flip - flip))
    offsets = vanishes((gain * flip - 1 / (sp.exp(e / 2) - 1)).rewrite(sp.exp))
    return conclude("proved", {"own bin": own, "other bins": other, "coth(ε/4)/(1+e^{ε/2}) = 1/(e^{ε/2} − 1)": offsets})


def rappor_tail(eight: int = 8) -> Evidence:
    """P(‖·‖ > α/2) ≤ 2k·exp(−α²/(8Σw²coth(ε/4)/ε)), from Kearns-Saul at p = 1/(1+e^{ε/2})."""
    import sympy as sp

    e, lam = symbols("e lam", positive=True)
    p = 1 / (1 + sp.exp(e / 2))
    # Kearns-Saul: E e^{λ(X−p)} ≤ exp(λ²(1−2p)/(4·log((1−p)/p))), and log((1−p)/p) = ε/2.
    odds = vanishes(((1 - p) / p - sp.exp(e / 2)).rewrite(sp.exp))
    proxy = sp.coth(e / 4) ** 2 * sp.tanh(e / 4) / (4 * e / 2)
    scaled = vanishes(proxy - sp.coth(e / 4) / (2 * e))
    spread = vanishes((1 - 2 * p - sp.tanh(e / 4)).rewrite(sp.exp))
    alpha, s = symbols("alpha s", positive=True)
    best = alpha / 2 / s
    tail = vanishes((lam**2 * s / 2 - lam * alpha / 2).subs(lam, best) + alpha**2 / (eight * s))
    return conclude(
        "tested",
        {
            "(1−p)/p = e^{ε/2}": odds,
            "1 − 2p = tanh(ε/4)": spread,
            "variance proxy coth(ε/4)/ε": scaled,
            "Chernoff exponent −α²/(8Σw²coth(ε/4)/ε)": tail,
            "Kearns-Saul (Berend and Kontorovich 2013) on a grid of p and λ": _kearns_saul_grid(),
        },
    )


def _kearns_saul_grid() -> bool:
    """log E e^{λ(X−p)} ≤ λ²(1−2p)/(4·log((1−p)/p)) on 59 × 161 points, in doubles with a 1e-12 margin."""
    import numpy as np

    p = np.linspace(0.005, 0.495, 59)[:, None]
    lam = np.linspace(-40.0, 40.0, 161)[None, :]
    left = np.logaddexp(np.log1p(-p), np.log(p) + lam) - lam * p
    right = lam**2 * (1 - 2 * p) / (4 * np.log((1 - p) / p))
    return bool(np.all(left <= right + 1e-12))


def laplace_user(times: int = 1) -> Evidence:
    """Laplace(1/ε_i) noise on x_i in [0, 1] is ε_i-DP: |x − y| over the scale is at most ε_i."""
    x, y, out, eps = reals("x y o e")
    data = [x >= 0, x <= 1, y >= 0, y <= 1, eps > 0]
    return conclude(
        "proved", {"log-ratio": proves(times * eps * (absolute(y - out) - absolute(x - out)) <= eps, *data)}
    )


def laplace_sum(eight: int = 8) -> Evidence:
    """Σw_iN_i, N_i Laplace(1/ε_i): log mgf = −Σlog(1 − λ²w²/ε²) ≤ 2λ²‖w/ε‖₂² for λ²max(w/ε)² ≤ ½.

    So P(|Σ| > x) ≤ 2exp(−x²/(8‖w/ε‖₂²)) in the sub-Gaussian range x ≤ 2√2·‖w/ε‖₂²/‖w/ε‖∞.
    """
    import sympy as sp

    y, x, s, lam = symbols("y x s lam", positive=True)
    # −log(1−y) ≤ 2y on [0, ½]: convex in y, zero at 0, and log 2 ≤ 1 at ½.
    gap: Any = 2 * y + sp.log(1 - y)
    concave = vanishes(sp.diff(gap, y, 2) + 1 / (1 - y) ** 2) and bool(gap.subs(y, sp.Rational(1, 2)) > 0)
    start = vanishes(gap.subs(y, 0))
    exponent = vanishes((2 * lam**2 * s - lam * x).subs(lam, x / (4 * s)) + x**2 / (eight * s))
    peak, norm, point = reals("m s x")
    # λ = x/(4s) obeys λ²m² ≤ ½ when x ≤ 2√2·s/m, that is x²m² ≤ 8s².
    inside = proves(
        point * point * peak * peak * 2 <= 16 * norm * norm,
        norm > 0,
        peak > 0,
        point > 0,
        point * point * peak * peak <= 8 * norm * norm,
    )
    return conclude(
        "proved",
        {
            "−log(1−y) ≤ 2y on [0, ½]": concave and start,
            "λ = x/(4‖w/ε‖₂²) gives −x²/(8‖w/ε‖₂²)": exponent,
            "λ is admissible there": inside,
        },
    )


def local_weights(bias: int = 1) -> Evidence:
    """n‖w−u‖² + LΣa_iw_i² is least at w ∝ 1/(n + La_i); L‖w‖² + LΣa_iw_i² at w ∝ 1/(1 + a_i)."""
    import sympy as sp

    n, level, a, w, mu = symbols("n L a w mu", positive=True)
    first = sp.solve(sp.diff(n * (w - 1 / n) ** 2 + level * a * w**2, w) - mu, w)
    same = len(first) == 1 and vanishes(sp.diff(first[0] * (bias * n + level * a), a))
    second = sp.solve(sp.diff(level * w**2 + level * a * w**2, w) - mu, w)
    other = len(second) == 1 and vanishes(sp.diff(second[0] * (1 + a), a))
    return conclude("proved", {"stationary point ∝ 1/(n + L·a)": same, "stationary point ∝ 1/(1 + a)": other})


ENTRIES = (
    Entry(
        "local-rappor",
        "k-RAPPOR's exact loss",
        ("adx:ldp",),
        "Flipping each bit with probability 1/(1 + e^(eps/2)) has loss exactly eps, k = 2, 3, 4.",
        "enumeration",
        rappor_loss,
        constant="1",
    ),
    Entry(
        "local-unbiased",
        "k-RAPPOR unbiased",
        ("adx:ldp",),
        "coth(eps/4)·(y - 1/(1 + e^(eps/2))) is an unbiased estimate of the user's one-hot vector.",
        "sympy",
        rappor_unbiased,
        constant="coth(ε/4)",
    ),
    Entry(
        "local-tail",
        "k-RAPPOR's concentration",
        ("adx:ldp",),
        "P(max error > alpha/2) <= 2k·exp(-alpha^2/(8·sum w_i^2·coth(eps_i/4)/eps_i)), by the Kearns-Saul inequality.",
        "textbook+stress",
        rappor_tail,
        constant="1/8",
    ),
    Entry(
        "local-laplace",
        "Laplace per user",
        ("adx:ldp",),
        "Laplace(1/eps_i) on x_i in [0,1] is eps_i-DP.",
        "smt",
        laplace_user,
        constant="1",
    ),
    Entry(
        "local-laplace-sum",
        "Tail of the weighted Laplace sum",
        ("adx:ldp",),
        "P(|sum w_i N_i| > x) <= 2·exp(-x^2/(8·|w/eps|_2^2)) for x <= 2·sqrt(2)·|w/eps|_2^2/max(w/eps).",
        "sympy",
        laplace_sum,
        constant="1/8",
    ),
    Entry(
        "local-weights",
        "Local weights in closed form",
        ("adx:ldp",),
        "w_i ~ 1/(n + L·a_i) and 1/(1 + a_i), a_i = coth(eps_i/4)/eps_i, minimise the two quadratic criteria.",
        "sympy",
        local_weights,
    ),
)
