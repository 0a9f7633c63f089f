"""Slips of wording and notation in the paper, each with a small check that shows what is meant."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less, symbols, vanishes
from hdp_audit.proofs.entry import Evidence, conclude, correction
from hdp_audit.proofs.smt import proves, reals, smaller


def table_arguments(beta: int = 1) -> Evidence:
    """R(e, 1) has L = log(e/1) = 1; R(1, e) has L = −1, harmless squared but negative in the ℓ2 term of r_WC."""
    import sympy as sp

    right, wrong = sp.log(sp.E / beta), sp.log(1 / sp.E)
    ell, norm = reals("ell norm")
    negative = proves(smaller(ell, -norm) < 0, ell >= 0, norm > 0)
    return conclude(
        "proved",
        {
            "L = 1 with (e, 1)": bool(right == 1),
            "L = −1 with (1, e)": bool(wrong == -1),
            "then min(ell², L‖w‖²) < 0": negative,
        },
    )


def norm_wording(times: int = 1) -> Evidence:
    """‖x‖₁² ≤ n‖x‖₂² is meant; the square of n‖x‖₂ would be n times larger. Equality at (1, −1) and (1, 1, 1, 1)."""
    sharp = all(sum(abs(v) for v in x) ** 2 == times * len(x) * sum(v * v for v in x) for x in ((1, -1), (1, 1, 1, 1)))
    loose = all(
        len(x) ** 2 * sum(v * v for v in x) == len(x) * sum(abs(v) for v in x) ** 2 for x in ((1, -1), (1, 1, 1, 1))
    )
    return conclude("proved", {"n‖x‖₂² is attained": sharp, "(n‖x‖₂)² is n times too large there": loose})


def family_name(third: str = "Frequency") -> Evidence:
    """The family named "Heterogeneous Private Frequency" has the initials HPF, which its algorithm carries too."""
    initials = "".join(word[0] for word in ("Heterogeneous", "Private", third))
    return conclude("proved", {"initials of the frequency family": initials == "HPF" and initials != "HPM"})


def vector_of_ones(entry: int = 1) -> Evidence:
    """The bold one is the vector of ones: Σ(w_i − c/n) = 0 on the simplex only for c = 1."""
    c, n = reals("c n")
    return conclude("proved", {"1 − n·(c/n) = 0 forces c = 1": proves(c == entry, n >= 1, 1 - n * (c / n) == 0)})


def rates_without_beta(free: str = "a b") -> Evidence:
    """A mean square has no error probability: E(a+N)² = a² + 2b² depends on bias and scale alone."""
    import sympy as sp

    a, b, z = symbols("a b z", positive=True)
    moment = sp.integrate(sp.expand((a + z) ** 2 + (a - z) ** 2) * sp.exp(-z / b) / (2 * b), (z, 0, sp.oo))
    return conclude(
        "proved",
        {"free variables of the mean square are a and b": moment.free_symbols == set(symbols(free, positive=True))},
    )


def silent_user_mse(power: int = 2) -> Evidence:
    """One silent user, the rest public: the weak MSE is at most 1/n² too, not 1/n; the weak setting is never worse."""
    gain = all(Fraction(1, n) ** 2 < Fraction(1, n) for n in range(2, 50))
    n = symbols("n", positive=True)
    bias = vanishes(((1 / n + (n - 1) * (1 / (n - 1) - 1 / n)) / 2) ** 2 - 1 / n**power)
    exact = vanishes((1 / n**2 + (n - 1) * (1 / (n - 1) - 1 / n) ** 2) - 1 / (n * (n - 1)))
    small = all(Fraction(1, n_ * (n_ - 1)) * Fraction(n_, 4 * (n_ - 1)) <= Fraction(1, n_) ** 2 for n_ in range(2, 50))
    return conclude(
        "proved",
        {
            "worst bias squared is 1/n²": bias,
            "‖w−u‖² = 1/(n(n−1))": exact,
            "exact weak MSE ≤ 1/n²": small,
            "1/n² < 1/n": gain,
        },
    )


def not_convex(mid: str = "0.08") -> Evidence:
    """r_WC² is no convex function: n = 10, k = 2, β = 0.05, no privacy, weights 1/n ± d at d = 0.06, 0.08, 0.10."""
    context = iv()
    level = context.log(2 / interval("0.05"))

    def criterion_pair(d: str) -> tuple[Any, Any]:
        step = interval(d)
        return 100 * step**2, level * (interval("0.1") + 10 * step**2)

    (low, low_other), (mid, mid_other), (high, high_other) = (criterion_pair(d) for d in ("0.06", mid, "0.10"))
    orders = surely_less(low, low_other) and surely_less(mid_other, mid) and surely_less(high_other, high)
    return conclude(
        "proved",
        {
            "which branch is smaller at each point": orders,
            "the middle lies above the chord": surely_less((low + high_other) / 2, mid_other),
        },
    )


def scaled_support(width: int = 1) -> Evidence:
    """Hoeffding's lemma is used with the support w_i·{−μ, 1−μ} of width w_i: Σw_i² = ‖w‖²; width 1 would give n."""
    w, mu = reals("w mu")
    span = proves(w * (1 - mu) - w * (-mu) == width * w, w >= 0)
    sizes = all(sum(Fraction(1, n) ** 2 for _ in range(n)) == Fraction(1, n) != n for n in range(2, 20))
    return conclude(
        "proved", {"width of the support of w_i·Y_i is w_i": span, "uniform weights: Σ = 1/n, not n": sizes}
    )


