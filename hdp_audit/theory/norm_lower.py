"""Lower bounds for frequencies in ℓ1 and ℓ2 (ours).

*No less than.* ‖e‖₁ ≥ ‖e‖₂ ≥ ‖e‖∞, so every bound for ℓ∞ holds. In two categories that hold a mean θ the answers (u, v)
give z = (1 − u + v)/2 with ‖e‖₁ ≥ 2|z − θ| and ‖e‖₂ ≥ √2·|z − θ|: every bound for a mean holds, times 2 or √2.

*Pairs.* c ≤ k/2 pairs of categories, each with users of its own who are in one or the other of the two: given the data
of all others each pair is a mean of its own, and what its errors are at least on average over a prior they are for the
product of priors. ‖e‖₂² ≥ Σ2|z_g − θ_g|² and ‖e‖₁ ≥ Σ2|z_g − θ_g|, so E‖e‖₂² ≥ 2c·risk and E‖e‖₁² ≥ (2c·error)².

*Guesses.* Let the m users of each pair move together, by lot. Given the output and all other lots, the lot of a pair is
guessed wrong with probability at least q = 1/(1 + e^S), S their demands: the number of wrong guesses is at least a
binomial one, of c and q. A wrong guess costs Δ = m/n in ℓ1 and Δ²/2 in squares: with w the binomial (1−β)-quantile the
error quantile is at least Δ·w in ℓ1 and Δ·√(w/2) in ℓ2.

*Permuted.* Tell which users belong to which pair, an equal number chosen by lot. In each pair m of them, chosen by lot,
are all in one or all in the other category; telling who they are as well leaves two datasets, and E is over S.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.chain import ROUNDING, lay_chain
from hdp_audit.theory.chain_absolute import absolute_certificate
from hdp_audit.theory.chain_mse import square_certificate
from hdp_audit.theory.guarantee_norms import largest_norm
from hdp_audit.theory.names import Metric, Norm, Problem, Setting
from hdp_audit.theory.norm_upper import as_mean, pair_factor
from hdp_audit.theory.symmetric import log_mean_exp

if TYPE_CHECKING:
    from hdp_audit.theory.lower import LowerBounds, Scores

Floats = NDArray[np.float64]
_SIZES = 400  # numbers of users that are tried
_TANGENTS = np.linspace(0.0, 1.0, 201)


def norm_scores(bounds: LowerBounds, problem: Problem) -> Scores:
    """Every bound tried in a cell, by method."""
    scores = {
        "largest": bounds.best(largest_norm(problem)).value,
        "mean": bounds.best(as_mean(problem)).value * pair_factor(problem),
    }
    if problem.categories < 4:
        return scores
    ascending = bounds.correlated.ascending
    if problem.setting is Setting.CORRELATED:
        return scores | {"pairs": _correlated(ascending, problem)}
    levelled = bounds.weak.levelled
    if levelled is not None:  # of equal demands a permutation takes nothing
        scores["levelled"] = _correlated(levelled.ascending, problem)
    if problem.metric is Metric.MSE:
        scores["pairs"] = permuted_pairs(ascending, problem)
    return scores


def _correlated(ascending: Floats, problem: Problem) -> float:
    counts = pair_counts(problem.categories)
    if problem.metric is Metric.PAC:
        return max(guessed_pairs(ascending, count, problem) for count in counts)
    chained = max(chained_pairs(ascending, count, problem) for count in counts)
    return max(chained, *(moved_pairs(ascending, count, problem) for count in counts))


def pair_counts(categories: int) -> list[int]:
    """Numbers of pairs worth trying: all, and half of them."""
    most = categories // 2
    return sorted({most, max(most // 2, 1)})


def losses_of_groups(ascending: Floats, count: int) -> Floats:
    """S_m, m = 1, …: each of the groups takes every count-th user, and all are given the demands of the last."""
    return np.asarray(np.cumsum(ascending[count - 1 :: count]))


def guessed_pairs(ascending: Floats, count: int, problem: Problem) -> float:
    """max over m of Δ·w, or Δ·√(w/2)."""
    sums = losses_of_groups(ascending, count)
    m = np.unique(np.geomspace(1, sums.size, _SIZES).astype(int))
    m = m[np.isfinite(sums[m - 1])]
    wrong = special.expit(-sums[m - 1])
    # P(Bin ≤ j) for j = 0, …, c − 1: w is the largest with P(Bin ≤ w − 1) < 1 − β.
    below = special.bdtr(np.arange(count), count, wrong[:, None])
    w = (below + ROUNDING < 1 - problem.beta).sum(axis=1)
    errors = m / ascending.size * (w if problem.norm is Norm.L1 else np.sqrt(w / 2))
    return float(errors.max(initial=0.0))


def moved_pairs(ascending: Floats, count: int, problem: Problem) -> float:
    """Two datasets for each pair: 2c·(Δ/2)²·sech²(S/2), or (2c·Δ/(1 + e^S))²; Δ = m/n."""
    sums = losses_of_groups(ascending, count)
    kept = sums < 600
    moved = np.arange(1, sums.size + 1)[kept] / ascending.size
    if problem.norm is Norm.L2:
        found = 2 * count * (moved / 2 / np.cosh(sums[kept] / 2)) ** 2
    else:
        found = (2 * count * moved * special.expit(-sums[kept])) ** 2
    return float(found.max(initial=0.0))


def chained_pairs(ascending: Floats, count: int, problem: Problem) -> float:
    """A certified chain for each pair."""
    start = moved_pairs(ascending, count, problem)
    if start <= 0:
        return 0.0
    reach = math.sqrt(start / (2 * count)) if problem.norm is Norm.L2 else math.sqrt(start) / (2 * count)
    chain = lay_chain(ascending, reach, nodes=100, groups=count)
    if chain is None:
        return start
    if problem.norm is Norm.L2:
        square = square_certificate(chain, reach / 8)
        return start if square is None else max(start, 2 * count * square.risk)
    absolute = absolute_certificate(chain)
    return start if absolute is None else max(start, (2 * count * absolute.risk) ** 2)


def permuted_pairs(ascending: Floats, problem: Problem) -> float:
    """2c·(m/2n)²·E sech²(S/2), or (2c·(m/n)·E 1/(1 + e^S))²: m random users in each of c pairs.

    x = e^{−S}: both are concave below a line and a square, sech²(S/2) = 4x/(1 + x)² ≥ Ax − Bx² and x/(1 + x) ≥ Ax − Bx²
    by the tangents of 4/(1 + x)² and 1/(1 + x), which are convex.
    """
    from hdp_audit.theory.symmetric import compress

    values, counts = compress(ascending)
    n, best = ascending.size, 0.0
    for pairs in pair_counts(problem.categories):
        sizes = np.unique(np.geomspace(1, max(n // pairs, 1), 40).astype(int))
        best = max(best, *(_permuted_at(values, counts, int(m), pairs, problem) for m in sizes if m * pairs <= n), 0.0)
    return best


def _permuted_at(values: Floats, counts: NDArray[np.int64], m: int, pairs: int, problem: Problem) -> float:
    n, y = int(counts.sum()), _TANGENTS
    first, second = (math.exp(log_mean_exp(values, -power, m, counts)) for power in (1.0, 2.0))
    if problem.norm is Norm.L2:
        kept = (4 / (1 + y) ** 2 + 8 * y / (1 + y) ** 3) * first - 8 / (1 + y) ** 3 * second
        return 2 * pairs * (m / (2 * n)) ** 2 * float(np.clip(kept.max(), 0.0, 1.0))
    kept = (1 / (1 + y) + y / (1 + y) ** 2) * first - second / (1 + y) ** 2
    return (2 * pairs * m / n * float(np.clip(kept.max(), 0.0, 0.5))) ** 2
