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
    cumulated = (1 + sp.erf(z / sp.sqrt(2))) / 2
    anti = (g**2 + s**2) * cumulated - 2 * g * s * _density(z) - s**2 * z * _density(z)
    inside = vanishes(sp.expand((sp.diff(anti, z) - (g + s * z) ** 2 * _density(z)) / _density(z)))
    whole = vanishes(sp.limit(anti, z, sp.oo) - sp.limit(anti, z, -sp.oo) - g**2 - noise * s**2)
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


def ball_distance(diameter: int = 2) -> Evidence:
    """‖u − v‖² + ‖u + v‖² = 2‖u‖² + 2‖v‖² a coordinate, so ‖u − v‖ ≤ 2W where ‖u‖, ‖v‖ ≤ W; attained by v = −u."""
    u, v = symbols("u v", real=True)
    parallelogram = vanishes((u - v) ** 2 + (u + v) ** 2 - 2 * u**2 - 2 * v**2)
    apart, together, first, second, most = reals("a t f s m")
    given = [apart + together == 2 * first + 2 * second, together >= 0, first <= most, second <= most, most >= 0]
    within = proves(apart <= diameter * diameter * most, *given)
    return conclude("proved", {"parallelogram law, a coordinate": parallelogram, "‖u − v‖² ≤ 4W²": within})


def ball_tail(half: int = 2) -> Evidence:
    """E exp(λg) = e^{λ²/2} integrated over λ ~ N(0, η) is (1−η)^{−1/2} a coordinate; Markov is best at η = 1 − d/τ."""
    import sympy as sp

    lam, eta, x = symbols("l e x", positive=True)
    completed = vanishes(lam * x - lam**2 / (2 * eta) - (eta * x**2 / half - (lam - eta * x) ** 2 / (2 * eta)))
    again = vanishes(lam**2 / 2 - lam**2 / (2 * eta) + lam**2 * (1 - eta) / (2 * eta))
    d, tau = symbols("d t", positive=True)
    log_bound = -d / 2 * sp.log(1 - eta) - eta * tau / 2
    slope = sp.diff(log_bound, eta)
    best = vanishes(sp.simplify(slope.subs(eta, 1 - d / tau)))
    bent = vanishes(sp.simplify(sp.diff(slope, eta) - d / (2 * (1 - eta) ** 2)))
    value = vanishes(
        sp.expand_log(
            sp.simplify(log_bound.subs(eta, 1 - d / tau) - (d / 2 * sp.log(tau / d) + (d - tau) / 2)), force=True
        )
    )
    return conclude(
        "proved",
        {
            "E over λ of e^{λx} is e^{ηx²/2}: the square is completed": completed,
            "and of e^{λ²/2} a Gaussian integral of variance η/(1−η)": again,
            "the exponent is convex with its least value at η = 1 − d/τ": best and bent,
            "there it is (d/2)log(τ/d) + (d − τ)/2": value,
        },
    )


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
    Entry(
        "gaussian-ball-distance",
        "How far a replaced vector moves the totals",
        OURS,
        "Two integer vectors of length at most W_i differ by at most 2·W_i in l2, so c = 4.",
        "smt",
        ball_distance,
        constant="c = 4",
    ),
    Entry(
        "gaussian-ball-tail",
        "Length of a sub-Gaussian vector",
        OURS,
        "If E exp(<l, X>) <= exp(s|l|^2/2) for every l in d dimensions, then P(|X|^2 > s·t) <= "
        "(t/d)^(d/2)·exp((d - t)/2) for every t > d.",
        "sympy",
        ball_tail,
        constant="(τ/d)^(d/2)·e^((d−τ)/2)",
    ),
)
