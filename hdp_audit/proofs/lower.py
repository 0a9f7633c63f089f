"""The PAC lower bound (thm:pac-lb) with constant one, sharpened: packing, and what each setting concludes."""

from __future__ import annotations

from fractions import Fraction

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals, smaller


def modified_ceiling(strict: bool = True) -> Evidence:
    """m(α) = ⌊2nα⌋ + 1 = min{m in Z : m > 2nα}: the balls are disjoint, m ≤ n for α < ½, m is right-continuous."""
    import z3

    alpha = z3.Real("alpha")
    n, m = z3.Ints("n m")
    above = m > 2 * n * alpha if strict else m >= 2 * n * alpha
    least = z3.And(above, z3.If(strict, m - 1 <= 2 * n * alpha, m - 1 < 2 * n * alpha))
    given = [n >= 1, alpha >= 0, 2 * alpha < 1, least]
    fits = proves(z3.And(m >= 1, m <= n), *given) if strict else True
    y, mu, nu, d = reals("y mu nu d")
    disjoint = proves(
        z3.Not(z3.And(absolute(y - mu) <= alpha, absolute(y - nu) <= alpha)),
        d > 2 * alpha if strict else d >= 2 * alpha,
        alpha >= 0,
        mu - nu == d,
    )
    later = z3.Real("later")
    same = z3.And(m > 2 * n * later, m - 1 <= 2 * n * later)
    steady = proves(same, *given, later >= alpha, 2 * n * later < m) if strict else True
    return conclude(
        "proved",
        {
            "α < ½ makes 1 ≤ m ≤ n": fits,
            "centres m/n > 2α apart have disjoint closed balls": disjoint,
            "m is constant on [α, m/2n), so the condition passes to the infimum": steady,
        },
    )


def correlated(floor: int = 1) -> Evidence:
    """S_m ≥ log(K(1−β)/β), K = k − 1 (frequency) or 1 (mean): sum the K balls other than the first."""
    ratio, beta, others, k = reals("E beta Q K")
    # K balls, each of mass ≥ 1−β under its own dataset and ≤ E·q_j under dataset 1; Σq_j = Q ≤ β.
    given = [ratio >= 1, beta > 0, beta < 1, k >= 1, others >= 0, others <= beta, k * (1 - beta) <= ratio * others]
    packed = proves(ratio * beta >= floor * k * (1 - beta), *given)
    first = reals("p")[0]
    outside = proves(others <= beta, first >= 1 - beta, first + others <= 1)
    return conclude(
        "proved",
        {"mass outside the first ball is at most β": outside, "summing the K inequalities: e^S ≥ K(1−β)/β": packed},
    )


def paper_pair(times: int = 1) -> Evidence:
    """The paper's two steps: S ≥ log(k(1−β)) and S ≥ log((k−1)/(kβ)); added, 2S ≥ log((k−1)(1−β)/β)."""
    ratio, beta, k, total = reals("E beta k Q")
    base = [ratio >= 1, beta > 0, beta < 1, k >= 2, total >= 0, total <= 1]
    first = proves(ratio >= k * (1 - beta), *base, k * (1 - beta) <= ratio * total)
    second = proves(ratio * k * beta >= k - 1, *base, ratio * k * beta >= k - total)
    both = proves(
        ratio * ratio * beta >= times * (k - 1) * (1 - beta), *base, ratio >= k * (1 - beta), ratio * k * beta >= k - 1
    )
    return conclude("proved", {"e^S ≥ k(1−β)": first, "e^S ≥ (k−1)/(kβ)": second, "e^{2S} ≥ (k−1)(1−β)/β": both})


def weak_plus(floor: int = 1) -> Evidence:
    """E e^S ≥ K(1−β)/β: dataset 1 is the same under every order, so q_j is fixed and the mean acts on e^S alone."""
    mean, beta, others, k = reals("A beta Q K")
    given = [mean >= 1, beta > 0, beta < 1, k >= 1, others >= 0, others <= beta, k * (1 - beta) <= mean * others]
    sharper = proves(mean * beta >= floor * k * (1 - beta), *given)
    bins = reals("k")[0]
    implies = proves(
        mean >= bins * (1 - beta), mean * beta >= (bins - 1) * (1 - beta), bins >= 2, beta > 0, beta * bins <= bins - 1
    )
    return conclude("proved", {"mean of e^S": sharper, "implies the paper's k(1−β) when β ≤ 1 − 1/k": implies})


def weak_minus(excess: str = "1") -> Evidence:
    """E e^{−S} ≤ β/(1 − β/K): some ball has mass q ≤ β/K under dataset 1, and β ≥ (1−q)·E e^{−S}."""
    import z3

    mean, beta, q, k = reals("B beta q K")
    given = [mean > 0, mean <= 1, beta > 0, k >= 1, beta < k, q >= 0, q * k <= beta, beta >= (1 - q) * mean]
    sharper = proves(mean * (1 - z3.RealVal(excess) * beta / k) <= beta, *given)
    tighter = proves(beta / (1 - beta / k) <= (k + 1) * beta / k, beta > 0, k >= 1, beta * (k + 1) <= k)
    paper = reals("c")[0]
    averaged = proves(
        mean * (paper - 1) <= paper * beta, paper >= 2, mean > 0, q >= 0, q <= 1, paper * beta >= (paper - q) * mean
    )
    return conclude(
        "proved",
        {
            "pigeonhole on K disjoint balls of total mass β": sharper,
            "at most the paper's kβ/(k−1) when β ≤ 1 − 1/k": tighter,
            "the paper's own: averaging all k balls of total mass ≤ 1": averaged,
        },
    )


