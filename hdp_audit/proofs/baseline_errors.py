"""How far SM and LDP may err: Chernoff bounds and mean squares of sampling and of local noise."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def sampled_moment(curvature: int = 1) -> Evidence:
    """f(y) = log E e^{y(B−p)}, B ~ Bernoulli(p): f(0) = f'(0) = 0 and f'' ≥ 0, so f ≥ 0, and f(xy) ≤ f(y) on [0, 1].

    Hence all users in one bin, or all at 1, have the largest moments of Σx_i(B_i − p_i)/P.
    """
    import sympy as sp

    y, p = symbols("y p", real=True)
    base = 1 - p + p * sp.exp(y)
    f = sp.log(base) - p * y
    flat = vanishes(f.subs(y, 0)) and vanishes(sp.diff(f, y).subs(y, 0))
    convex = vanishes(sp.diff(f, y, 2) - curvature * p * (1 - p) * sp.exp(y) / base**2)
    chance, grown = reals("p t")
    positive = proves(chance * (1 - chance) * grown >= 0, chance >= 0, chance <= 1, grown > 0)
    value, scaled, x = reals("v w x")  # convexity between 0, where f = 0, and y: f(xy) ≤ x·f(y)
    shrinks = proves(scaled <= value, scaled <= x * value, value >= 0, x >= 0, x <= 1)
    return conclude(
        "proved",
        {
            "f and its slope vanish at 0": flat,
            "f'' = p(1−p)e^y/(1 − p + pe^y)²": convex,
            "which is ≥ 0": positive,
            "so f ≥ 0, and a datum x ≤ 1 only shrinks it": shrinks,
        },
    )


def _laplace_moment(power: int = 2) -> bool:
    """E e^{λN} = 1/(1 − λ²b²) for λb < 1; with r = λb, in units of b."""
    import sympy as sp

    r, z = symbols("r z", positive=True)
    gap = symbols("g", positive=True)  # 1 − r
    right = sp.integrate(sp.exp(-gap * z) / 2, (z, 0, sp.oo)).subs(gap, 1 - r)
    left = sp.integrate(sp.exp(-(1 + r) * z) / 2, (z, 0, sp.oo))
    return vanishes(right + left - 1 / (1 - r**power))


def sampled_tail(outputs: int = 1) -> Evidence:
    """P(‖T + N‖∞ > x) ≤ k·e^{−λx}(M(λ) + M(−λ))/(1 − λ²b²); that is β at x = log(k(M(λ) + M(−λ))/((1−λ²b²)β))/λ."""
    import sympy as sp

    k, beta, rate, plus, minus, factor = symbols("k beta lam Mp Mm F", positive=True)
    x = sp.log(k * (plus + minus) * factor / beta) / rate
    level = vanishes(outputs * k * sp.exp(-rate * x) * (plus + minus) * factor - beta)
    bias, rest, alpha = reals("a t x")
    triangle = proves(absolute(bias + rest) <= absolute(bias) + alpha, absolute(rest) <= alpha)
    return conclude(
        "proved",
        {
            "E e^{λN} = 1/(1 − λ²b²)": _laplace_moment(),
            "two sides and k outputs make β at that x": level,
            "a bias adds at most its size": triangle,
        },
    )


def sampled_square(power: int = 2) -> Evidence:
    """E(a + T + N)² = a² + Σx²p(1−p)/P² + 2b² for a mean; ΣE T_j² = Σp(1−p)/P² over the bins: all samples, exactly."""
    chances = (Fraction(1, 3), Fraction(3, 4), Fraction(1, 5))
    size = sum(chances)
    variance = sum(p * (1 - p) for p in chances) / size**power
    bias, half, one = Fraction(2, 7), Fraction(1, 2), Fraction(1)
    everybody = [(one,)] * 3
    whole = _square_of_samples(chances, everybody)
    biased = _square_of_samples(chances, everybody, bias)
    split = _square_of_samples(chances, [(one, 0 * one), (0 * one, one), (one, 0 * one)])
    partial = _square_of_samples(chances, [(half,), (one,), (0 * one,)])
    return conclude(
        "proved for stated sizes",
        {
            "everybody at 1, n = 3: Σp(1−p)/P²": whole == variance,
            "two bins: the same in all": split == variance,
            "data below 1: no more": partial <= variance,
            "a bias adds its square, as sampling has mean 0 (the noise adds 2b²: vertex-mse)": biased
            == bias**2 + variance,
        },
    )


def _square_of_samples(
    chances: tuple[Fraction, ...], data: Sequence[tuple[Fraction, ...]], bias: Fraction = Fraction(0)
) -> Fraction:
    """E Σ_j(bias + Σ_i x_ij(B_i − p_i)/P)² over all samples."""
    total, size = Fraction(0), sum(chances)
    for sample in product((0, 1), repeat=len(chances)):
        chance = Fraction(1)
        for p, taken in zip(chances, sample, strict=True):
            chance *= p if taken else 1 - p
        for column in zip(*data, strict=True):
            moved = sum(x * (b - p) for x, b, p in zip(column, sample, chances, strict=True)) / size
            total += chance * (bias + moved) ** 2
    return total


def minkowski(weight: int = 1) -> Evidence:
    """√E(X + Y)² ≤ √E X² + √E Y²: E(X − tY)² ≥ 0 at t = C/B gives C² ≤ AB, and that A + 2C + B ≤ (√A + √B)²."""
    import z3

    a, b, c, t = reals("A B C t")
    schwarz = proves(c * c <= a * b, b > 0, t * b == c, a - 2 * t * c + t * t * b >= 0)
    x, y, cross = reals("x y C")
    sums = proves(
        x * x + 2 * cross + y * y <= weight * (x + y) * (x + y), x >= 0, y >= 0, cross * cross <= x * x * y * y
    )
    first, second, largest = reals("p q m")
    one = z3.Or(largest == first, largest == second)
    bound = proves(largest <= first + second, first >= 0, second >= 0, one)
    return conclude(
        "proved",
        {
            "Cauchy and Schwarz": schwarz,
            "so roots of mean squares add up": sums,
            "a maximum of squares is at most their sum": bound,
        },
    )


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
            "E e^{λsN} = 1/(1 − λ²s²), independent factors": _laplace_moment(),
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


def weak_split(parts: int = 2) -> Evidence:
    """Permuted data, any noise: P(error > s + x + y) ≤ P(|A| > x) + P(|N| > y) ≤ δ + (β − δ), x = √(V·log(2k/δ)/2)."""
    import sympy as sp
    import z3

    v, k, delta = symbols("V k delta", positive=True)
    x = sp.sqrt(v * sp.log(2 * k / delta) / 2)
    level = vanishes(2 * k * sp.exp(-parts * x**2 / v) - delta)
    shift, moved, noise, first, second, small = reals("s a n x y m")
    union = proves(
        absolute(shift + moved + noise) <= small + first + second,
        absolute(shift) <= small,
        absolute(moved) <= first,
        absolute(noise) <= second,
    )
    c, d, mu = reals("c D u")
    size = absolute(c * d - d * mu)
    mean = proves(z3.Or(size <= c * d, size <= (1 - c) * d), c >= 0, c <= 1, d >= 0, mu >= 0, mu <= 1)
    return conclude(
        "proved",
        {
            "2k·e^{−2x²/V} = δ (perm-constant)": level,
            "where both are small, so is their sum": union,
            "the mean bias cD − Dμ is at most D·max(c, 1−c)": mean,
        },
    )


ENTRIES = (
    Entry(
        "sm-moment",
        "Moments of sampling",
        OURS,
        "log E exp(y(B - p)) is convex in y with value and slope 0 at 0: all users in one bin, or all at 1, have the "
        "largest moments.",
        "sympy",
        sampled_moment,
    ),
    Entry(
        "sm-tail",
        "SM's error quantile",
        OURS,
        "Bias + min over lambda of log(k(M(lambda) + M(-lambda))/((1 - lambda^2 b^2)·beta))/lambda, k = 1 for a mean.",
        "sympy",
        sampled_tail,
        constant="k(M(λ) + M(−λ))",
    ),
    Entry(
        "sm-square",
        "SM's mean squared error",
        OURS,
        "Mean: bias^2 + sum p(1-p)/P^2 + 2b^2; frequencies: sampling adds at most sum p(1-p)/P^2 over all bins; n = 3.",
        "enumeration",
        sampled_square,
        constant="Σp(1−p)/P²",
    ),
    Entry(
        "minkowski",
        "Roots of mean squares add up",
        OURS,
        "sqrt(E|A+T+N|^2) is at most the sum of the three roots, and E max_j S_j^2 <= sum_j E S_j^2.",
        "smt",
        minkowski,
        constant="1",
    ),
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
    Entry(
        "weak-split",
        "Permuted data under any noise",
        OURS,
        "D·max(c, 1-c) + sqrt(V·log(2k/delta)/2) + the noise's (1 - beta + delta)-quantile, every 0 < delta < beta.",
        "smt",
        weak_split,
    ),
)
