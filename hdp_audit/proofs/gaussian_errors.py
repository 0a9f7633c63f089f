"""Errors of a weighted sum with Gaussian noise: the worst quantile, the mean square, permuted data, shrinkage."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def _density(x: Any) -> Any:
    import sympy as sp

    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def quantile_slope(rate: int = 1) -> Evidence:
    """q(x), the quantile of |x + N|: q' = tanh(qx), so q'' = sech²(qx)(q + xq') > 0."""
    import sympy as sp

    q, x = symbols("q x", positive=True)
    along, across = _density(q - x) + _density(q + x), _density(q - x) - _density(q + x)
    slope = vanishes((across / along - sp.tanh(rate * q * x)).rewrite(sp.exp))
    curve = sp.Function("q")(x)
    second = sp.diff(sp.tanh(curve * x), x)
    bent = vanishes(second - (1 - sp.tanh(curve * x) ** 2) * (curve + x * sp.diff(curve, x)))
    return conclude(
        "proved",
        {
            "−F_x/F_q = tanh(qx) for F = Φ(q − x) − Φ(−q − x)": slope,
            "its derivative is sech²(qx)(q + xq'), positive": bent,
        },
    )


def mean_square(noise: int = 1) -> Evidence:
    """E(a + N)² = a² + σ², and E(clip(θ + N) − μ)² inside the clip by the antiderivative of (g + sz)²φ(z)."""
    import sympy as sp

    z, g, s = symbols("z g s", real=True)
    raw = sp.integrate((g + s * z) ** 2 * _density(z), (z, -sp.oo, sp.oo))
    whole = vanishes(raw - g**2 - noise * s**2)
    cumulated = (1 + sp.erf(z / sp.sqrt(2))) / 2
    anti = (g**2 + s**2) * cumulated - 2 * g * s * _density(z) - s**2 * z * _density(z)
    inside = vanishes(sp.diff(anti, z) - (g + s * z) ** 2 * _density(z))
    return conclude("proved", {"E(a + N)² = a² + σ²": whole, "(g² + s²)Φ − 2gsφ − s²zφ is an antiderivative": inside})


def tangent(factor: int = 1) -> Evidence:
    """Q is log-concave: h = φ/Q has h' = h(h − y), and h > y because φ/y − Q falls to 0. The rest is algebra."""
    import sympy as sp

    y = symbols("y", positive=True)
    tail = (1 - sp.erf(y / sp.sqrt(2))) / 2
    hazard = _density(y) / tail
    slope = vanishes(sp.diff(hazard, y) - hazard * (hazard - factor * y))
    mills = vanishes(sp.diff(_density(y) / y - tail, y) + _density(y) / y**2)
    end = sp.limit(_density(y) / y - tail, y, sp.oo) == 0
    h, at, alpha, v, log_tail, share = symbols("h y a v l b", positive=True)
    exponent = log_tail + h * (at - alpha) + h**2 * v / 2
    solved = sp.solve(sp.Eq(exponent, share), alpha)[0]
    bound = vanishes(solved - (at + h * v / 2 + (log_tail - share) / h))
    return conclude(
        "proved",
        {
            "h' = h(h − y)": slope,
            "φ/y − Q falls, and tends to 0, so h > y": mills and bool(end),
            "log Q(y) + h(y − α) + h²v/2 = log(β/2k) at α = y + hv/2 + log(2kQ/β)/h": bound,
        },
    )


def shrinkage(factor: int = 4) -> Evidence:
    """¼(1−s)² + s²t² is least at s = 1/(1 + 4t²)."""
    s, t, other = reals("s t o")
    value = (1 - s) * (1 - s) + 4 * s * s * t * t
    found = proves(
        (1 - other) * (1 - other) + 4 * other * other * t * t >= value, s * (1 + factor * t * t) == 1, t >= 0
    )
    return conclude("proved", {"no other s gives less": found})


ENTRIES = (
    Entry(
        "gaussian-quantile",
        "The worst quantile under Gaussian noise has one valley",
        OURS,
        "The quantile q of |x + N| has q' = tanh(q·x) and is convex, so s·q(a/s) is convex in bias and noise.",
        "sympy",
        quantile_slope,
        constant="q' = tanh(qx)",
    ),
    Entry(
        "gaussian-square",
        "Mean square under Gaussian noise",
        OURS,
        "E(a + N)^2 = a^2 + s^2, and the clipped answer's by an antiderivative.",
        "sympy",
        mean_square,
        constant="a² + σ²",
    ),
    Entry(
        "gaussian-permuted",
        "Permuted data and Gaussian noise in one step",
        OURS,
        "P(A + N > alpha) <= Q(y)·exp(h(y - alpha) + h^2·v/2), h = phi(y)/Q(y), for every y > 0, where N is standard "
        "normal and A sub-Gaussian with variance proxy v.",
        "sympy",
        tangent,
        constant="y + hv/2 + log(2kQ/β)/h",
    ),
    Entry(
        "gaussian-shrinkage",
        "The best shrinkage towards 1/2",
        OURS,
        "(1-s)^2/4 + s^2·t^2 is least at s = 1/(1 + 4t^2).",
        "smt",
        shrinkage,
        constant="1/(1 + 4t²)",
    ),
)