def special_notation(beyond: int = 8) -> Evidence:
    """The special case bounds a mean square: 1/(8n) as a squared error means an error 1/√(8n) > 1/n for n > 8."""
    n = reals("n")[0]
    return conclude("proved", {"1/(8n) > 1/n² for every n > 8": proves(1 / (8 * n) > 1 / (n * n), n > beyond)})


def local_mean_argument(only: int = 1) -> Evidence:
    """The local mean's weak criterion has log(k/β) with no k in sight: k = 1 is meant, as for HPM-WP."""
    context = iv()
    beta = interval("0.05")
    k, b = reals("k b")
    return conclude(
        "proved",
        {
            "log(1/β) of HPM-WP differs from log(2/β)": surely_less(context.log(1 / beta), context.log(2 / beta)),
            "k/β = 1/β forces k = 1": proves(k == only, k / b == 1 / b, b > 0),
        },
    )


def optimal_up_to_logs(power: int = 2) -> Evidence:
    """The theorem's own display for frequencies leaves the factor log(k)² between its two sides: unbounded in k."""
    import sympy as sp

    k = symbols("k", positive=True)
    gap = sp.limit(sp.log(k) ** power, k, sp.oo)
    return conclude("proved", {"log(k)² has no bound": bool(gap == sp.oo)})


ENTRIES = (
    correction(
        "slip-table-arguments",
        "Arguments in the summary table",
        ("tab:summary",),
        "The MSE bounds for means are R_C(e,1)^2 and R_WC(e,1)^2.",
        "smt",
        table_arguments,
        "The table writes R(1,e,eps) in both rows; with L = log(1/e) = -1 the weak criterion becomes negative.",
    ),
    correction(
        "slip-norm-wording",
        "n times the L2 norm",
        ("sec:disc",),
        "|x|_1^2 <= n·|x|_2^2 is the inequality used.",
        "enumeration",
        norm_wording,
        "The text replaces the L1 norm by 'n L2-norm'; squared literally that is n times too large.",
    ),
    correction(
        "slip-family-name",
        "Name of the frequency family",
        ("sec:alg",),
        "The frequency family is HPF.",
        "enumeration",
        family_name,
        "Section 3 introduces 'Heterogeneous Private Frequency (HPM)'.",
    ),
    correction(
        "slip-ones",
        "The vector of ones",
        ("sec:pd",),
        "The bold one has all entries 1.",
        "smt",
        vector_of_ones,
        "The notation paragraph says 'all entries being equal to c'.",
    ),
    correction(
        "slip-beta-in-mse",
        "Error probability in an MSE rate",
        ("thm:mse-ub",),
        "The MSE rates depend on k and eps alone.",
        "sympy",
        rates_without_beta,
        "The theorem writes E_c^f(k,beta,eps) and E_c^m(beta,eps); a later proof writes E_wc^m(k,eps).",
    ),
    correction(
        "slip-silent-user",
        "One silent user, weak MSE",
        ("sec:hpf",),
        "With one silent user and n-1 public ones the weak MSE is at most 1/n^2.",
        "sympy",
        silent_user_mse,
        "The text gives 1/n for the weak setting, above its own 1/n^2 for the correlated one.",
    ),
    correction(
        "slip-not-convex",
        "The weak problem is not convex",
        ("eq:ws-ru",),
        "r_WC^2 is the smaller of two convex functions and is not convex; solve both problems.",
        "interval",
        not_convex,
        "The text calls all the problems quadratic programs, and the minimisation of HPF-WP convex.",
    ),
    correction(
        "slip-support",
        "Support in Hoeffding's lemma",
        ("eq:HL",),
        "w_i·Y_i has support w_i·{-mu, 1-mu}, of width w_i.",
        "smt",
        scaled_support,
        "The text gives w_i·Y_i the support {-mu, 1-mu}, whose width 1 would not yield |w|_2^2.",
    ),
    correction(
        "slip-special-notation",
        "Symbols of the special case",
        ("adx:lb",),
        "Section H bounds the mean square: E-hat_wc(n) between 1/(8n) and 1/(4(n-1)), over mechanisms M-hat(n).",
        "smt",
        special_notation,
        "It concludes for 'R-hat_u(n)' and minimises over 'M(n)', neither of which is defined.",
    ),
    correction(
        "slip-optimal-mse",
        "Optimal, or nearly so",
        ("thm:uncorr-minimax-mse",),
        "HPF-WE is optimal up to log(k)^2; HPM-WE is of the optimal order.",
        "sympy",
        optimal_up_to_logs,
        "The theorem calls both optimal; for frequencies its display leaves log(k)^2 (the table: near-optimal).",
        "log²k",
    ),
    correction(
        "slip-local-mean-k",
        "Argument of the local mean's criterion",
        ("adx:ldp",),
        "The weak criterion of the local mean has log(1/beta)·|w|_2^2.",
        "interval",
        local_mean_argument,
        "The text writes log(k/beta) although a mean has no k.",
    ),
)
