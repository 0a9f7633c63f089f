"""What moving a draw costs, sup over u of log p(u) − log p(u + t): laws that pay the same in both directions (ours)."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def laplace(rate: str = "1") -> Evidence:
    """p = ½e^{−|u|}: |u + t| − |u| ≤ |t|, with equality at 0; {U ≥ a}, a ≥ 0, has the whole of it for t ≥ 0."""
    import sympy as sp
    import z3

    u, t = reals("u t")
    bounded = proves(absolute(u + t) - absolute(u) <= z3.RealVal(rate) * absolute(t))
    attained = proves(absolute(u + t) - absolute(u) == z3.RealVal(rate) * absolute(t), u == 0)
    a, move, z = symbols("a t z", positive=True)
    tails = [sp.integrate(sp.exp(-z) / 2, (z, low, sp.oo)) for low in (a, a + move)]
    event = vanishes(tails[0] / tails[1] - sp.exp(move * sp.Rational(rate)))
    return conclude(
        "proved",
        {
            "|u + t| − |u| ≤ |t|": bounded,
            "equal at u = 0": attained,
            "P(U ≥ a)/P(U ≥ a + t) = e^t for a, t ≥ 0: an event has as much": event,
        },
    )


def two_scales(narrower: int = 1) -> Evidence:
    """log p_b(u) − log p_b'(u + t) = log(b'/b) − |u|/b + |u + t|/b', with r = 1/b', s = 1/b, k = log(b'/b).

    Unbounded for r > s, as u grows; at most k + r|t| for r ≤ s. One of the two directions has r > s unless b = b'.
    """
    import sympy as sp

    far, old, new, move = symbols("u b c t", positive=True)
    ratio = sp.exp(-far / old) / (2 * old) / (sp.exp(-(far + move) / new) / (2 * new))
    formula = vanishes(ratio - new / old * sp.exp(-far / old + (far + move) / new))
    u, t, r, s, k, level = reals("u t r s k M")
    loss = k - s * absolute(u) + r * absolute(u + t)
    positive = [r > 0, s > 0]
    beyond = (u - absolute(t)) * (r - s) == absolute(level - k - r * t)
    unbounded = proves(loss >= level, *positive, narrower * (r - s) > 0, beyond)
    bounded = proves(loss <= k + r * absolute(t), *positive, r <= s)
    attained = proves(loss == k + r * absolute(t), *positive, r <= s, u == 0)
    tails = vanishes(sp.exp(-far / old) / sp.exp(-far / new) - sp.exp(far * (1 / new - 1 / old)))
    return conclude(
        "proved",
        {
            "the ratio of the densities": formula,
            "b' < b: at least M at u = |t| + |M − k − rt|/(r − s), whatever M": unbounded,
            "b' ≥ b: at most log(b'/b) + |t|/b'": bounded,
            "with equality at u = 0": attained,
            "events have as much: P(N ≥ u)/P(N' ≥ u) = e^{u(1/b' − 1/b)} grows without a bound": tails,
        },
    )


def logistic(halves: int = 2) -> Evidence:
    """p = y/(1 + y)², y = e^{−u} becomes ay, a = e^{−t} = h²: the ratio is ((1 + ay)/(1 + y))²/a, below e^{|t|}."""
    import sympy as sp

    y, h = symbols("y h", positive=True)
    a = h**2
    ratio = y / (1 + y) ** 2 / (a * y / (1 + a * y) ** 2)
    formula = vanishes(ratio - ((1 + a * y) / (1 + y)) ** 2 / a)
    up = vanishes(sp.limit(ratio, y, 0) - h**-halves)
    down = vanishes(sp.limit(ratio, y, sp.oo) - h**halves)
    value, moved = reals("y a")
    grown, whole = 1 + moved * value, 1 + value
    below_up = proves(grown * grown < whole * whole, value > 0, moved > 0, moved < 1)
    below_down = proves(grown * grown < moved * moved * whole * whole, value > 0, moved > 1)
    return conclude(
        "proved",
        {
            "the ratio of the densities": formula,
            "t > 0: below e^t everywhere": below_up,
            "which is its limit for u → ∞": up,
            "t < 0: below e^{−t} everywhere": below_down,
            "which is its limit for u → −∞": down,
        },
    )


def cauchy(weight: int = 2) -> Evidence:
    """p ∝ 1/(1 + u²): with s(s + t) = 1, 0 < s ≤ 1, the ratio (1 + (u+t)²)/(1 + u²) is at most 1/s², at u = s.

    1 + u² − s²(1 + (u + t)²) = (1 − s²)(u − s)² ≥ 0, and sinh(log 1/s) = t/2.
    """
    import sympy as sp

    u, h = symbols("u h", real=True)
    s = symbols("s", positive=True)
    t = 1 / s - s
    bound = vanishes(1 + u**2 - s**weight * (1 + (u + t) ** 2) - (1 - s**2) * (u - s) ** 2)
    value, place = reals("s u")
    square = proves((1 - value * value) * (place - value) * (place - value) >= 0, value > 0, value <= 1)
    cost = vanishes((sp.sinh(sp.log(1 / s)) - t / 2).rewrite(sp.exp))
    x = symbols("x", real=True)
    mirrored = vanishes((1 + (u + x) ** 2) / (1 + u**2) - ((1 + (u + x) ** 2) / (1 + u**2)).subs({u: -u, x: -x}))
    near = [sp.diff(sp.atan(each + h), h).subs(h, 0) for each in (s, s + t)]
    return conclude(
        "proved",
        {
            "1 + u² − s²(1 + (u+t)²) = (1 − s²)(u − s)²": bound,
            "which is ≥ 0, and 0 at u = s": square,
            "−2·log s = 2·asinh(t/2)": cost,
            "t < 0 is the mirror image": mirrored,
            "P(s ≤ U ≤ s + h)/P(s + t ≤ U ≤ s + t + h) tends to it for h → 0: events come near": vanishes(
                near[0] / near[1] - s**-weight
            ),
        },
    )


ENTRIES = (
    Entry(
        "trace-laplace",
        "Moving a Laplace draw",
        OURS,
        "Laplace: sup over u of log p(u) - log p(u + t) = |t|, attained at u = 0.",
        "smt",
        laplace,
        constant="|t|",
    ),
    Entry(
        "trace-laplace-scales",
        "Laplace draws of two scales",
        OURS,
        "From scale b to b', moved by t: without a bound if b' < b, else log(b'/b) + |t|/b'; so the loss of an output "
        "that shows the draw is infinite unless b = b'.",
        "smt",
        two_scales,
        constant="log(b'/b) + |t|/b'",
    ),
    Entry(
        "trace-logistic",
        "Moving a logistic draw",
        OURS,
        "Logistic: sup over u of log p(u) - log p(u + t) = |t|, a limit that no u attains unless t = 0.",
        "sympy",
        logistic,
        constant="|t|",
    ),
    Entry(
        "trace-cauchy",
        "Moving a Cauchy draw",
        OURS,
        "Cauchy: sup over u of log p(u) - log p(u + t) = 2·asinh(|t|/2), attained at u = (sqrt(t^2 + 4) - t)/2 for "
        "t >= 0.",
        "sympy",
        cauchy,
        constant="2·asinh(|t|/2)",
    ),
)
