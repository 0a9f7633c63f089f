"""What moving a draw costs where the promise is a curve: as a shift μ, as ρ, and as ε at a δ (ours)."""

from __future__ import annotations

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def normal(divisor: int = 2) -> Evidence:
    """log p(u) − log p(u + t) = tu + t²/2; of several draws the sum is normal, with mean Σt²/2 and variance Σt²."""
    import sympy as sp

    u, v, s, t = symbols("u v s t", real=True)
    alpha = symbols("alpha", positive=True)
    density = sp.exp(-(u**2) / 2) / sp.sqrt(2 * sp.pi)
    loss = t * u + t**2 / divisor
    formula = vanishes(sp.log(sp.exp(-(u**2) / 2) / sp.exp(-((u + t) ** 2) / 2)) - loss)
    both = sp.expand(loss + loss.subs({t: s, u: v}, simultaneous=True))
    mean, slopes = both.subs({u: 0, v: 0}), (sp.diff(both, u), sp.diff(both, v))
    variance = vanishes(sum(slope**2 for slope in slopes) - 2 * mean)
    completed = vanishes(
        -alpha * u**2 / 2
        + (alpha - 1) * (u + t) ** 2 / 2
        + (u - (alpha - 1) * t) ** 2 / 2
        - alpha * (alpha - 1) * t**2 / 2
    )
    whole = vanishes(sp.integrate(density, (u, -sp.oo, sp.oo)) - 1)
    return conclude(
        "proved",
        {
            "the log-ratio of the densities is tu + t²/2": formula,
            "of two draws it is a sum of normal terms whose variance s² + t² is twice its mean: that of one draw moved "
            "by √(s² + t²), so curves are the same, and one more draw at a time": variance,
            "∫p^α·q^{1−α} = e^{α(α−1)t²/2}: every divergence over its order is t²/2": completed and whole,
        },
    )


def laplace_shift(half: int = 2) -> Evidence:
    """With g = Φ⁻¹∘F the events {U ≥ c} show g(c + t) − g(c), largest at c = −t/2, as g′ falls on both sides of 0.

    Below 0 the density is F itself, so g′ = Φ(z)/φ(z) at z = g: its sign of growth is that of φ + zΦ.
    """
    import sympy as sp

    z, u = symbols("z u", real=True)
    phi = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    below = (1 + sp.erf(z / sp.sqrt(2))) / 2
    growth = vanishes(sp.diff(below / phi, z) - (phi + z * below) / phi)
    rises = vanishes(sp.diff(phi + z * below, z) - below)
    ends = vanishes(sp.limit(phi, z, -sp.oo)) and vanishes(sp.limit(z * below, z, -sp.oo))
    move = symbols("t", positive=True)
    tail = sp.integrate(sp.exp(-u) / 2, (u, move / 2, sp.oo))
    middle = vanishes(tail - sp.exp(-move / half) / 2)
    place, by = reals("c m")
    nearer = proves(absolute(place + by) < absolute(place), 2 * place < -by, by > 0)
    farther = proves(absolute(place + by) > absolute(place), 2 * place > -by, by > 0)
    return conclude(
        "proved",
        {
            "(Φ/φ)′ = (φ + zΦ)/φ": growth,
            "φ + zΦ has the derivative Φ > 0": rises,
            "and is 0 at −∞, hence positive: g′ rises up to 0 and, mirrored, falls from there": ends,
            "so g(c + t) − g(c) rises while c + t is nearer to 0 than c, and falls from c = −t/2 on": nearer
            and farther,
            "there both probabilities are e^{−t/2}/2 and 1 − e^{−t/2}/2: μ = −2·Φ⁻¹(e^{−t/2}/2)": middle,
        },
    )


