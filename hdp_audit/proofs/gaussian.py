"""Gaussian noise on the integers: how it is drawn, what it costs, and what that means as (ε, δ).

P(Z = z) ∝ exp(−z²/2σ²). ρ-zCDP: the divergence D_α of two neighbouring outputs is at most αρ for every α > 1.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals


def sampler(half: int = 2) -> Evidence:
    """Exponents of proposal and coin sum to −y²/2σ² and a constant; the coin falls apart; its count has mass e^{−x}."""
    import sympy as sp

    y, s, t, j, f, x = symbols("y s t j f x", positive=True)
    together = y / t + (y - s**2 / t) ** 2 / (half * s**2)
    constant = vanishes(sp.cancel(sp.diff(together - y**2 / (2 * s**2), y)))
    parts = vanishes(sp.expand((j + f) ** 2 / half - (j**2 / 2 + j * f + f**2 / 2)))
    # The first failure comes at toss k with probability x^(k−1)/(k−1)! − x^k/k!; over odd k that is Σ(−x)^i/i!.
    odd = sum(x ** (k - 1) / sp.factorial(k - 1) - x**k / sp.factorial(k) for k in range(1, 12, 2))
    series = vanishes(sp.expand(odd - sum((-x) ** i / sp.factorial(i) for i in range(12))))
    return conclude(
        "proved",
        {
            "y/t + (y − σ²/t)²/2σ² − y²/2σ² does not depend on y, whatever t": constant,
            "(j + f)²/2 = j²/2 + jf + f²/2": parts,
            "odd counts have mass Σ(−x)^i/i!, term by term": series,
        },
    )


def whole_orders(divisor: int = 2) -> Evidence:
    """α(x−m)² + (1−α)x² = (x − αm)² + α(1−α)m²: a whole α moves the sum by an integer, so D_α = αm²/2σ²."""
    import sympy as sp

    x, m, a, s = symbols("x m a s", positive=True)
    square = vanishes(sp.expand(a * (x - m) ** 2 + (1 - a) * x**2 - (x - a * m) ** 2 - a * (1 - a) * m**2))
    divergence = -a * (1 - a) * m**2 / (2 * s**2) / (a - 1)
    value = vanishes(sp.cancel(divergence - a * m**2 / (divisor * s**2)))
    return conclude(
        "proved",
        {
            "the square is completed at αm, an integer for whole α and m": square,
            "what is left over α − 1 is αm²/2σ²": value,
        },
    )


def _comb(variance: Fraction, centre: Fraction, reach: int = 40) -> object:
    """Σ_x exp(−(x − c)²/2σ²) as an interval, without tails that are far below its width."""
    context = iv()
    terms = ((x - centre) ** 2 / (2 * variance) for x in range(-reach, reach + 1))
    return sum((context.exp(-interval(term)) for term in terms), context.mpf(0))


def every_order(shift: int = 0) -> Evidence:
    """Poisson: Σ_x e^{−(x−c)²/2σ²} = σ√2π·Σ_k e^{−2π²σ²k²}cos 2πkc, largest at whole c; compared on a grid of c."""
    context = iv()
    agree, largest = True, True
    for variance, step in product((Fraction(1, 3), Fraction(1), Fraction(2)), range(1, 10)):
        centre = Fraction(step, 10)
        comb = _comb(variance, centre)
        factor = 2 * context.pi**2 * interval(variance)
        waves = sum(
            (
                2 * context.exp(-factor * k * k) * context.cos(2 * context.pi * k * interval(centre))
                for k in range(1, 9)
            ),
            context.mpf(1),
        )
        gap = comb - context.sqrt(2 * context.pi * interval(variance)) * waves
        agree &= bool(abs(float(gap.mid)) < 1e-12)
        largest &= surely_less(comb, _comb(variance, Fraction(0) + Fraction(shift, 2)))
    return conclude(
        "tested",
        {
            "both sums agree to 1e-12, σ² = 1/3, 1, 2, c = 0.1 .. 0.9": agree,
            "the sum at whole c is larger than at each of these": largest,
        },
    )


def units(halves: int = 2) -> Evidence:
    """W ≤ r·s and c·r² ≤ 2ρ give c·W²/2s² ≤ ρ."""
    w, r, s, rho, c = reals("w r s p c")
    kept = proves(
        c * w * w <= halves * rho * s * s, w >= 0, r >= 0, s > 0, c > 0, rho >= 0, w <= r * s, c * r * r <= 2 * rho
    )
    return conclude("proved", {"c·W² ≤ 2ρs² from W ≤ rs and cr² ≤ 2ρ": kept})


def _moved(weights: tuple[int, ...], user: int, k: int) -> int:
    """The largest squared ℓ2 distance of totals when the user's datum is replaced; k = 1: data on {0, 1/2, 1}."""
    values = range(k) if k > 1 else range(3)

    def totals(data: tuple[int, ...]) -> list[int]:
        if k == 1:
            return [sum(w * x for w, x in zip(weights, data, strict=True))]
        return [sum(w for w, x in zip(weights, data, strict=True) if x == j) for j in range(k)]

    most = 0
    for data in product(values, repeat=len(weights)):
        for value in values:
            other = (*data[:user], value, *data[user + 1 :])
            most = max(most, sum((a - b) ** 2 for a, b in zip(totals(data), totals(other), strict=True)))
    return most


