"""The upper-bound theorems with explicit constants: thm:pac-ub and thm:mse-ub, both settings, both tasks.

Notation: ell = ‖w−u‖₁, bias a = ell/2, t = ‖w/ε‖∞, L = log(k/β), noise scale 2t (frequency) or t (mean).
"""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less
from hdp_audit.proofs.entry import Entry, Evidence, conclude
from hdp_audit.proofs.smt import proves, reals, smaller


def _value(text: str) -> Any:
    import z3

    return z3.RealVal(text)


def _cauchy(first: str, second: str, constant: str) -> bool:
    """(√first·x + √second·y)² ≤ constant·(x² + y²), with the two coefficients given as squares."""
    x, y, p, q = reals("x y p q")
    total = p * x + q * y
    given = [x >= 0, y >= 0, p >= 0, q >= 0, p * p == _value(first), q * q == _value(second)]
    return proves(total * total <= _value(constant) * (x * x + y * y), *given)


def pac_correlated(frequency: str = "17/4", mean: str = "5/4") -> Evidence:
    """a + b·L ≤ √C·r_C: C = 17/4 for frequencies (½, 2), 5/4 for the mean (½, 1)."""
    return conclude(
        "proved",
        {
            "frequency: (ell/2 + 2Lt)² ≤ 17/4·(ell² + L²t²)": _cauchy("1/4", "4", frequency),
            "mean: (ell/2 + Lt)² ≤ 5/4·(ell² + L²t²)": _cauchy("1/4", "1", mean),
            "R ≤ ½ ≤ √C when the minimum exceeds 1": proves(_value("1/4") <= _value(mean)),
        },
    )


def paper_split(parts: int = 4) -> Evidence:
    """eqr-1: both halves at α/2: the bias vanishes for α > ell and k·exp(−α/4t) ≤ β for α ≥ 4t·log(k/β)."""
    import sympy as sp
    import z3

    k, beta, t = sp.symbols("k beta t", positive=True)
    tail = sp.simplify(k * sp.exp(-(4 * t * sp.log(k / beta)) / (parts * t)) - beta) == 0
    alpha, bias, noise = reals("alpha bias noise")
    split = proves(bias + noise <= alpha, 2 * bias <= alpha, 2 * noise <= alpha)
    x, y = reals("x y")
    largest = z3.If(x >= y, x, y)
    order = proves(z3.And(largest <= x + y, x + y <= 2 * largest), x >= 0, y >= 0)
    return conclude(
        "proved",
        {
            "α = 4t·log(k/β) makes the noise term β": bool(tail),
            "if both parts are at most α/2 the sum is at most α": split,
            "max ≤ sum ≤ 2·max": order,
        },
    )


def pac_weak(frequency: str = "35/2", mean: str = "11/2") -> Evidence:
    """min(a, ‖w‖√(log(4k/β)/2)) + b·log(2k/β) ≤ √C·r_WC for k/β ≥ 2: C = 35/2, mean 11/2."""
    x = reals("x")[0]
    cube = proves(4 * x <= x * x * x, x >= 2)
    square = proves(2 * x <= x * x, x >= 2)
    # log(4x) ≤ 3·log x and log(2x) ≤ 2·log x: bias² ≤ min(ell²/4, 3L‖w‖²/2) ≤ 3/2·min(ell², L‖w‖²); noise ≤ 2·2Lt.
    ell, other = reals("e o")
    weaker = proves(
        smaller(ell / 4, _value("3/2") * other) <= _value("3/2") * smaller(ell, other), ell >= 0, other >= 0
    )
    return conclude(
        "proved",
        {
            "4x ≤ x³ for x ≥ 2, so log(4k/β) ≤ 3L": cube,
            "2x ≤ x² for x ≥ 2, so log(2k/β) ≤ 2L": square,
            "the bias square is at most 3/2 of the smaller term": weaker,
            "frequency: (√(3/2)·x + 4·y)² ≤ 35/2·(x² + y²)": _cauchy("3/2", "16", frequency),
            "mean: (√(3/2)·x + 2·y)² ≤ 11/2·(x² + y²)": _cauchy("3/2", "4", mean),
        },
    )


