"""What given weights and noise guarantee in each of the eight cells (ours), the search for the best weights left out.

The answer is Σw_i·x_i + c·D + N (each category alike), D = 1 − Σw. Its bias is cD·1 + Σ(w_i − 1/n)e_{x_i}, which is
cD·1 + p − q with p, q ≥ 0, Σp = P = Σ(w − 1/n)₊ and Σq = Q = P + D: a polytope with vertices cD·1 + P·e_i − Q·e_j. Both
P(‖A + N‖∞ ≤ α) (log-concave, Prékopa) and E‖A + N‖∞² (convex) are worst at a vertex, so two of them decide: i ≠ j and
i = j. For a mean the bias is cD + Σ(w_i − 1/n)x_i, between cD − Q and cD + P. Clipping to [0, 1] only helps.
A guarantee for correlated data holds for permuted data too: each permutation is a dataset.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory import gaussian, upper
from hdp_audit.theory.gaussian import Gaussian
from hdp_audit.theory.guarantee_noise import Hull, Laplace, Noise, Sampled, Vertex
from hdp_audit.theory.guarantee_norms import Permuted, by_largest, in_setting, largest_norm, spread_factor
from hdp_audit.theory.names import Metric, Problem, Setting, Task

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimator:
    """Weights w ≥ 0 with Σw ≤ 1, the share c of the missing weight that each output gets, and the noise.

    The answer may lie up to `reach` from all that in each output (a second opinion kept near a safe anchor).
    """

    weights: Floats
    noise: Noise
    share: float = 0.5
    reach: float = 0.0

    @property
    def users(self) -> int:
        """n."""
        return int(self.weights.size)

    @cached_property
    def missing(self) -> float:
        """D = 1 − Σw; what rounding leaves of 0 is 0."""
        left = 1.0 - float(self.weights.sum())
        return left if left > 1e-12 else 0.0

    @cached_property
    def excess(self) -> float:
        """P = Σ(w − 1/n)₊."""
        return float(np.maximum(self.weights - 1.0 / self.users, 0.0).sum())

    @cached_property
    def spread(self) -> float:
        """‖w − w̄‖₂²: how much a permutation of the data moves the estimate."""
        return float(((self.weights - self.weights.mean()) ** 2).sum())

    def vertices(self, problem: Problem) -> list[Vertex]:
        """(|bias|, how many coordinates) at the vertices that decide."""
        up, down = self.excess + self.share * self.missing, self.excess + (1 - self.share) * self.missing
        if problem.task is Task.MEAN:
            return [((max(up, down), 1),)]
        k, level = problem.categories, self.share * self.missing
        apart: Vertex = ((up, 1), (down, 1), (level, k - 2))
        together: Vertex = (((1 - self.share) * self.missing, 1), (level, k - 1))
        return [apart, together] if self.missing else [apart]

    def permuted_shift(self) -> float:
        """The mean bias over permutations: cD − D·μ_j, at most D·max(c, 1 − c)."""
        return self.missing * max(self.share, 1 - self.share)


def guarantee(estimator: Estimator, problem: Problem) -> float:
    """The error that these weights and this noise never exceed: the (1−β)-quantile or the mean square.

    At most that of an answer between 0 and 1: 1 in ℓ∞.
    """
    return min(before_clipping(estimator, problem), 1.0 if problem.one_number else by_largest(1.0, problem))


def before_clipping(estimator: Estimator, problem: Problem) -> float:
    """The same for answers that are not clipped to [0, 1], which may err by more than 1."""
    if not problem.one_number:
        return _in_norm(estimator, problem)
    found = _correlated(estimator, problem)
    if problem.setting is Setting.WEAK:
        found = min(found, _weak(estimator, problem))
    return _moved(found, estimator.reach, problem)


def _moved(found: float, reach: float, problem: Problem) -> float:
    return found + reach if problem.metric is Metric.PAC else float(np.sqrt(found) + reach) ** 2


def _in_norm(estimator: Estimator, problem: Problem) -> float:
    """By the noise's own length, or by the largest entry."""
    spread, most = np.asarray(estimator.spread), np.asarray(estimator.excess + estimator.missing)
    seen = Permuted(estimator.missing, estimator.share, spread, most, estimator.users)
    own = in_setting(estimator.vertices(problem), seen, estimator.noise, problem)
    reach = estimator.reach * spread_factor(problem.norm, problem.categories)
    plain = by_largest(before_clipping(estimator, largest_norm(problem)), problem)
    return min(_moved(own, reach, problem), plain)


