"""PAC optimality with constants: thm:corr-minimax and thm:uncorr-minimax-pac, step by step.

Conditions used throughout: beta ≤ ¼. K = k − 1 for frequencies, 1 for the mean; m = ⌊2nR⌋ + 1.
"""

from __future__ import annotations

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals, smaller


def counts(share: int = 4, smallest: int = 3) -> Evidence:
    """1/(2n) ≤ R ≤ ¼ and n ≥ 3 give m ≤ 4nR and n − m ≥ n/4."""
    import z3

    x = z3.Real("x")  # x = 2nR
    n, m = z3.Ints("n m")
    given = [n >= smallest, x >= 1, 2 * x <= n, m > x, m - 1 <= x]
    return conclude(
        "proved",
        {"m ≤ 2·(2nR)": proves(m <= 2 * x, *given), "n − m ≥ n/4": proves(share * (n - m) >= n, *given)},
    )


def log_ratio(frequency: str = "1.893", mean: str = "1.262") -> Evidence:
    """log(k/β) ≤ c·log((k−1)(1−β)/β) for k ≥ 2, β ≤ ¼, c = log 8/log 3; mean c = log 4/log 3."""
    import sympy as sp

    c, beta, k = symbols("c beta k", positive=True)
    gap = c * (sp.log(k - 1) + sp.log(1 - beta) - sp.log(beta)) - sp.log(k) + sp.log(beta)
    falls = vanishes(sp.diff(gap, beta) - (1 - beta - c) / (beta * (1 - beta)))
    rises = vanishes(sp.diff(gap, k) - (c / (k - 1) - 1 / k))
    context = iv()
    return conclude(
        "proved",
        {
            "the gap falls with β (derivative (1−β−c)/(β(1−β)) < 0 as c ≥ 1)": falls,
            "and rises with k (c/(k−1) > 1/k)": rises,
            "so the corner k = 2, β = ¼ decides: log 8/log 3 < 1.893": surely_less(
                context.log(8) / context.log(3), interval(frequency)
            ),
            "mean: log 4/log 3 < 1.262": surely_less(context.log(4) / context.log(3), interval(mean)),
        },
    )


def correlated(frequency: str = "31.4", mean: str = "21.8") -> Evidence:
    """thm:corr-minimax: R_C ≤ 31.4·R for frequencies, 21.8·R for the mean (drop the m smallest demands)."""
    n, m = symbols("n m", positive=True)
    norm = vanishes(m / n + (n - m) * (1 / (n - m) - 1 / n) - 2 * m / n)
    total, size, largest, following = reals("S m e f")
    following_step = proves(
        following * size >= total, size >= 1, total <= size * largest, following >= largest, largest >= 0
    )
    users, count, level, loglow = reals("n m f L")
    noise = proves(
        users * loglow <= 4 * count * (users - count) * level,
        users >= 3,
        count >= 1,
        4 * (users - count) >= users,
        level * count >= loglow,
        loglow > 0,
        level > 0,
    )
    context = iv()
    constants = {
        name: surely_less(4 * context.sqrt(4 + 16 * interval(c) ** 2), interval(limit))
        for name, c, limit in (("frequency", "1.893", frequency), ("mean", "1.262", mean))
    }
    return conclude(
        "proved",
        {
            "weights 0 on m users, 1/(n−m) on the rest: ‖w−u‖₁ = 2m/n": norm,
            "ε_{m+1} ≥ S_m/m ≥ log(K(1−β)/β)/m": following_step,
            "‖w/ε‖∞ = 1/((n−m)ε_{m+1}) ≤ 4m/(n·log(K(1−β)/β))": noise,
            **{f"{name}: 4·√(4 + 16c²) below the stated constant": good for name, good in constants.items()},
        },
    )