def two_conditions(bias_share: int = 2) -> Evidence:
    """eq:two-cond and eq:note: each term is β/2 at α² = 2‖w‖²log(4k/β) and α = 4t·log(2k/β)."""
    import sympy as sp

    k, beta, t, w = sp.symbols("k beta t w", positive=True)
    alpha_square = 2 * w**2 * sp.log(4 * k / beta)
    bias = sp.simplify(bias_share * k * sp.exp(-alpha_square / (2 * w**2)) - beta / 2) == 0
    noise = sp.simplify(k * sp.exp(-(4 * t * sp.log(2 * k / beta)) / (4 * t)) - beta / 2) == 0
    return conclude("proved", {"bias term is β/2": bool(bias), "noise term is β/2": bool(noise)})


def mse_correlated(frequency: str = "29.4", mean: str = "2") -> Evidence:
    """(ell/2 + 2t√(H²+H₂))² ≤ 29.4·(ell² + t²log²k); mean: ell²/4 + 2t² ≤ 2·(ell² + t²)."""
    ell, t = reals("ell t")
    constant = interval("0.25") + 4 * interval("7.2852")
    return conclude(
        "proved",
        {
            "E‖A+N‖² ≤ (a + √E‖N‖²)²: E(a+M)² = a² + 2aEM + EM² and (EM)² ≤ EM²": minkowski(),
            "√(H²+H₂) ≤ √7.2852·log k (max-exp-order), so Cauchy's constant is 1/4 + 4·7.2852": surely_less(
                constant, interval(frequency)
            ),
            "Cauchy with coefficients √(1/4) and √(4·7.2852)": _cauchy("1/4", "29.1408", frequency),
            "mean: ell²/4 + 2t² ≤ 2(ell² + t²)": proves(
                ell * ell / 4 + 2 * t * t <= _value(mean) * (ell * ell + t * t)
            ),
        },
    )


def minkowski() -> bool:
    """E(a + M)² = a² + 2a·EM + EM² ≤ (a + √EM²)², because EM ≤ √EM²."""
    a, first, root = reals("a m r")
    return proves(a * a + 2 * a * first + root * root <= (a + root) * (a + root), a >= 0, first >= 0, root >= first)


def mse_weak(kappa: str = "0.406", frequency: str = "29.6", mean: str = "2") -> Evidence:
    """V_A ≤ 0.406·min(ell², log k·‖w‖²), so E ≤ 29.6·R_WC(k,1)²; mean E ≤ 2·R_WC(e,1)²."""
    context = iv()
    s, n, ell, other, t = reals("s n e o t")
    uniform = proves(n * (s - 1 / n) <= (n - 1) * s, n >= 2, s <= 1, s * n >= 1)
    largest = all(
        surely_less((1 - interval(1) / k) ** 2, interval(kappa) * context.log(k)) for k in range(2, 13)
    ) and surely_less(interval(1), interval(kappa) * context.log(12))
    mean_step = proves(
        smaller(ell, other) / 4 + 2 * t * t <= _value(mean) * (smaller(ell, other) + t * t), ell >= 0, other >= 0
    )
    total = surely_less(interval(kappa) + 4 * interval("7.2852"), interval(frequency))
    return conclude(
        "proved",
        {
            "n/(n−1)·(‖w‖² − 1/n) ≤ ‖w‖² because ‖w‖ ≤ 1": uniform,
            "(1−1/k)² ≤ 0.406·log k for every k ≥ 2": largest,
            "E‖A+N‖² ≤ (√V_A + √E‖N‖²)²; Cauchy's constant is 0.406 + 4·7.2852": total,
            "mean: ‖w−u‖²S² ≤ min(ell²/4, ‖w‖²/4), plus 2t²": mean_step,
        },
    )