def laplace_rho(minus: int = 1) -> Evidence:
    """∫p^α·q^{1−α} = e^{−t/2}·(cosh s + a·sinh(s)/s), s = t(α − ½), a = t/2, whose logarithm is concave in (α − ½)².

    d log/d(s²) = ½(1 + ak)/(a + c) with c = s·coth s, which rises, and k = (c − 1)/s², which falls.
    """
    import sympy as sp

    t, s, a, beta = symbols("t s a beta", positive=True)
    u = symbols("u", real=True)
    alpha = beta + sp.Rational(1, 2)
    parts = (
        sp.integrate(sp.exp(-u) / 2, (u, 0, sp.oo)) * sp.exp((alpha - 1) * t)
        + sp.integrate(sp.exp((2 * alpha - 1) * u) / 2, (u, -t, 0)) * sp.exp((alpha - 1) * t)
        + sp.integrate(sp.exp(-u) / 2, (u, 0, sp.oo)) * sp.exp(-alpha * t)
    )
    closed = sp.exp(-t / 2) * (sp.cosh(t * beta) + sp.sinh(t * beta) / (2 * beta))
    formula = vanishes(sp.simplify((parts - closed).rewrite(sp.exp)))
    f = sp.cosh(s) + a * sp.sinh(s) / s
    c = s * sp.coth(s)
    slope = vanishes(
        sp.simplify((sp.diff(sp.log(f), s) / (2 * s) - (1 + a * (c - 1) / s**2) / (2 * (a + c))).rewrite(sp.exp))
    )
    rising = vanishes(sp.simplify((sp.diff(c, s) * sp.sinh(s) ** 2 - (sp.sinh(2 * s) / 2 - s)).rewrite(sp.exp)))
    falling = vanishes(
        sp.simplify(
            (
                sp.diff((c - 1) / s**2, s) * s**3 * sp.sinh(s) ** 2
                - (sp.cosh(2 * s) - 1 - s**2 - s * sp.sinh(2 * s) / 2)
            ).rewrite(sp.exp)
        )
    )
    n, _ = reals("n k")
    terms = proves(n / 2 >= 1, n >= 2)
    at_one = (1 + a * (a * sp.coth(a) - 1) / a**2) / (2 * (a + a * sp.coth(a))) * (2 * a) ** 2
    tangent = vanishes(sp.simplify((at_one - (2 * a + sp.exp(-2 * a) - minus)).rewrite(sp.exp)))
    return conclude(
        "proved",
        {
            "∫p^α·q^{1−α} in closed form": formula,
            "the derivative of its logarithm in s² is ½(1 + ak)/(a + c)": slope,
            "c rises: sinh 2s ≥ 2s": rising,
            "k falls if cosh x − 1 ≤ x²/4 + x·sinh(x)/4, x = 2s": falling,
            "which holds term by term: 1/(2n)! ≤ n/2/(2n)! for n ≥ 2, and 1/2 = 1/4 + 1/4 for n = 1": terms,
            "so (α − 1)·D_α lies below its tangent at α = 1: D_α ≤ α(t + e^−t − 1), the limit for α → 1": tangent,
        },
    )


def bounded(corner: int = 1) -> Evidence:
    """Ratios up to e^ε: a trade-off above two chords that meet at 1/(1 + e^ε), moments below those of two points."""
    import sympy as sp

    epsilon, beta, s = symbols("epsilon beta s", positive=True)
    meet = 1 / (corner + sp.exp(epsilon))
    chords = vanishes(sp.simplify(1 - sp.exp(epsilon) * meet - meet)) and vanishes(
        sp.simplify(sp.exp(-epsilon) * (1 - meet) - meet)
    )
    f, g, part, lower, upper = reals("f g p l u")
    convex = proves(g <= f, g <= part * upper + (1 - part) * lower, f == part * upper + (1 - part) * lower)
    alpha = beta + sp.Rational(1, 2)
    up = (1 - sp.exp(-epsilon)) / (sp.exp(epsilon) - sp.exp(-epsilon))
    moment = up * sp.exp(alpha * epsilon) + (1 - up) * sp.exp(-alpha * epsilon)
    formula = vanishes(sp.simplify((moment - sp.cosh(beta * epsilon) / sp.cosh(epsilon / 2)).rewrite(sp.exp)))
    slope = vanishes(sp.diff(sp.log(sp.cosh(s)), s) / (2 * s) - sp.tanh(s) / (2 * s))
    falls = vanishes(
        sp.simplify((sp.diff(sp.tanh(s) / s, s) * s**2 * sp.cosh(s) ** 2 - (s - sp.sinh(2 * s) / 2)).rewrite(sp.exp))
    )
    return conclude(
        "proved",
        {
            "1 − e^ε·x and e^−ε·(1 − x) meet at x = 1/(1 + e^ε), where both are x": chords,
            "a convex curve through (0, 1), the corner and (1, 0) lies below both: μ = −2·Φ⁻¹(1/(1 + e^ε))": convex,
            "the moment of the points e^±ε with mean 1, the largest of all: cosh(βε)/cosh(ε/2), β = α − ½": formula,
            "whose logarithm has the derivative ε²·tanh(s)/(2s) in β², s = βε": slope,
            "which falls, as sinh 2s ≥ 2s: D_α ≤ α·ε·tanh(ε/2)": falls,
        },
    )