def _correlated(estimator: Estimator, problem: Problem) -> float:
    noise = estimator.noise
    if problem.metric is Metric.PAC:
        return max(noise.quantile(vertex, problem.beta) for vertex in estimator.vertices(problem))
    return max(noise.square(vertex) for vertex in estimator.vertices(problem))


def _weak(estimator: Estimator, problem: Problem) -> float:
    if problem.metric is Metric.PAC:
        return _weak_pac(estimator, problem)
    if problem.task is Task.MEAN:
        return _weak_square_mean(estimator)
    return _weak_square_frequency(estimator, problem.categories)


def _weak_pac(estimator: Estimator, problem: Problem) -> float:
    """The mean bias, then the concentration of the rest as in `upper.weak_pac`; for other noise a split of β."""
    n, k, beta, noise = estimator.users, problem.coordinates, problem.beta, estimator.noise
    shift, most = estimator.permuted_shift(), estimator.excess + estimator.missing
    if isinstance(noise, Laplace):
        return shift + float(upper.weak_pac(most, estimator.spread, noise.scale, n, k, beta))
    variance = upper.concentration_factor(n) * estimator.spread
    parts = beta * np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9])
    moved = np.minimum(most, np.sqrt(variance * np.log(2 * k / parts) / 2))
    plain: Vertex = ((0.0, k),)
    split = min(float(a) + noise.quantile(plain, beta - part) for a, part in zip(moved, parts, strict=True))
    if isinstance(noise, Gaussian):
        split = min(split, float(gaussian.weak_pac(estimator.spread, noise.scale, n, k, beta)))
    return shift + split


def _weak_square_mean(estimator: Estimator) -> float:
    """max(D²·max(c, 1−c)², ‖w − w̄‖₂²·S²) + noise: linear in (½ − μ)² for c = ½, a sum of maxima otherwise.

    The error is D(c − μ) + A + N with E A = 0 given the data, E A² = ‖w − w̄‖₂²·S², S² ≤ n/(n−1)·(¼ − (½ − μ)²).
    """
    n = estimator.users
    square = estimator.noise.square(((0.0, 1),))
    if not estimator.missing:
        return estimator.spread * upper.largest_variance(n) + square
    moved, fixed = estimator.spread * n / (4 * max(n - 1, 1)), estimator.permuted_shift() ** 2
    return (max(moved, fixed) if estimator.share == 0.5 else moved + fixed) + square


def _weak_square_frequency(estimator: Estimator, k: int) -> float:
    """As `upper.frequency_weak_mse` on the simplex; otherwise Minkowski over mean bias, permutation and noise."""
    n, noise = estimator.users, estimator.noise
    if isinstance(noise, Laplace) and not estimator.missing:
        return float(upper.frequency_weak_mse(estimator.excess, estimator.spread, noise.scale, n, k))
    if isinstance(noise, Gaussian) and not estimator.missing:
        return float(gaussian.frequency_weak_mse(estimator.excess, estimator.spread, noise.scale, n, k))
    # Σ_j E A_j² = ‖w − w̄‖₂²·n/(n−1)·Σμ_j(1−μ_j), and ΣA_j = 0 as permuting keeps Σw.
    moved = (1 - 1 / k) ** 2 * n / max(n - 1, 1) * estimator.spread
    return float((estimator.permuted_shift() + np.sqrt(moved) + np.sqrt(noise.square(((0.0, k),)))) ** 2)


__all__ = ["Estimator", "Gaussian", "Hull", "Laplace", "Noise", "Sampled", "before_clipping", "guarantee"]
