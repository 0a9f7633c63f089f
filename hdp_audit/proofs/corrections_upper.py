"""Upper bounds that are false as printed, each with a counterexample and the form that holds."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from hdp_audit.proofs import local, upper
from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import Evidence, conclude, correction
from hdp_audit.proofs.smt import proves, reals
from hdp_audit.proofs.vertex import pair_mean_square

QUARTER = Fraction(1, 4)


def mean_square_split(noise: str = "3.5") -> Evidence:
    """k = 2, a = 0.3, b = 0.05: E‖A+N‖∞² in (0.1174, 0.1176), above a² + E‖N‖∞² = 0.09875."""
    import sympy as sp

    formula = pair_mean_square()
    size = next(iter(formula.free_symbols))
    value = sp.lambdify(size, formula, modules=[{"exp": iv().exp}])(interval(6)) * interval("0.0025")
    split = interval("0.09") + interval("0.0025") * interval(noise)
    return conclude(
        "proved",
        {
            "the exact mean square": surely_less(interval("0.1174"), value) and surely_less(value, interval("0.1176")),
            "exceeds the sum of the two": surely_less(split, value),
            "Minkowski's form holds (mse-upper-correlated)": upper.minkowski(),
        },
    )


def shrinking_coefficient(multiple: int = 16) -> Evidence:
    """No coefficient 1 + log(1/β)/log k: half the users hold all weight, 0/1 data, bias ½ has probability 1/C(n, n/2).

    Take β just below it and k ≥ 1/β: the claim α² ≤ C(1 + log(1/β)/log k)‖w‖² with α = ½, ‖w‖² = 2/n needs C ≥ n/16.
    """
    n = symbols("n", positive=True)
    needed = vanishes(QUARTER.numerator / (QUARTER.denominator * 2 * (2 / n)) - n / multiple)
    sizes = (4, 10, 50, 200)
    chance = all(_full_bias_chance(size) == Fraction(1, comb(size, size // 2)) for size in sizes)
    return conclude(
        "proved",
        {
            "the constant needed is n/16, so none works for all n": needed,
            "P(bias = ½) = 1/C(n, n/2) > 0: all ones on the weighted half, n = 4, 10, 50, 200": chance,
        },
    )


def _full_bias_chance(n: int) -> Fraction:
    """P(a random half of n users receives all n/2 ones), one seat after the other."""
    chance = Fraction(1)
    for j in range(n // 2):
        chance *= Fraction(n // 2 - j, n - j)
    return chance


def local_sub_gaussian(base: int = 3) -> Evidence:
    """Equal weights: P(|Σw_iN_i| ≥ σ/2) ≥ 3/32 for every n (Paley-Zygmund), while exp(−cα²/‖w/ε‖∞²) = e^{−2cn} → 0."""
    import sympy as sp

    n, t, z, c = symbols("n t z c", positive=True)
    second = sp.integrate(z**2 * sp.exp(-z / t) / t, (z, 0, sp.oo))
    fourth = sp.integrate(z**4 * sp.exp(-z / t) / t, (z, 0, sp.oo))
    ratio = (n * fourth + 3 * n * (n - 1) * second**2) / (n * second) ** 2
    kurtosis = vanishes(ratio - (base + 3 / n))
    p, two, four = reals("p s f")
    zygmund = proves(
        32 * p >= 3, two > 0, four > 0, four <= 6 * two * two, p >= 0, p * four >= (two * 3 / 4) * (two * 3 / 4)
    )
    claim = vanishes(c * (2 * sp.sqrt(n * second) / 2) ** 2 / t**2 - 2 * c * n)
    size = reals("n")[0]
    inside = proves(size / 2 <= 8 * size * size, size >= 1)  # squares of σ/2 = √(n/2)·t and of 2√2·n·t, over t²
    return conclude(
        "proved",
        {
            "fourth over squared second moment is 3 + 3/n ≤ 6": kurtosis,
            "so P(X² ≥ σ²/4) ≥ (3/4)²/6 = 3/32": zygmund,
            "at α/2 = σ/2 the printed exponent is −2cn": claim,
            "and that α lies in the printed range": inside,
            "with ‖w/ε‖₂² it holds (local-laplace-sum)": local.laplace_sum().holds,
        },
    )


ENTRIES = (
    correction(
        "false-mse-split",
        "Mean square of bias plus noise",
        ("thm:mse-ub",),
        "E|A+N|^2 <= (sqrt(E|A|^2) + sqrt(E|N|^2))^2.",
        "interval",
        mean_square_split,
        "Printed without the cross term; k = 2, a = 0.3, b = 0.05 gives 0.1175 > 0.0988.",
        "Minkowski",
    ),
    correction(
        "false-note",
        "The coefficient that shrinks with k",
        ("eq:note",),
        "The coefficient of |w|_2^2 cannot fall as 1 + log(1/beta)/log k: two-category data embed in every k.",
        "enumeration",
        shrinking_coefficient,
        "The 'Interesting Note' claims it; at k >= 1/beta it would need a constant of at least n/16.",
        "n/16",
    ),
    correction(
        "false-local-tail",
        "Sub-Gaussian range of the local mean",
        ("adx:ldp",),
        "The exponent is -alpha^2/(c·|w/eps|_2^2).",
        "sympy",
        local_sub_gaussian,
        "Printed with max(w/eps)^2; equal weights then contradict P(|X| >= sigma/2) >= 3/32.",
        "‖w/ε‖₂²",
    ),
)