def weak_joint(times: int = 1) -> Evidence:
    """1−β ≤ E min(e^S q, 1 − e^{−S}(1−q)), q = β/K; it rises with q, and each one-sided condition follows from it."""
    ratio, q, r, p = reals("E q r p")
    base = [ratio >= 1, q >= 0, q <= 1]
    both = proves(times * p <= smaller(ratio * q, 1 - (1 - q) / ratio), *base, p <= ratio * q, 1 - q <= ratio * (1 - p))
    rises = proves(
        smaller(ratio * q, 1 - (1 - q) / ratio) <= smaller(ratio * r, 1 - (1 - r) / ratio), *base, r >= q, r <= 1
    )
    return conclude("proved", {"p is at most both": both, "the bound increases with q": rises})


def half_silent(quarter: Fraction = Fraction(1, 4)) -> Evidence:
    """Half of the users silent, half public: S_m = 0 up to m = n/2, so the correlated rate is at least ¼."""
    good = True
    for n in range(2, 60, 2):
        first = next(m for m in range(1, n + 1) if m > n // 2)  # the first m with a public user: S_m is infinite
        good &= Fraction(first - 1, 2 * n) >= quarter
    return conclude("proved for stated sizes", {"(m* − 1)/2n ≥ ¼ for even n < 60": good})


def tight_at_one(beta: Fraction = Fraction(3, 10), times: int = 1) -> Evidence:
    """n = 1: flipping the side of ½ with probability β, ε = log((1−β)/β), errs by ≤ ¼ with probability 1−β: tight."""
    keep = 1 - beta
    error = max(
        _flip_error(x, keep) for x in (Fraction(0), Fraction(1, 2), Fraction(1, 5), Fraction(4, 5), Fraction(1))
    )
    ratio = keep / beta
    return conclude(
        "proved for stated sizes",
        {
            "the wrong side has probability exactly β": error == times * beta,
            "the ratio of its two probabilities is (1−β)/β": ratio == (1 - beta) / beta,
            "so e^S = (1−β)/β meets the condition with equality": ratio * beta == 1 - beta,
        },
    )


def _flip_error(x: Fraction, keep: Fraction) -> Fraction:
    """P(|M(x) − x| > ¼) when M outputs ¼ or ¾ by the side of ½, kept with probability `keep`."""
    near = Fraction(1, 4) if x < Fraction(1, 2) else Fraction(3, 4)
    masses = {near: keep, 1 - near: 1 - keep}
    return sum((mass for y, mass in masses.items() if abs(y - x) > Fraction(1, 4)), Fraction(0))


ENTRIES = (
    Entry(
        "lower-ceiling",
        "The modified ceiling",
        ("sec:pd",),
        "m(alpha) = floor(2n·alpha) + 1 = min{m in Z: m > 2n·alpha}: centres m/n apart have disjoint closed balls of "
        "radius alpha; m <= n for alpha < 1/2; m is right-continuous.",
        "smt",
        modified_ceiling,
        constant="⌊2nα⌋ + 1",
    ),
    Entry(
        "lower-correlated",
        "PAC lower bound, correlated",
        ("thm:pac-lb", "eq:rf-c-lb", "eq:rm-c-lb", "eq:deflb"),
        "If the rate is below 1/2, the sum of the m smallest demands is at least log(K(1-beta)/beta), K = k-1 for "
        "frequencies, 1 for the mean, with constant 1.",
        "smt",
        correlated,
        constant="1",
    ),
    Entry(
        "lower-paper-pair",
        "The two steps of the paper's proof",
        ("thm:pac-lb",),
        "e^S >= k(1-beta) and e^S >= (k-1)/(k·beta), hence S >= ½·log((k-1)(1-beta)/beta).",
        "smt",
        paper_pair,
        constant="1/2",
    ),
    Entry(
        "lower-weak-plus",
        "PAC lower bound, weak, growing form",
        ("eq:lb2", "eq:deflb1"),
        "E exp(sum of m demands drawn without replacement) >= (k-1)(1-beta)/beta >= k(1-beta) for beta <= 1-1/k.",
        "smt",
        weak_plus,
        constant="1",
    ),
    Entry(
        "lower-weak-minus",
        "PAC lower bound, weak, decaying form",
        ("eq:lb1",),
        "E exp(-sum) <= beta/(1 - beta/(k-1)) <= k·beta/(k-1) for beta <= 1-1/k.",
        "smt",
        weak_minus,
        constant="1",
    ),
    Entry(
        "lower-weak-joint",
        "Both weak conditions from one",
        OURS,
        "1-beta <= E min(e^S·q, 1 - e^-S·(1-q)) with q = beta/K.",
        "smt",
        weak_joint,
        constant="1",
    ),
    Entry(
        "lower-half-silent",
        "Half silent, half public",
        ("sec:mod-choice",),
        "With half of the demands 0 and half infinite the correlated PAC rate is at least 1/4 for beta < 1/2.",
        "enumeration",
        half_silent,
        constant="1/4",
    ),
    Entry(
        "lower-tight",
        "Tight at one user",
        OURS,
        "At n = 1 a flip of the side of 1/2 meets S = log((1-beta)/beta) with PAC error 1/4, beta = 0.3.",
        "enumeration",
        tight_at_one,
        constant="1",
    ),
)
