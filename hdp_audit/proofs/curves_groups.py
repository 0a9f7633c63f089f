"""What several users may lose together, for every kind of promise, and what removal says of replacement (ours)."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import possible, proves, reals

Pairs = tuple[tuple[Fraction, Fraction], ...]  # (e^ε, δ) of each user


def approximate(weight: int = 1) -> Evidence:
    """p ≤ r₁·m + d₁ and m ≤ r₂·q + d₂ give p ≤ r₁r₂·q + d₁ + r₁·d₂: one user after another, in any order."""
    p, m, q, r, s, c, d = reals("p m q r s c d")
    chain = proves(p <= r * s * q + c + weight * r * d, p <= r * m + c, m <= s * q + d, r >= 1, s >= 1, c >= 0, d >= 0)
    swap = proves((c + r * d <= d + s * c) == (c * (s - 1) >= d * (r - 1)), r >= 1, s >= 1, c >= 0, d >= 0)
    other = reals("n")[0]
    corners = [p == r * d + c, m == d, other == c, q == 0, r == 2, s == 3, 100 * c == 2, 100 * d == 1]
    kept = [p <= s * other + d, 1 - q <= r * (1 - other) + c, 1 - q <= s * (1 - m) + d]
    kept += [1 - m <= r * (1 - p) + c, 1 - other <= s * (1 - p) + d, other <= r * q + c]
    return conclude(
        "proved",
        {
            "two users: (ε₁ + ε₂, δ₁ + e^{ε₁}·δ₂)": chain,
            "i goes before j if δ_i(e^{ε_j} − 1) ≥ δ_j(e^{ε_i} − 1)": swap,
            "attained: both alone and together, all promises kept": possible(*corners, *kept),
        },
    )


def cheapest(falling: bool = True) -> Evidence:
    """By falling δ/(e^ε − 1) the sum of e^{ε of those before}·δ is the smallest over all orders."""
    ratios, leaks = (Fraction(3, 2), Fraction(2), Fraction(5)), (Fraction(0), Fraction(1, 50), Fraction(1, 10))
    kinds = tuple(product(ratios, leaks))
    groups: list[Pairs] = [(kinds[i], kinds[j], kinds[k]) for i in range(9) for j in range(i, 9) for k in range(j, 9)]
    groups += [tuple(kinds[(i * step) % 9] for i in range(5)) for step in (1, 2, 4)]
    sign = -1 if falling else 1

    def cost(order: Pairs) -> Fraction:
        before, total = Fraction(1), Fraction(0)
        for ratio, leak in order:
            total, before = total + before * leak, before * ratio
        return total

    smallest = all(
        cost(tuple(sorted(group, key=lambda user: sign * user[1] / (user[0] - 1))))
        == min(map(cost, permutations(group)))
        for group in groups
    )
    return conclude(
        "proved for stated sizes", {"all groups of 3 and some of 5, nine kinds of users, all orders": smallest}
    )


def pure(weight: int = 1) -> Evidence:
    """p ≤ r·m, m ≤ s·q: p ≤ rs·q, and answers of both attain it."""
    p, m, q, r, s = reals("p m q r s")
    chain = proves(p <= weight * r * s * q, p <= r * m, m <= s * q, r >= 1, s >= 1, p >= 0, q >= 0, m >= 0)
    # independent answers: both say the truth with r·s/((1+r)(1+s)), both lie with 1/((1+r)(1+s))
    full = proves(p == r * s * q, p * (1 + r) * (1 + s) == r * s, q * (1 + r) * (1 + s) == 1, r >= 1, s >= 1)
    return conclude("proved", {"two users lose at most ε₁ + ε₂": chain, "attained by independent answers": full})


def gaussian(sign: int = 1) -> Evidence:
    """No event keeps more than Φ(Φ⁻¹(w) + μ): after μ₁, which rises with w, μ₂ more is μ₁ + μ₂."""
    import sympy as sp

    z, first, second = symbols("z mu nu", real=True)

    def below(at: sp.Expr) -> sp.Expr:
        return (1 + sp.erf(at / sp.sqrt(2))) / 2

    adds = below(z + first).subs(z, z + sign * second) == below(z + first + second)
    rises = bool(sp.diff(below(z + first), z).is_positive)
    mirrored = sp.expand(1 - below(z + first) - below(-(z + first))) == 0
    return conclude(
        "proved",
        {
            "Φ((z + μ₂) + μ₁) = Φ(z + μ₁ + μ₂)": bool(adds),
            "what may be kept rises with what there was": rises,
            "the complement says the same in the other direction": bool(mirrored),
        },
    )


def concentrated(roots: int = 2) -> Evidence:
    """Hölder with p: (α−1)D_α(P‖Q) ≤ (α−1/p)D_{pα}(P‖R) + (α−1)D_β(R‖Q), β = q(α−1/p); the best p gives the root."""
    import sympy as sp

    alpha, one, two, x = symbols("alpha a b x", positive=True)  # ρ₁ = a², ρ₂ = b², p = 1 + x
    p, more = 1 + x, symbols("m", positive=True)
    q = p / (p - 1)
    beta = q * (alpha - 1 / p)
    conjugate = vanishes(1 / p + 1 / q - 1)
    densities = vanishes((1 / p - alpha) * p - (1 - alpha * p)) and vanishes(beta + (1 - alpha) * q - 1)
    moments = vanishes((alpha * p - 1) / p - (alpha - 1 / p)) and vanishes((beta - 1) / q - (alpha - 1))
    bound = (alpha - 1 / p) / (alpha - 1) * p * alpha * one**2 + beta * two**2
    factored = (alpha * x + alpha - 1) * (alpha * one**2 / (alpha - 1) + two**2 / x)
    stated = vanishes(bound - factored)
    written = factored.subs(alpha, 1 + more)
    best = more * two / ((1 + more) * one)
    smallest = vanishes(written.subs(x, best) - (1 + more) * (one**2 + roots * one * two + two**2))
    square = (1 + more) * (one * (1 + more) * x - more * two) ** 2 / ((1 + more) * more * x)
    above = vanishes(written - (1 + more) * (one + two) ** 2 - square)
    return conclude(
        "proved",
        {
            "1/p + 1/q = 1": conjugate,
            "Hölder's two integrals are those of orders pα and β": densities,
            "with these powers": moments,
            "D_β ≤ ρβ makes it (αx + α − 1)(αρ₁/(α−1) + ρ₂/x)": stated,
            "at x = (α−1)√ρ₂/(α√ρ₁) that is α(√ρ₁ + √ρ₂)²": smallest,
            "everywhere else a square more": above,
            "shifts by √(2ρ_i) attain it": vanishes((sp.sqrt(2) * one + sp.sqrt(2) * two) ** 2 / 2 - (one + two) ** 2),
        },
    )


def removal(steps: int = 2) -> Evidence:
    """x → without i → x′: r twice. Telling how many there are costs nothing under replacement, everything here."""
    p, m, q, r = reals("p m q r")
    twice = proves(p <= r**steps * q, p <= r * m, m <= r * q, r >= 1, p >= 0, m >= 0, q >= 0)
    laws = [r == 2, 10 * q == 1, 10 * m == 2, 10 * p == 4]
    kept = [p <= r * m, m <= r * q, 1 - q <= r * (1 - m), 1 - m <= r * (1 - p)]
    full = possible(*laws, *kept, p == r * r * q)
    here, gone = reals("s u")  # P("n rows") with the user, whatever their datum, and without
    telling = proves(here > r * gone, here == 1, gone == 0, r >= 1)
    return conclude(
        "proved",
        {
            "removal at ε gives replacement at 2ε": twice,
            "no less: attained by one event": full,
            "the number of rows, which no replacement changes, tells a removal at every ε": telling,
        },
    )


ENTRIES = (
    Entry(
        "group-pure",
        "A group under pure privacy",
        OURS,
        "Users who may lose eps_i each may lose sum eps_i together; independent randomised responses do.",
        "smt",
        pure,
    ),
    Entry(
        "group-approximate",
        "A group under (eps, delta)",
        OURS,
        "Users one after another lose (sum eps_i, sum_j e^(eps of those before j)·delta_j) at most, in any order; two "
        "neighbours in an order are exchanged at no cost if delta/(e^eps - 1) falls.",
        "smt",
        approximate,
    ),
    Entry(
        "group-approximate-order",
        "The cheapest order of a group",
        OURS,
        "Of all orders the one by falling delta/(e^eps - 1) has the smallest sum.",
        "enumeration",
        cheapest,
    ),
    Entry(
        "group-gaussian",
        "A group under Gaussian privacy",
        OURS,
        "mu_1-GDP and mu_2-GDP one after another are (mu_1 + mu_2)-GDP.",
        "sympy",
        gaussian,
    ),
    Entry(
        "group-zcdp",
        "A group under zCDP",
        OURS,
        "rho_1 and rho_2 one after another are (sqrt rho_1 + sqrt rho_2)^2: Hoelder's inequality with the best "
        "exponent; Gaussian shifts attain it.",
        "sympy",
        concentrated,
        constant="(√ρ₁ + √ρ₂)²",
    ),
    Entry(
        "removal-replacement",
        "Removal gives replacement at twice the price",
        OURS,
        "eps under removal is 2 eps under replacement and no less in general; no eps under replacement gives any under "
        "removal, as the number of rows shows.",
        "smt",
        removal,
        constant="2",
    ),
)