def weak_upper(frequency: str = "6.62", mean: str = "3.72") -> Evidence:
    """thm:uncorr-minimax-pac, upper: HPF-A gives 6.62·(L + √(n²Var ∧ nL))/‖ε‖₁, HPM-A 3.72, for ‖ε‖∞ ≤ 1."""
    import sympy as sp

    x = symbols("x", positive=True)
    soft = 1 - sp.exp(-x)
    concave = vanishes(sp.diff(soft, x, 2) + sp.exp(-x)) and vanishes(soft.subs(x, 1) - (1 - sp.exp(-1)))
    below = vanishes(sp.diff(x - soft, x) - soft)  # x − (1 − e^{−x}) rises from 0
    n, p, s = symbols("n P s", positive=True)  # P = Σv², s = Σv
    variance = p / n - (s / n) ** 2
    spread = vanishes(n * (p - s**2 / n) - n**2 * variance) and vanishes(p - (n * variance + s**2 / n))
    a, b, square = reals("a b q")
    root = proves(square <= a + b, a >= 0, b >= 0, square >= 0, square * square <= a * a + b * b)
    context = iv()
    factor = 1 / (1 - context.exp(-1))
    return conclude(
        "proved",
        {
            "1 − e^{−x} is concave, so ≥ (1 − 1/e)x on [0, 1]": concave,
            "1 − e^{−x} ≤ x, so the noise level is at most 1/‖v‖₁": below,
            "n‖w−u‖₂² = n²Var/‖v‖₁² and ‖v‖² = nVar + ‖v‖₁²/n": spread,
            "‖v‖² ≤ n and √(x² + y²) ≤ x + y": root,
            "√(35/2)·e/(e−1) < 6.62": surely_less(context.sqrt(interval("17.5")) * factor, interval(frequency)),
            "√(11/2)·e/(e−1) < 3.72": surely_less(context.sqrt(interval("5.5")) * factor, interval(mean)),
        },
    )


def weak_lower(constant: str = "13.02") -> Evidence:
    """thm:uncorr-minimax-pac, lower: R ≥ log(k/β)/(13.02·‖ε‖₁) for 1/(2n) ≤ R < ½, ‖ε‖∞ ≤ 1, β ≤ ¼."""
    import sympy as sp

    x = symbols("x", real=True)
    chord = 1 + (sp.E - 1) * x - sp.exp(x)
    convex = vanishes(sp.diff(chord, x, 2) + sp.exp(x)) and vanishes(chord.subs(x, 0)) and vanishes(chord.subs(x, 1))
    y = symbols("y", positive=True)
    logarithm = vanishes(sp.diff(y - sp.log(1 + y), y) - y / (1 + y))
    rate, users, count, norm, low, slope = reals("R n m e L s")
    final = proves(
        4 * rate * slope * norm >= low,
        users >= 1,
        count <= 4 * users * rate,
        count * slope * norm >= low * users,
        norm > 0,
        slope > 0,
        rate > 0,
    )
    context = iv()
    total = surely_less(4 * (context.exp(1) - 1) * interval("1.893"), interval(constant))
    return conclude(
        "proved",
        {
            "eq:cvx: e^x ≤ 1 + (e−1)x on [0, 1] (concave gap, zero at both ends)": convex,
            "log(1+y) ≤ y": logarithm,
            "K(1−β)/β ≤ E e^S ≤ (1 + (e−1)‖ε‖₁/n)^m (pack-maclaurin), and m ≤ 4nR": final,
            "4(e−1)·1.893 < 13.02": total,
        },
    )


def jensen_step(times: int = 1) -> Evidence:
    """eq:pop1: e^{−ES} ≤ E e^{−S} ≤ kβ/(k−1), ES = m‖ε‖₁/n, so (m/n)‖ε‖₁ ≥ log((k−1)/(kβ))."""
    import sympy as sp

    x = symbols("x", real=True)
    convex = vanishes(sp.diff(sp.exp(-x), x, 2) - sp.exp(-x))
    m, n, total = symbols("m n e", positive=True)
    mean = vanishes(times * m * (total / n) - m / n * total)
    return conclude("proved", {"e^{−x} is convex (Jensen)": convex, "each draw has mean ‖ε‖₁/n": mean})


