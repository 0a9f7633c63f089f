"""Theorems that are false in a part of their printed range, each with a counterexample and the range that holds."""

from __future__ import annotations

from fractions import Fraction

from hdp_audit.proofs import optimality
from hdp_audit.proofs.algebra import interval, iv, surely_less
from hdp_audit.proofs.entry import Evidence, conclude, correction
from hdp_audit.proofs.smt import proves, reals

QUARTER = Fraction(1, 4)


def weak_rate_below_half(times: int = 1) -> Evidence:
    """Without R < ½ the lower bound log(k/β)/‖ε‖₁ ≲ R fails: R ≤ ½, but the left side grows without limit as ε → 0."""
    level, constant, demand = reals("L C e")
    every = proves(
        level / demand > times * constant / 2, level > 0, constant > 0, demand > 0, demand * constant < 2 * level
    )
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


def two_users(users: int = 2) -> Evidence:
    """n = 2, R = ¼ lies in 1/(2n) ≤ R ≤ ¼, but m = ⌊2nR⌋ + 1 = 2 = n: no user is left to carry weight 1/(n−m)."""
    n, rate = users, QUARTER
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


ENTRIES = (
    correction(
        "false-weak-regime",
        "Regime of the weak PAC theorem",
        ("thm:uncorr-minimax-pac",),
        "The lower bound log(k/beta)/|eps|_1 <= C·R needs R < 1/2.",
        "smt",
        weak_rate_below_half,
        "Printed for every R >= 1/(2n); as eps -> 0 the left side grows without limit while R <= 1/2.",
        "R < 1/2",
    ),
    correction(
        "false-two-users",
        "The correlated theorem at n = 2",
        ("thm:corr-minimax",),
        "The proof's weights need n >= 3; at n = 2 use R_C <= 1 = 4R.",
        "enumeration",
        two_users,
        "The proof takes n - t of order n for every n; at n = 2, R = 1/4 it is 0.",
        "n ≥ 3",
    ),
    correction(
        "false-beta-half",
        "Error probabilities near one half",
        ("thm:corr-minimax",),
        "log(K(1-beta)/beta) is of the order log(k/beta) for beta <= 1/4, not for beta <= 1/2.",
        "interval",
        beta_near_half,
        "The proof allows 1 - beta >= 1/2; at K = 1 the left side tends to 0 as beta -> 1/2.",
        "β ≤ 1/4",
    ),
)
