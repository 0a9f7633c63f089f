"""Errors of tables in ℓ1 and ℓ2, from above: how long hull noise is, the worst bias, permuted data (ours)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial, prod

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, real_list, reals


def lengths(radius: int = 1) -> Evidence:
    """E‖v‖₁ = k − 1 and E‖v‖₂² from the signs, once more from the law of one entry: ½e^{−|x|} times that of the rest.

    The sum of m Laplace(1) numbers has density e^{−|x|}·Σc_i|x|^i, c_i = (2m−2−i)!/((m−1)!·i!·(m−1−i)!·2^{2m−1−i}).
    """
    steps = {}
    for k in range(2, 13):
        mass, first, second = (_entry_moment(k, order) for order in (0, 1, 2))
        steps[f"k={k}: E‖v‖₁ = k − 1"] = k * first / mass == k - 2 + radius
        steps[f"k={k}: E‖v‖₂²"] = k * second / mass == _square(k)
    return conclude("proved for stated sizes", steps)


def _entry_moment(k: int, order: int) -> Fraction:
    """∫x^order·½e^{−x}·h_{k−1}(x)dx over x > 0."""
    m, total = k - 1, Fraction(0)
    for i in range(m):
        ways = factorial(m - 1) * factorial(i) * factorial(m - 1 - i) * 2 ** (2 * m - 1 - i)
        total += Fraction(factorial(2 * m - 2 - i), ways) * Fraction(factorial(i + order), 2 ** (i + order + 2))
    return total


def _square(k: int) -> Fraction:
    """E‖v‖₂²: j positive entries with weight C(k,j)C(k−2,j−1), each sign shares r/2, E r² = k(k−1)."""
    total, mean = comb(2 * k - 2, k - 1), Fraction(0)
    for j in range(1, k):
        mean += Fraction(comb(k, j) * comb(k - 2, j - 1), total) * (Fraction(2, j + 1) + Fraction(2, k - j + 1))
    return k * (k - 1) * mean / 4


def even_moments(ways: int = 1) -> Evidence:
    """E(Σe²)^p = p!·[x^p](Σ(2i)!/i!·x^i)^m·(m−1)!/(m+2p−1)!, by the sum over how p falls to m numbers; then Markov."""
    steps = {}
    for m, p in product((1, 2, 3), (1, 2, 3)):
        direct = sum(
            Fraction(factorial(p), prod(factorial(i) for i in each)) * prod(factorial(2 * i) for i in each)
            for each in product(range(p + 1), repeat=m)
            if sum(each) == p
        )
        series = [Fraction(factorial(2 * i), factorial(i) ** ways) for i in range(p + 1)]
        steps[f"m={m}, p={p}"] = factorial(p) * _power(series, m)[p] == direct
    import sympy as sp

    a = symbols("a", positive=True)
    shares = sp.integrate((a**2 + (1 - a) ** 2) ** 2, (a, 0, 1))
    found = 2 * _power([Fraction(1), Fraction(2), Fraction(12)], 2)[2] / factorial(5)
    steps["two shares, p=2, by integration"] = vanishes(shares - sp.Rational(found.numerator, found.denominator))
    return conclude("proved for stated sizes", steps)


def _power(series: list[Fraction], m: int) -> list[Fraction]:
    found = [Fraction(1)] + [Fraction(0)] * (len(series) - 1)
    for _ in range(m):
        found = [sum((found[i] * series[at - i] for i in range(at + 1)), Fraction(0)) for at in range(len(series))]
    return found


def between(half: int = 2) -> Evidence:
    """‖e‖∞ ≤ ‖e‖₂ ≤ ‖e‖₁ ≤ k‖e‖∞, ‖e‖₂² ≤ ‖e‖₁‖e‖∞; and if Σe = 0: ‖e‖₂² ≤ ½‖e‖₁², ‖e‖₁ = 2·max_S Σ_{j∈S}e_j."""
    import z3

    steps = {}
    for k in (2, 3, 4):
        e, most = real_list("e", k), z3.Real("m")
        sizes = [absolute(one) for one in e]
        largest = [most >= size for size in sizes] + [z3.Or([most == size for size in sizes])]
        square, first = z3.Sum([one * one for one in e]), z3.Sum(sizes)
        steps[f"k={k}: ‖e‖∞² ≤ ‖e‖₂² ≤ ‖e‖₁‖e‖∞"] = proves(
            z3.And(most * most <= square, square <= first * most, first <= k * most), *largest
        )
    for k in (2, 3):
        e = real_list("e", k)
        square, first = z3.Sum([one * one for one in e]), z3.Sum([absolute(one) for one in e])
        steps[f"k={k}: Σe = 0 halves ‖e‖₁²"] = proves(half * square <= first * first, z3.Sum(e) == 0)
        sums = [z3.Sum([z3.RealVal(0), *[e[j] for j in part]]) for part in _sets(k)]
        steps[f"k={k}: some set has half of ‖e‖₁"] = proves(z3.Or([2 * one == first for one in sums]), z3.Sum(e) == 0)
    return conclude("proved for stated sizes", steps)


def _sets(k: int) -> list[tuple[int, ...]]:
    return [part for size in range(k + 1) for part in combinations(range(k), size)]


def centre(entries: int = 1) -> Evidence:
    """−(1−c)D once and cD in the k−1 others: ℓ1 D(1 + (k−2)c), least at c = 0; ℓ2² D²(kc² − 2c + 1), least at 1/k."""
    import sympy as sp

    k, c, d = symbols("k c D", positive=True)
    first = (1 - c) * d + (k - entries) * c * d
    second = ((1 - c) * d) ** 2 + (k - entries) * (c * d) ** 2
    a, v = symbols("a v", real=True)
    return conclude(
        "proved",
        {
            "the sum": vanishes(first - d * (1 + (k - 2) * c)),
            "the squares": vanishes(second - d**2 * (k * c**2 - 2 * c + 1)),
            "their slope vanishes at 1/k": vanishes(sp.diff(second, c).subs(c, 1 / k)),
            "where they are D²(1 − 1/k)": vanishes(second.subs(c, 1 / k) - d**2 * (1 - 1 / k)),
            "v and −v: no cross term in squares": vanishes((a + v) ** 2 + (a - v) ** 2 - 2 * a**2 - 2 * v**2),
        },
    )


def permuted(variance: int = 1) -> Evidence:
    """E‖D(c·1 − μ) + B‖₂² = D²(kc² − 2c + s) + ‖w − w̄‖²·n/(n−1)·(1 − s), s = Σμ², over all orders of the data."""
    steps = {}
    weights = (Fraction(1, 2), Fraction(1, 8), Fraction(1, 16), Fraction(1, 16))
    for data, k, c in (
        ((0, 0, 1, 2), 3, Fraction(1, 3)),
        ((0, 1, 1, 1), 2, Fraction(0)),
        ((0, 1, 2, 2), 4, Fraction(1, 4)),
    ):
        n, missing = len(data), 1 - sum(weights)
        shares = [Fraction(data.count(j), n) for j in range(k)]
        orders = list(permutations(data))
        errors = [_error(order, weights, shares, c * missing) for order in orders]
        s = sum((one**2 for one in shares), Fraction(0))
        spread = sum((w - sum(weights) / n) ** 2 for w in weights)
        told = missing**2 * (k * c**2 - 2 * c + s) + variance * spread * n / (n - 1) * (1 - s)
        steps[f"data {data}, k={k}, c={c}"] = sum(errors, Fraction(0)) / len(orders) == told
    return conclude("proved for stated sizes", steps)


def _error(order: tuple[int, ...], weights: tuple[Fraction, ...], shares: list[Fraction], moved: Fraction) -> Fraction:
    answers = [moved] * len(shares)
    for weight, category in zip(weights, order, strict=True):
        answers[category] += weight
    return sum(((answer - share) ** 2 for answer, share in zip(answers, shares, strict=True)), Fraction(0))


def linear(ends: int = 1) -> Evidence:
    """What is linear in s ∈ [1/k, 1] is at most the larger of its ends."""
    import z3

    s, low, slope, start = reals("s l b a")
    between_ends = start + slope * s
    claim = z3.Or(between_ends <= start + slope * low, between_ends <= start + slope * ends)
    return conclude("proved", {"the ends": proves(claim, low > 0, low <= s, s <= 1)})


ENTRIES = (
    Entry(
        "norm-noise",
        "How long hull noise is",
        OURS,
        "At scale 1: |v|_1 ~ Gamma(k-1), and E |v|_2^2 = k(k-1)/4 times the mean of 2/(j+1) + 2/(k-j+1) over the "
        "number j of positive entries.",
        "enumeration",
        lengths,
    ),
    Entry(
        "norm-moments",
        "All even moments of its length",
        OURS,
        "Shares e of m exponential numbers: E(sum e^2)^p = p!·[x^p](sum (2i)!/i!·x^i)^m·(m-1)!/(m+2p-1)!.",
        "enumeration",
        even_moments,
    ),
    Entry(
        "norm-between",
        "Between the norms",
        OURS,
        "|e|_2 <= |e|_1 <= k·|e|_inf, |e|_2^2 <= |e|_1·|e|_inf; if sum e = 0 then |e|_2^2 <= |e|_1^2/2, and some set "
        "of categories has half of |e|_1.",
        "smt",
        between,
    ),
    Entry(
        "norm-centre",
        "The best centre in ℓ1 and ℓ2",
        OURS,
        "Weights min(1, eps/level)/n around c: the worst bias is D in l1 at c = 0, D·sqrt(1-1/k) in l2 at c = 1/k.",
        "sympy",
        centre,
    ),
    Entry(
        "norm-permuted",
        "Permuted data in ℓ2",
        OURS,
        "E |bias|_2^2 = D^2·(k·c^2 - 2c + s) + |w - mean w|_2^2·n/(n-1)·(1-s), s the sum of squared frequencies.",
        "enumeration",
        permuted,
    ),
    Entry(
        "norm-ends",
        "The worst frequencies of permuted data",
        OURS,
        "A bound that is linear in s in [1/k, 1] is at most the larger of its two ends.",
        "smt",
        linear,
    ),
)