def at_delta(twice: int = 2) -> Evidence:
    """Laplace: max over c of P(U ≥ c) − e^ε·P(U ≥ c + t) = 1 − e^{(ε−t)/2}, at c = (ε − t)/2; ε ≤ t."""
    import sympy as sp

    c, t, epsilon, delta = symbols("c t epsilon delta", real=True)
    gap = 1 - sp.exp(c) / 2 - sp.exp(epsilon - c - t) / 2  # −t ≤ c ≤ 0
    place = (epsilon - t) / 2
    best = vanishes(sp.diff(gap, c).subs(c, place)) and vanishes(
        sp.diff(gap, c, 2) + sp.exp(c) / 2 + sp.exp(epsilon - c - t) / 2
    )
    value = vanishes(sp.simplify(gap.subs(c, place) - (1 - sp.exp(place))))
    solved = vanishes(sp.expand((epsilon - t) / twice - sp.log(1 - delta)).subs(epsilon, t + 2 * sp.log(1 - delta)))
    p, q, r, ratio, other, leak = reals("P Q R x y d")
    composed = proves(p <= ratio * other * q + leak, p <= other * r + leak, r <= ratio * q, ratio >= 1, other >= 1)
    return conclude(
        "proved",
        {
            "P(U ≥ c) − e^ε·P(U ≥ c + t) is concave between −t and 0, and largest at c = (ε − t)/2": best,
            "where it is 1 − e^{(ε−t)/2}": value,
            "so δ is kept from ε = t + 2·log(1 − δ) on": solved,
            "(ε₁, δ) and then (ε₂, 0): P ≤ e^{ε₁}·R + δ ≤ e^{ε₁+ε₂}·Q + δ": composed,
        },
    )


def concentrated_event(root: int = 2) -> Evidence:
    """P(E) = e^−a, Q(E) = e^−b: D_α ≥ (αlog P − (α−1)log Q)/(α−1), so ρ ≥ b/α − a/(α−1), best at √b/(√b − √a)."""
    import sympy as sp

    low, high, alpha = symbols("x y alpha", positive=True)  # √a, √b
    shown = high**2 / alpha - low**2 / (alpha - 1)
    best = high / (high - low)
    value = vanishes(sp.simplify(shown.subs(alpha, best) - (high - low) ** root))
    a, b = reals("p q")
    order = proves(b > b - a, a > 0, b > a)
    return conclude(
        "proved",
        {
            "at α = √b/(√b − √a) it is (√b − √a)²": value,
            "which is an order above 1": order,
        },
    )


ENTRIES = (
    Entry(
        "trace-curve-normal",
        "Moving normal draws, as a curve",
        OURS,
        "Normal draws moved by t_1, ..., t_k standard deviations have the curve of one draw moved by mu = "
        "sqrt(t_1^2 + ... + t_k^2), and rho = mu^2/2.",
        "sympy",
        normal,
        constant="√Σt²",
    ),
    Entry(
        "trace-curve-laplace-shift",
        "Moving a Laplace draw, as a shift",
        OURS,
        "Laplace: the smallest mu whose trade-off lies below that of a move by t is -2·Phi^-1(e^(-t/2)/2), attained by "
        "the event {U >= -t/2}.",
        "sympy",
        laplace_shift,
        constant="−2·Φ⁻¹(e^{−t/2}/2)",
    ),
    Entry(
        "trace-curve-laplace-rho",
        "Moving a Laplace draw, as rho",
        OURS,
        "Laplace: the supremum of D_alpha/alpha over all orders alpha > 1 is t + e^-t - 1, the limit for alpha -> 1; "
        "so rho of normal and Laplace draws add up exactly.",
        "sympy",
        laplace_rho,
        constant="t + e^−t − 1",
    ),
    Entry(
        "trace-curve-bounded",
        "Bounded ratios as curves",
        OURS,
        "eps-differential privacy is mu-GDP with mu = -2·Phi^-1(1/(1 + e^eps)), and rho-zCDP with rho = "
        "eps·tanh(eps/2).",
        "sympy",
        bounded,
        constant="ε·tanh(ε/2)",
    ),
    Entry(
        "trace-curve-delta",
        "Laplace draws at a delta",
        OURS,
        "A Laplace draw moved by t keeps (eps, delta) just from eps = t + 2·log(1 - delta) on; (eps_1, delta) followed "
        "by eps_2 is (eps_1 + eps_2, delta).",
        "sympy",
        at_delta,
        constant="t + 2·log(1 − δ)",
    ),
    Entry(
        "trace-curve-event",
        "What an event shows of rho",
        OURS,
        "An event of probabilities e^-a and e^-b, a < b, shows rho >= (sqrt(b) - sqrt(a))^2.",
        "sympy",
        concentrated_event,
        constant="(√b − √a)²",
    ),
)
