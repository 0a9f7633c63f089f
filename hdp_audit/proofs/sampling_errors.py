"""How far SM may err: a Chernoff bound and the mean square of sampling."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals
from hdp_audit.proofs.tails import laplace_moment


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
            "E e^{λN} = 1/(1 − λ²b²)": laplace_moment(),
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
)