def distances(mean: int = 1, frequency: int = 2) -> Evidence:
    """A replaced datum moves a mean by W_i and a table by √2·W_i, exactly (mean in half units, so 4·W_i² there)."""
    weights = ((1,), (3,), (1, 2), (1, 2, 4), (2, 0, 1))
    users = [(w, user) for w in weights for user in range(len(w))]
    return conclude(
        "proved for stated sizes",
        {
            "mean: c = 1": all(_moved(w, user, 1) == 4 * mean * w[user] ** 2 for w, user in users),
            "k = 2, 3 categories: c = 2": all(
                _moved(w, user, k) == frequency * w[user] ** 2 for w, user in users for k in (2, 3)
            ),
        },
    )


def conversion(shift: int = 1) -> Evidence:
    """(y − e^ε)₊ ≤ C·y^α for every ratio y, C = e^{−(α−1)ε}(1 − 1/α)^α/(α − 1); and E_Q y^α ≤ e^{(α−1)αρ}."""
    import sympy as sp

    y, e, b = symbols("y e b", positive=True)  # e stands for e^ε, α = 1 + b
    a = 1 + b
    ratio = (y - e) / y**a
    top = e * a / b
    flat = vanishes(sp.simplify(sp.diff(ratio, y).subs(y, top)))
    rising = vanishes(sp.simplify(sp.diff(ratio, y) - b * (top - y) / y ** (a + 1)))
    value = vanishes(sp.simplify(sp.log(ratio.subs(y, top)) - sp.log(e**-b * (b / a) ** a / b) * shift))
    eps, delta = symbols("E D", real=True)
    rho = (eps + (delta + sp.log(b) - a * sp.log(b / a)) / b) / a
    solved = vanishes(b * (a * rho - eps) + a * sp.log(b / a) - sp.log(b) - delta)
    return conclude(
        "proved",
        {
            "the ratio has its only maximum at y = e^ε·α/(α − 1)": flat and rising,
            "its value there is C": value,
            "solved for ρ: (ε + (log δ + log(α−1) − α·log(1−1/α))/(α−1))/α": solved,
        },
    )


ENTRIES = (
    Entry(
        "gaussian-sampler",
        "The exact Gaussian sampler",
        OURS,
        "A discrete Laplace y of any scale t kept with probability exp(-(|y| - s^2/t)^2/2s^2) is the discrete Gaussian "
        "of variance s^2.",
        "sympy",
        sampler,
        constant="any t",
    ),
    Entry(
        "gaussian-whole-orders",
        "Divergence of the discrete Gaussian at whole orders",
        OURS,
        "D_alpha between the discrete Gaussian and itself moved by an integer m equals alpha·m^2/(2s^2) for whole "
        "alpha >= 2.",
        "sympy",
        whole_orders,
        constant="αm²/2σ²",
    ),
    Entry(
        "gaussian-every-order",
        "Divergence of the discrete Gaussian at every order",
        OURS,
        "D_alpha <= alpha·m^2/(2s^2) for every alpha > 1: by Poisson's summation formula sum exp(-(x - c)^2/2s^2) is "
        "largest at whole c.",
        "textbook+stress",
        every_order,
        constant="αm²/2σ²",
    ),
    Entry(
        "gaussian-distances",
        "How far a replaced datum moves the totals",
        OURS,
        "In l2 by W_i for a mean and by sqrt(2)·W_i for frequencies, exactly (k = 2, 3, n <= 3).",
        "enumeration",
        distances,
        constant="c = 1, 2",
    ),
    Entry(
        "gaussian-units",
        "Integer units keep rho",
        OURS,
        "W_i <= r_i·s with c·r_i^2 <= 2·rho_i gives the loss c·W_i^2/(2s^2) <= rho_i.",
        "smt",
        units,
        constant="1",
    ),
    Entry(
        "gaussian-conversion",
        "From rho to (epsilon, delta)",
        OURS,
        "D_alpha <= alpha·rho gives delta = exp((alpha-1)(alpha·rho - eps))·(1 - 1/alpha)^alpha/(alpha - 1) for every "
        "alpha > 1.",
        "sympy",
        conversion,
    ),
)
