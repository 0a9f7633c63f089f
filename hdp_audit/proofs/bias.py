"""The bias of reweighing: worst case, its vertices, and what random order makes of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, positive_part, proves, reals


def worst_bias(share: str = "1/2") -> Evidence:
    """max over x in [0,1]^n of |Σ(w_i−u)x_i| = ½‖w−u‖₁, attained at x_i = 1{w_i > u}."""
    import z3

    c, x = reals("c x")
    half = z3.RealVal(share)
    each = proves(c * x <= positive_part(c), x >= 0, x <= 1)
    # Σc = 0 makes Σc₊ = ½Σ|c|: c₊ = (c + |c|)/2 in each coordinate.
    halved = proves(positive_part(c) - c * z3.RealVal("1/2") == half * absolute(c))
    attained = proves(z3.If(c > 0, c, 0) == positive_part(c))
    return conclude(
        "proved",
        {
            "each term is at most (w_i − u)₊": each,
            "the positive parts of a vector of sum zero add up to half its L1 norm": halved,
            "x_i = 1{w_i > u} attains it": attained,
        },
    )


def bias_moment(share: str = "1/4") -> Evidence:
    """eqr:2: ‖Q(w−u)‖∞² ≤ ¼‖w−u‖₁² for every dataset, hence in the mean."""
    import z3

    bias, norm = reals("bias norm")
    return conclude(
        "proved",
        {
            "squaring |bias| ≤ ½·norm": proves(
                bias * bias <= z3.RealVal(share) * norm * norm, bias >= 0, 2 * bias <= norm
            )
        },
    )


def vertices(times: int = 1) -> Evidence:
    """The vectors of sum zero and L1 norm ≤ 2a are the hull of a(e_i − e_j): no other point is extreme."""
    first, second, step = reals("x y d")
    same_sign = [first > 0, second > 0, step > 0, step <= first, step <= second]
    norm = absolute(first) + absolute(second)
    up = absolute(first + step) + absolute(second - step)
    down = absolute(first - step) + absolute(second + step)
    return conclude(
        "proved",
        {
            "two coordinates of one sign can be moved both ways at equal norm and sum, so the point "
            "is not extreme": proves(up == times * norm, *same_sign) and proves(down == norm, *same_sign),
            "with one positive and one negative coordinate, sum zero makes the point ±a(e_i − e_j)": proves(
                first == -second, first + second == 0
            ),
        },
    )


def one_norm_by_two(slack: int = 0) -> Evidence:
    """‖x‖₁² ≤ n‖x‖₂² for every n, by induction: (S+x)² ≤ (m+1)(Q+x²) when S² ≤ mQ."""
    total, square, x, m = reals("S Q x m")
    given = [m >= 1, total >= 0, x >= 0, square >= 0, total * total <= m * square]
    step = proves((total + x) * (total + x) <= (m + 1 - slack) * (square + x * x), *given)
    return conclude("proved", {"start n = 1": proves(x * x <= (1 - slack) * x * x), "step from m to m + 1": step})


def _mean_square(c: tuple[Fraction, ...], x: tuple[int, ...]) -> Fraction:
    """E(Σ c_i x_σ(i))² over all orders, in rationals."""
    orders = list(permutations(x))
    return sum((sum((a * b for a, b in zip(c, y, strict=True)), Fraction(0)) ** 2 for y in orders), Fraction(0)) / len(
        orders
    )


def permuted_variance(correction: int = 1) -> Evidence:
    """E(Σc_i x_σ(i))² = ‖c‖₂²·S², S² = Σ(x−μ)²/(n−correction), for Σc = 0."""
    n, p, s = symbols("n P s", positive=True)
    norm = symbols("N", positive=True)
    # p = Σx², s = Σx; E x_σ(i)² = p/n, E x_σ(i)x_σ(j) = (s² − p)/(n(n−1)); Σ_{i≠j}c_ic_j = −‖c‖².
    moment = norm * p / n - norm * (s**2 - p) / (n * (n - 1))
    identity = vanishes(moment - norm * (p - s**2 / n) / (n - correction))
    vectors = (
        (Fraction(1, 2), Fraction(1, 3), Fraction(-5, 6)),
        (Fraction(2), Fraction(-1), Fraction(-1, 2), Fraction(-1, 2)),
    )
    brute = True
    for c in vectors:
        for x in product(range(3), repeat=len(c)):
            mean = Fraction(sum(x), len(x))
            spread = sum(((v - mean) ** 2 for v in x), Fraction(0)) / (len(x) - correction)
            brute &= _mean_square(c, x) == sum(v * v for v in c) * spread
    return conclude(
        "proved", {"identity in n, Σx, Σx² and ‖c‖²": identity, "all orders of n = 3, 4 in rationals": brute}
    )


def largest_spread(correction: int = 1) -> Evidence:
    """max over [0,1]^n of Σ(x−μ)²/(n−1) is n/(4(n−1)) for even n, (n+1)/(4n) for odd n."""
    m = symbols("m", positive=True, integer=True)
    even, odd = 2 * m, 2 * m + 1
    # Convex in x, so the largest value is at 0/1 data with j ones: j(n−j)/(n(n−1)); j = ⌊n/2⌋.
    at_even = vanishes(m * m / (even * (even - 1)) - even / (4 * (even - correction)))
    at_odd = vanishes(m * (m + 1) / (odd * (odd - 1)) - (odd + 1) / (4 * odd))
    brute = all(
        max(Fraction(j * (n - j), n * (n - 1)) for j in range(n + 1))
        == (Fraction(n, 4 * (n - correction)) if n % 2 == 0 else Fraction(n + 1, 4 * n))
        for n in range(2, 30)
    )
    second = _convex_spread()
    return conclude(
        "proved",
        {"even n": at_even, "odd n": at_odd, "every number of ones, n < 30": brute, "convex in each x_i": second},
    )


def _convex_spread() -> bool:
    """Σ(x−μ)² = Σx² − (Σx)²/n has second derivative 2(1 − 1/n) ≥ 0 in each coordinate."""
    import sympy as sp

    x, rest, square, n = symbols("x r q n", positive=True)
    spread = x**2 + square - (x + rest) ** 2 / n
    return vanishes(sp.diff(spread, x, 2) - 2 * (1 - 1 / n))


def vector_second_moment(power: int = 2) -> Evidence:
    """E max_j A_j² ≤ (1−1/k)²·n/(n−1)·‖w−u‖₂²: ΣA_j = 0 gives one factor, Σp_j(1−p_j) ≤ 1 − 1/k the other."""
    first, rest, square, k = reals("A1 B s k")
    one_bin = proves(k * first * first <= (k - 1) * (first * first + rest), k >= 2, first * first <= (k - 1) * rest)
    spread = proves(k * (1 - square) <= k - 1, k >= 2, k * square >= 1)
    return conclude(
        "proved",
        {
            "A_1 = −ΣA_j over the others, so k·A_1² ≤ (k−1)·ΣA_j² (bias-norms with n = k − 1)": one_bin,
            "ΣE A_j² = ‖w−u‖²·n/(n−1)·Σp_j(1−p_j) (bias-permuted), and Σp_j(1−p_j) ≤ 1 − 1/k": spread,
            "all orders of n = 3, 4 and k = 2, 3 in rationals": _vector_brute(power),
        },
    )


def _vector_brute(power: int) -> bool:
    vectors = (
        (Fraction(1, 2), Fraction(1, 3), Fraction(-5, 6)),
        (Fraction(2), Fraction(-1), Fraction(-1, 2), Fraction(-1, 2)),
    )
    good = True
    for c, k in product(vectors, (2, 3)):
        n = len(c)
        limit = (1 - Fraction(1, k)) ** power * Fraction(n, n - 1) * sum(v * v for v in c)
        good &= all(_largest_bin(c, x, k) <= limit for x in product(range(k), repeat=n))
    return good


def _largest_bin(c: tuple[Fraction, ...], x: tuple[int, ...], k: int) -> Fraction:
    """E max_j A_j² over all orders, A_j the sum of the coefficients in bin j."""
    orders = list(permutations(x))
    total = Fraction(0)
    for y in orders:
        total += max(sum((a for a, b in zip(c, y, strict=True) if b == j), Fraction(0)) ** 2 for j in range(k))
    return total / len(orders)


ENTRIES = (
    Entry(
        "bias-worst",
        "The worst bias",
        ("eqr-1",),
        "The largest |sum (w_i - 1/n) x_i| over x in [0,1]^n is ½·|w - 1/n|_1, attained at x_i = 1{w_i > 1/n}; it "
        "bounds every coordinate of the frequency bias.",
        "smt",
        worst_bias,
        constant="1/2",
    ),
    Entry(
        "bias-square",
        "The bias in mean square",
        ("eqr:2",),
        "|Q(w - 1/n)|_inf^2 <= ¼·|w - 1/n|_1^2 for every dataset.",
        "smt",
        bias_moment,
        constant="1/4",
    ),
    Entry(
        "bias-vertices",
        "Vertices of the bias polytope",
        OURS,
        "The bias vectors of sum zero and L1 norm 2a are the convex hull of a(e_i - e_j), every k.",
        "smt",
        vertices,
    ),
    Entry("bias-norms", "L1 against L2", ("sec:disc",), "|x|_1^2 <= n·|x|_2^2.", "smt", one_norm_by_two, constant="n"),
    Entry(
        "bias-permuted",
        "Exact weak mean square of the mean",
        OURS,
        "For a random order, E(sum (w_i - 1/n) x_s(i))^2 = |w - 1/n|_2^2·S^2 with S^2 = sum (x - mu)^2/(n-1).",
        "sympy",
        permuted_variance,
        constant="1/(n−1)",
    ),
    Entry(
        "bias-spread",
        "The largest spread",
        OURS,
        "S^2 is at most n/(4(n-1)) for even n and (n+1)/(4n) for odd n, attained.",
        "sympy",
        largest_spread,
        constant="n/(4(n−1))",
    ),
    Entry(
        "bias-vector",
        "The largest bin's mean square",
        OURS,
        "E max_j A_j^2 <= (1-1/k)^2·n/(n-1)·|w - 1/n|_2^2 in the weakly correlated setting.",
        "smt",
        vector_second_moment,
        constant="(1−1/k)²·n/(n−1)",
    ),
)