def equal_order(share: int = 1) -> Evidence:
    """Var(e^{−ε}) ≤ c·L²/n² makes both bounds of one order: the upper is at most 86.2(1 + √c) times the lower."""
    import z3

    level, spread, other, root, total = reals("L v o r E")
    upper, rate = reals("U R")
    # v = √(n²Var), o = √(nL): the bias term is the smaller; r = √c.
    given = [level > 0, spread >= 0, other >= 0, root >= 0, total > 0, spread * spread <= root * root * level * level]
    term = proves(level + smaller(spread, other) <= (share + root) * level, *given)
    worst = z3.RealVal("6.62") * (1 + root) * level
    chained = proves(
        upper <= z3.RealVal("86.2") * (share + root) * rate,
        level > 0, root >= 0, total > 0, upper * total <= worst, z3.RealVal("13.02") * rate * total >= level,
    )  # fmt: skip
    return conclude(
        "proved",
        {
            "L + min(√(n²Var), √(nL)) ≤ (1 + √c)L": term,
            "6.62 (opt-weak-upper) times 13.02 (opt-weak-lower) is below 86.2": chained,
        },
    )


ENTRIES = (
    Entry(
        "opt-counts",
        "How many users are dropped",
        ("thm:corr-minimax",),
        "1/(2n) <= R <= 1/4 and n >= 3 give m <= 4nR and n - m >= n/4.",
        "smt",
        counts,
        constant="4",
    ),
    Entry(
        "opt-logs",
        "Two logarithms of one order",
        ("thm:corr-minimax",),
        "For beta <= 1/4: log(k/beta) <= 1.893·log((k-1)(1-beta)/beta), and log(1/beta) <= 1.262·log((1-beta)/beta).",
        "interval",
        log_ratio,
        constant="1.893, 1.262",
    ),
    Entry(
        "opt-correlated",
        "PAC optimality, correlated",
        ("thm:corr-minimax",),
        "For 1/(2n) <= R <= 1/4, n >= 3, beta <= 1/4: R_C <= 31.4·R_c^f and R_C <= 21.8·R_c^m (n = 2: R_C <= 1 = 4R).",
        "smt",
        correlated,
        constant="31.4, 21.8",
    ),
    Entry(
        "opt-weak-upper",
        "PAC order, weak, from above",
        ("thm:uncorr-minimax-pac", "eq:panch"),
        "For all demands <= 1 and k/beta >= 2: HPF-A errs by at most 6.62·(L + sqrt(n^2·Var min n·L))/|eps|_1, HPM-A "
        "with 3.72.",
        "sympy",
        weak_upper,
        constant="6.62, 3.72",
    ),
    Entry(
        "opt-weak-lower",
        "PAC order, weak, from below",
        ("thm:uncorr-minimax-pac", "eq:cvx", "eq:pop2"),
        "For all demands <= 1, 1/(2n) <= R < 1/2, beta <= 1/4: R >= log(k/beta)/(13.02·|eps|_1), means likewise.",
        "sympy",
        weak_lower,
        constant="1/13.02",
    ),
    Entry(
        "opt-weak-jensen",
        "Jensen's step",
        ("eq:pop1",),
        "log((k-1)/(k·beta)) <= (m/n)·|eps|_1.",
        "sympy",
        jensen_step,
        constant="1",
    ),
    Entry(
        "opt-weak-equal",
        "One order when the variance is small",
        ("thm:uncorr-minimax-pac",),
        "Var(e^-eps) <= c·L^2/n^2 makes both bounds of order L/|eps|_1: the upper one is at most 86.2·(1 + sqrt(c)) "
        "times the lower one.",
        "smt",
        equal_order,
        constant="86.2(1 + √c)",
    ),
)
