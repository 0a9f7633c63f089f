"""How far LDP may err: tails and mean squares of local noise."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.tails import laplace_moment


def local_mean(noise: int = 2) -> Evidence:
    """LDP mean: P(|Σs_iN_i| > x) ≤ 2e^{−λx}/Π(1 − λ²s_i²), which is β at x = log(2/(β·Π))/λ; mean square a² + 2Σs²."""
    import sympy as sp

    beta, rate, whole, z = symbols("beta lam Pi z", positive=True)
    x = sp.log(2 / (beta * whole)) / rate
    level = vanishes(2 * sp.exp(-rate * x) / whole - beta)
    second = vanishes(sp.integrate(z**2 * sp.exp(-z), (z, 0, sp.oo)) - noise)
    return conclude(
        "proved",
        {
            "E e^{λsN} = 1/(1 − λ²s²), independent factors": laplace_moment(),
            "two sides make β at that x": level,
            "E N² = 2, and independent noises add up": second,
        },
    )


def local_frequency(spread: int = 4) -> Evidence:
    """LDP frequencies, flips f with g = 1 − 2f: variance w²(1−g²)/(4g²) a bin; quantile √(2σ²log(2k/β)).

    E max_j S_j² ≤ ∫min(1, 2k·e^{−t/2σ²})dt = 2σ²(1 + log 2k), σ² = Σw²coth(ℓ/4)/ℓ (local-tail).
    """
    import sympy as sp

    f, s, k, beta, t = symbols("f s k beta t", positive=True)
    gain = 1 - 2 * f
    variance = vanishes(f * (1 - f) / gain**2 - (1 - gain**2) / (spread * gain**2))
    e = symbols("e", positive=True)
    flip = 1 / (1 + sp.exp(e / 2))
    is_tanh = vanishes((1 - 2 * flip - sp.tanh(e / 4)).rewrite(sp.exp))
    x = sp.sqrt(2 * s * sp.log(2 * k / beta))
    level = vanishes(2 * k * sp.exp(-(x**2) / (2 * s)) - beta)
    cut = 2 * s * sp.log(2 * k)
    rest = sp.integrate(sp.exp(-t / (2 * s)), (t, 0, sp.oo))  # 2k·e^{−(cut + t)/2s} = e^{−t/2s}
    largest = vanishes(cut + rest - 2 * s * (1 + sp.log(2 * k)))
    return conclude(
        "proved",
        {
            "1 − 2f = tanh(ℓ/4)": is_tanh,
            "f(1−f)/g² = (1−g²)/(4g²)": variance,
            "2k·e^{−x²/2σ²} = β at √(2σ²·log(2k/β))": level,
            "the integral is 2σ²(1 + log 2k)": largest,
        },
    )


ENTRIES = (
    Entry(
        "local-error-mean",
        "LDP's error for a mean",
        OURS,
        "Quantile: bias + min over lambda of log(2/(beta·prod(1 - lambda^2 s_i^2)))/lambda, s_i = w_i/loss_i; mean "
        "square: bias^2 + 2·sum s_i^2.",
        "sympy",
        local_mean,
        constant="2",
    ),
    Entry(
        "local-error-frequency",
        "LDP's error for frequencies",
        OURS,
        "Quantile: bias + sqrt(2·sigma^2·log(2k/beta)); mean square: (bias + root of min(k·variance, "
        "2·sigma^2(1 + log 2k)))^2, sigma^2 = sum w^2·coth(loss/4)/loss the factor of local-tail.",
        "sympy",
        local_frequency,
        constant="2σ²(1 + log 2k)",
    ),
)
