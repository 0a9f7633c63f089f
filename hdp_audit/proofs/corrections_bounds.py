"""Statements of the paper that are false as printed, each with a counterexample and the form that holds."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from hdp_audit.proofs import local, lower, optimality, upper
from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import Check, Entry, Evidence, Method, conclude
from hdp_audit.proofs.smt import absolute, possible, proves, reals
from hdp_audit.proofs.vertex import pair_mean_square

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def mean_condition(claimed: Fraction = Fraction(3, 10)) -> Evidence:
    """n = 1, β = 0.3, ε = log(7/3): ¼ or ¾ by the side of ½, flipped with probability β, has E e^{−Z} = 3/7."""
    beta = Fraction(3, 10)
    keep = 1 - beta
    x = reals("x")[0]
    low = proves(4 * absolute(x - 0.25) <= 1, x >= 0, 2 * x < 1)
    high = proves(4 * absolute(x - 0.75) <= 1, x <= 1, 2 * x >= 1)
    decay = beta / keep  # e^{−ε}
    return conclude(
        "proved",
        {
            "the right side is within ¼ of every x in [0, 1], so the error is ¼ with probability 1 − β": low and high,
            "the loss is log(7/3)": keep / beta == Fraction(7, 3),
            "m = ⌊2·¼⌋ + 1 = 1 and E e^{−Z} = 3/7 exceeds the printed bound": decay == Fraction(3, 7)
            and decay > claimed,
            "the right bound β/(1−β) is met with equality": decay == beta / (1 - beta),
            "and holds (lower-weak-minus with K = 1)": lower.weak_minus().holds,
        },
    )


def mean_vacuous() -> Evidence:
    """E e^{ΣZ} ≥ 1 ≥ 1 − β always; the condition with content is E e^{ΣZ} ≥ (1−β)/β."""
    mean, beta = reals("A b")
    return conclude(
        "proved",
        {
            "the printed condition excludes nothing": proves(mean >= 1 - beta, mean >= 1, beta > 0),
            "the right one does": possible(mean >= 1, mean * beta < 1 - beta, beta > 0, beta < 1),
            "and holds (lower-weak-plus with K = 1)": lower.weak_plus().holds,
        },
    )


def categories_minus_one(categories: int = 2) -> Evidence:
    """k = 2, n = 1, β = ½, ε = 0: a fair coin between (¼, ¾) and (¾, ¼) has rate ≤ ¼."""
    wrong = max(
        sum((HALF for y in (QUARTER, 1 - QUARTER) if abs(y - x) > QUARTER), Fraction(0))
        for x in (Fraction(0), Fraction(1))
    )
    context = iv()
    demanded = context.log(interval(categories) * (1 - interval("0.5")) / interval("0.5"))
    correct = context.log(interval(categories - 1) * (1 - interval("0.5")) / interval("0.5"))
    return conclude(
        "proved",
        {
            "error ¼ with probability ≥ ½ without any data": wrong <= HALF,
            "log(k(1−β)/β) = log 2 > 0, while the demands sum to 0": surely_less(interval(0), demanded),
            "log((k−1)(1−β)/β) = 0 is consistent": bool(correct.a <= 0 <= correct.b),
            "and k − 1 holds in general (lower-correlated)": lower.correlated().holds,
        },
    )


def mean_square_split() -> Evidence:
    """k = 2, a = 0.3, b = 0.05: E‖A+N‖∞² in (0.1174, 0.1176), above a² + E‖N‖∞² = 0.09875."""
    import sympy as sp

    formula = pair_mean_square()
    size = next(iter(formula.free_symbols))
    value = sp.lambdify(size, formula, modules=[{"exp": iv().exp}])(interval(6)) * interval("0.0025")
    split = interval("0.09") + interval("0.0025") * interval("3.5")
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


def local_sub_gaussian() -> Evidence:
    """Equal weights: P(|Σw_iN_i| ≥ σ/2) ≥ 3/32 for every n (Paley-Zygmund), while exp(−cα²/‖w/ε‖∞²) = e^{−2cn} → 0."""
    import sympy as sp

    n, t, z, c = symbols("n t z c", positive=True)
    second = sp.integrate(z**2 * sp.exp(-z / t) / t, (z, 0, sp.oo))
    fourth = sp.integrate(z**4 * sp.exp(-z / t) / t, (z, 0, sp.oo))
    ratio = (n * fourth + 3 * n * (n - 1) * second**2) / (n * second) ** 2
    kurtosis = vanishes(ratio - (3 + 3 / n))
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


def weak_rate_below_half() -> Evidence:
    """Without R < ½ the lower bound log(k/β)/‖ε‖₁ ≲ R fails: R ≤ ½, but the left side grows without limit as ε → 0."""
    level, constant, demand = reals("L C e")
    every = proves(level / demand > constant / 2, level > 0, constant > 0, demand > 0, demand * constant < 2 * level)
    ratio, beta = reals("E b")
    in_regime = proves(ratio * beta < 1 - beta, beta > 0, 3 * beta <= 1, ratio >= 1, ratio < 2)
    return conclude(
        "proved",
        {
            "for every constant C a demand ε < 2L/C breaks the bound": every,
            "n = 1, β ≤ 1/3, e^ε < 2: e^ε < (1−β)/β, so R = ½ = 1/(2n) lies in the printed regime": in_regime,
            "with R < ½ it holds (opt-weak-lower)": optimality.weak_lower().holds,
        },
    )


def two_users() -> Evidence:
    """n = 2, R = ¼ lies in 1/(2n) ≤ R ≤ ¼, but m = ⌊2nR⌋ + 1 = 2 = n: no user is left to carry weight 1/(n−m)."""
    n, rate = 2, QUARTER
    count = (2 * n * rate).__floor__() + 1
    rest = all(n_ - ((2 * n_ * QUARTER).__floor__() + 1) >= Fraction(n_, 4) for n_ in range(3, 200))
    return conclude(
        "proved",
        {
            "m = n at n = 2": count == n and Fraction(1, 2 * n) <= rate,
            "from n = 3 on, n − m ≥ n/4 (opt-counts)": rest and optimality.counts().holds,
            "at n = 2 R_C ≤ 1 = 4R saves the theorem": 4 * rate == 1,
        },
    )


def beta_near_half(limit: str = "1000") -> Evidence:
    """1−β ≥ ½ does not give log(K(1−β)/β) ≳ log(k/β): at K = 1, β → ½ the left side tends to 0."""
    context = iv()
    beta = interval("0.4999")
    left, right = context.log((1 - beta) / beta), context.log(2 / beta)
    mean = context.log(1 / beta)
    return conclude(
        "proved",
        {
            "k = 2, β = 0.4999: ratio above 1000": surely_less(interval(limit) * left, right),
            "mean, β = 0.4999: ratio above 1000": surely_less(interval(limit) * left, mean),
            "for β ≤ ¼ it holds (opt-logs)": optimality.log_ratio().holds,
        },
    )


def _false(
    name: str, title: str, source: str, statement: str, method: Method, check: Check, wrong: str, constant: str = ""
) -> Entry:
    return Entry(name, title, source, statement, method, check, constant, wrong)


ENTRIES = (
    _false(
        "false-mean-condition",
        "Decaying weak condition for means",
        "eq:lb1-m",
        "E exp(-sum of m demands) <= beta/(1-beta), tight at n = 1.",
        "smt",
        mean_condition,
        "Printed as <= beta; a flip of the side of 1/2 with probability 0.3 has 3/7 > 0.3.",
        "β/(1−β)",
    ),
    _false(
        "false-mean-vacuous",
        "Growing weak condition for means",
        "eq:lb2-m",
        "E exp(sum of m demands) >= (1-beta)/beta.",
        "smt",
        mean_vacuous,
        "Printed as >= 1-beta, which holds for every mechanism.",
        "(1−β)/β",
    ),
    _false(
        "false-k",
        "Number of categories in the lower bound",
        "eq:rf-c-lb",
        "The sum of the m smallest demands is at least log((k-1)(1-beta)/beta).",
        "enumeration",
        categories_minus_one,
        "Printed with k in place of k-1, which fails for every constant at k = 2, beta = 1/2, eps = 0; the proof has "
        "k-1.",
        "k − 1",
    ),
    _false(
        "false-mse-split",
        "Mean square of bias plus noise",
        "thm:mse-ub",
        "E|A+N|^2 <= (sqrt(E|A|^2) + sqrt(E|N|^2))^2.",
        "interval",
        mean_square_split,
        "Printed without the cross term; k = 2, a = 0.3, b = 0.05 gives 0.1175 > 0.0988.",
        "Minkowski",
    ),
    _false(
        "false-note",
        "The coefficient that shrinks with k",
        "eq:note",
        "The coefficient of |w|_2^2 cannot fall as 1 + log(1/beta)/log k: two-category data embed in every k.",
        "enumeration",
        shrinking_coefficient,
        "The 'Interesting Note' claims it; at k >= 1/beta it would need a constant of at least n/16.",
        "n/16",
    ),
    _false(
        "false-local-tail",
        "Sub-Gaussian range of the local mean",
        "adx:ldp",
        "The exponent is -alpha^2/(c·|w/eps|_2^2).",
        "sympy",
        local_sub_gaussian,
        "Printed with max(w/eps)^2; equal weights then contradict P(|X| >= sigma/2) >= 3/32.",
        "‖w/ε‖₂²",
    ),
    _false(
        "false-weak-regime",
        "Regime of the weak PAC theorem",
        "thm:uncorr-minimax-pac",
        "The lower bound log(k/beta)/|eps|_1 <= C·R needs R < 1/2.",
        "smt",
        weak_rate_below_half,
        "Printed for every R >= 1/(2n); as eps -> 0 the left side grows without limit while R <= 1/2.",
        "R < 1/2",
    ),
    _false(
        "false-two-users",
        "The correlated theorem at n = 2",
        "thm:corr-minimax",
        "The proof's weights need n >= 3; at n = 2 use R_C <= 1 = 4R.",
        "enumeration",
        two_users,
        "The proof takes n - t of order n for every n; at n = 2, R = 1/4 it is 0.",
        "n ≥ 3",
    ),
    _false(
        "false-beta-half",
        "Error probabilities near one half",
        "thm:corr-minimax",
        "log(K(1-beta)/beta) is of the order log(k/beta) for beta <= 1/4, not for beta <= 1/2.",
        "interval",
        beta_near_half,
        "The proof allows 1 - beta >= 1/2; at K = 1 the left side tends to 0 as beta -> 1/2.",
        "β ≤ 1/4",
    ),
)
