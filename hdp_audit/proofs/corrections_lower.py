"""Lower bounds that are false as printed, each with a counterexample and the form that holds."""

from __future__ import annotations

from fractions import Fraction

from hdp_audit.proofs import lower
from hdp_audit.proofs.algebra import interval, iv, surely_less
from hdp_audit.proofs.entry import Evidence, conclude, correction
from hdp_audit.proofs.smt import absolute, possible, proves, reals

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


def mean_vacuous(times: int = 1) -> Evidence:
    """E e^{ΣZ} ≥ 1 ≥ 1 − β always; the condition with content is E e^{ΣZ} ≥ (1−β)/β."""
    mean, beta = reals("A b")
    return conclude(
        "proved",
        {
            "the printed condition excludes nothing": proves(mean >= times * (1 - beta), mean >= 1, beta > 0),
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


ENTRIES = (
    correction(
        "false-mean-condition",
        "Decaying weak condition for means",
        ("eq:lb1-m",),
        "E exp(-sum of m demands) <= beta/(1-beta), tight at n = 1.",
        "smt",
        mean_condition,
        "Printed as <= beta; a flip of the side of 1/2 with probability 0.3 has 3/7 > 0.3.",
        "β/(1−β)",
    ),
    correction(
        "false-mean-vacuous",
        "Growing weak condition for means",
        ("eq:lb2-m",),
        "E exp(sum of m demands) >= (1-beta)/beta.",
        "smt",
        mean_vacuous,
        "Printed as >= 1-beta, which holds for every mechanism.",
        "(1−β)/β",
    ),
    correction(
        "false-k",
        "Number of categories in the lower bound",
        ("eq:rf-c-lb",),
        "The sum of the m smallest demands is at least log((k-1)(1-beta)/beta).",
        "enumeration",
        categories_minus_one,
        "Printed with k in place of k-1, which fails for every constant at k = 2, beta = 1/2, eps = 0; the proof has "
        "k-1.",
        "k − 1",
    ),
)