def weak_never_worse(reverse: bool = False) -> Evidence:
    """r_WC ≤ r_C, hence R_WC ≤ R_C: the smaller of two numbers is at most the first."""
    x, y, z = reals("x y z")
    return conclude(
        "proved",
        {"min(x, y) + z ≤ x + z": proves(x + z <= smaller(x, y) + z if reverse else smaller(x, y) + z <= x + z)},
    )


def noise_moment(frequency: str = "29.1408") -> Evidence:
    """eqr:3: E‖N‖∞² = (2t)²(H² + H₂) ≤ 29.1408·log²k·t² for k ≥ 2."""
    at_two = 4 * interval("3.5") / iv().log(2) ** 2
    return conclude(
        "proved",
        {"4·3.5/log²2, the ratio at k = 2, the largest (max-exp-order)": surely_less(at_two, interval(frequency))},
    )


ENTRIES = (
    Entry(
        "pac-upper-correlated",
        "PAC upper bound, correlated",
        ("thm:pac-ub", "eq:rf-c", "eq:rm-c"),
        "The PAC error of HPF is at most ell/2 + 2t·log(k/beta) <= sqrt(17)/2·r_C, of HPM ell/2 + t·log(1/beta) <= "
        "sqrt(5)/2·r_C; so R_c^f <= 2.07·R_C(k,beta) and R_c^m <= 1.12·R_C(1,beta).",
        "smt",
        pac_correlated,
        constant="√17/2, √5/2",
    ),
    Entry(
        "pac-upper-split",
        "The split of the proof",
        ("eqr-1",),
        "alpha >= max(ell, 4t·log(k/beta)) makes the right side of (eqr-1) at most beta; max and sum agree up to 2.",
        "smt",
        paper_split,
        constant="4",
    ),
    Entry(
        "pac-upper-weak",
        "PAC upper bound, weakly correlated",
        ("thm:pac-ub", "eq:rf-u", "eq:rm-u"),
        "For k/beta >= 2: R_wc^f <= sqrt(35/2)·R_WC(k,beta) and R_wc^m <= sqrt(11/2)·R_WC(1,beta).",
        "smt",
        pac_weak,
        constant="√(35/2), √(11/2)",
    ),
    Entry(
        "pac-upper-two-conditions",
        "The two conditions on alpha",
        ("eq:two-cond", "eq:note"),
        "alpha^2 = 2|w|^2·log(4k/beta) and alpha = 4t·log(2k/beta) make each of the two terms beta/2.",
        "sympy",
        two_conditions,
        constant="2 and 4",
    ),
    Entry(
        "mse-upper-correlated",
        "MSE upper bound, correlated",
        ("thm:mse-ub", "eq:ef-c", "eq:em-c"),
        "E_c^f <= (ell/2 + 2t·sqrt(H^2+H2))^2 <= 29.4·R_C(k,1)^2 for k >= 2, and E_c^m <= ell^2/4 + 2t^2 <= "
        "2·R_C(e,1)^2.",
        "smt",
        mse_correlated,
        constant="29.4, 2",
    ),
    Entry(
        "mse-upper-noise",
        "Mean square of the largest noise",
        ("eqr:3",),
        "E|N|_inf^2 <= 29.1408·log(k)^2·t^2 for k >= 2.",
        "interval",
        noise_moment,
        constant="29.1408",
    ),
    Entry(
        "mse-upper-weak",
        "MSE upper bound, weakly correlated",
        ("thm:mse-ub", "eq:ef-u", "eq:em-u"),
        "E_wc^f <= 29.6·R_WC(k,1)^2 for k >= 2 and E_wc^m <= 2·R_WC(e,1)^2.",
        "smt",
        mse_weak,
        constant="29.6, 2",
    ),
    Entry(
        "rates-ordered",
        "The weak bound is never worse",
        ("eq:ws-rc", "eq:ws-ru", "eq:RC-def", "eq:RU-def"),
        "r_WC <= r_C and R_WC <= R_C for the same arguments.",
        "smt",
        weak_never_worse,
        constant="1",
    ),
)
