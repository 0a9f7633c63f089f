"""What given weights and noise guarantee for the ℓ1 or ℓ2 error of a table of frequencies (ours).

*Correlated.* A norm of the bias is convex, hence largest at a vertex (see `guarantee`); P(‖A + v‖ > α) ≤ P(‖v‖ > α −
‖A‖). The noise is symmetric, so E‖A + v‖₂² = ‖A‖₂² + E‖v‖₂² exactly, and E‖A + v‖₁² ≤ E(‖A‖₁ + ‖v‖₁)².

*Permuted.* With D missing, frequencies μ and s = Σμ_j² the bias is D(c·1 − μ) + B, E B = 0, ΣB_j = 0, E‖B‖₂² =
‖w − w̄‖₂²·n/(n−1)·(1 − s). So its mean square is D²(kc² − 2c + s) + ‖w − w̄‖₂²·n/(n−1)·(1 − s), linear in s ∈ [1/k, 1].
For quantiles: ‖B‖₁ = 2·max over sets S of categories of Σ_{j∈S}B_j, each a permuted sum of numbers in [0, 1], so that
all 2^k − 2 of them stay below V√(½·log((2^k − 2)/β)) but for β, V² = K_n‖w − w̄‖₂²; ‖B‖₂² ≤ ‖B‖₁·‖B‖∞, and
‖B‖₂ ≤ ‖B‖₁/√2 as ΣB_j = 0.

Any noise: ‖e‖₂ ≤ √k·‖e‖∞ and ‖e‖₁ ≤ k·‖e‖∞.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from hdp_audit.theory import noise_norms
from hdp_audit.theory.gaussian import Gaussian
from hdp_audit.theory.guarantee_noise import Hull, Laplace, Noise, Vertex
from hdp_audit.theory.names import Metric, Norm, Problem, Setting
from hdp_audit.theory.upper import concentration_factor

Floats = NDArray[np.float64]
_PARTS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)  # of β for the bias, the rest for noise


@dataclass(frozen=True)
class Length:
    """Of a noise in one norm: E‖v‖ and E‖v‖², or more; and its quantiles."""

    norm: Norm
    noise: Laplace | Hull | Gaussian
    categories: int

    @property
    def mean(self) -> float:
        """At least E‖v‖."""
        if isinstance(self.noise, Gaussian):
            return float(np.sqrt(self.square))
        hull = isinstance(self.noise, Hull)
        return self.noise.scale * noise_norms.first_moment(self.norm, self.categories, hull=hull)

    @property
    def square(self) -> float:
        """At least E‖v‖²; exact but for Gaussian noise in ℓ1."""
        k, b = self.categories, self.noise.scale
        if isinstance(self.noise, Gaussian):
            return b**2 * k * (1.0 if self.norm is Norm.L2 else 1 + (k - 1) * 2 / np.pi)
        return b**2 * noise_norms.second_moment(self.norm, k, hull=isinstance(self.noise, Hull))

    def quantile(self, beta: float) -> float:
        """At least the (1−β)-quantile of ‖v‖."""
        k, b = self.categories, self.noise.scale
        if isinstance(self.noise, Gaussian):
            length = float(np.sqrt(2 * special.gammainccinv(k / 2, beta))) * (1 + 1e-12)
            return b * length * (1.0 if self.norm is Norm.L2 else np.sqrt(k))
        return b * noise_norms.quantile(self.norm, k, beta, hull=isinstance(self.noise, Hull))


def spread_factor(norm: Norm, categories: int) -> float:
    """The most that ‖e‖ can be when ‖e‖∞ = 1."""
    return 1.0 if norm is Norm.LINF else float(categories) if norm is Norm.L1 else float(np.sqrt(categories))


def by_largest(found: float, problem: Problem) -> float:
    """A bound for ℓ∞ as one for the norm."""
    factor = spread_factor(problem.norm, problem.categories)
    return found * (factor if problem.metric is Metric.PAC else factor**2)


def size_of(vertex: Vertex, norm: Norm) -> float:
    """‖A‖ at a vertex."""
    total = sum(count * (bias if norm is Norm.L1 else bias**2) for bias, count in vertex)
    return float(total if norm is Norm.L1 else np.sqrt(total))


def with_noise(size: ArrayLike, length: Length, metric: Metric, beta: float, scale: ArrayLike = 1.0) -> Floats:
    """The quantile, or the mean square, for a bias that is no longer than `size` (its root mean square, of squares)."""
    a, b = np.asarray(size, dtype=np.float64), np.asarray(scale, dtype=np.float64)
    if metric is Metric.PAC:
        return np.asarray(a + b * length.quantile(beta))
    cross = 2 * a * b * length.mean if length.norm is Norm.L1 else 0.0
    return np.asarray(a**2 + cross + b**2 * length.square)


@dataclass(frozen=True, eq=False)
class Permuted:
    """What permuted data see of weights: D, c, ‖w − w̄‖₂² and the most that the categories of any set can be off.

    The last two may be arrays: many weights at once.
    """

    missing: float
    share: float
    spread: Floats
    most: Floats
    users: int

    def mean_square(self, norm: Norm, k: int) -> Floats:
        """At least E‖bias‖²; in ℓ1 k times that in ℓ2 (Cauchy and Schwarz)."""
        moved, c = self.spread * self.users / max(self.users - 1, 1), self.share
        ends = [self.missing**2 * (k * c**2 - 2 * c + s) + moved * (1 - s) for s in (1 / k, 1.0)]
        return np.asarray(np.maximum(*ends) * (k if norm is Norm.L1 else 1.0))

    def quantile(self, norm: Norm, k: int, beta: float) -> Floats:
        """At least the (1−β)-quantile of ‖bias‖."""
        c, d = self.share, self.missing
        shift = size_of(((d * abs(1 - c), 1), (d * c, k - 1)), norm)
        if norm is Norm.L1:
            return shift + self._first(k, beta)
        largest = self._sums(float(np.log(4 * k / beta)))
        joint = np.sqrt(self._first(k, beta / 2) * largest)
        return np.asarray(shift + np.minimum(self._first(k, beta) / np.sqrt(2), joint))

    def _first(self, k: int, beta: float) -> Floats:
        """Of ‖B‖₁."""
        return 2 * self._sums(float(k * np.log(2.0) + np.log1p(-(2.0 ** (1 - k))) - np.log(beta)))

    def _sums(self, log_count: float) -> Floats:
        """What e^log_count sums over categories stay below together."""
        deviation = np.sqrt(concentration_factor(self.users) * self.spread * log_count / 2)
        return np.minimum(self.most, deviation)


def known_length(noise: Noise, problem: Problem) -> Length | None:
    """The noise's own length where its law is known."""
    if isinstance(noise, Laplace | Hull | Gaussian):
        return Length(problem.norm, noise, problem.categories)
    return None


def correlated(vertices: list[Vertex], length: Length, problem: Problem) -> float:
    """At the worst vertex."""
    worst = max(size_of(vertex, problem.norm) for vertex in vertices)
    return float(with_noise(worst, length, problem.metric, problem.beta))


def permuted(seen: Permuted, length: Length, problem: Problem, scale: ArrayLike = 1.0) -> Floats:
    """For permuted data; the noise is multiplied by `scale`, one number or one for each of the weights."""
    b = np.asarray(scale, dtype=np.float64)
    k, norm, beta = problem.categories, problem.norm, problem.beta
    if problem.metric is Metric.MSE:
        return with_noise(np.sqrt(seen.mean_square(norm, k)), length, Metric.MSE, beta, b)
    parts = [(seen.quantile(norm, k, beta * part), length.quantile(beta * (1 - part))) for part in _PARTS]
    return np.asarray(np.min([moved + b * noise for moved, noise in parts], axis=0))


def largest_norm(problem: Problem) -> Problem:
    """The same cell in ℓ∞."""
    return replace(problem, norm=Norm.LINF)


def in_setting(vertices: list[Vertex], seen: Permuted, noise: Noise, problem: Problem) -> float:
    """The best of them for a noise whose law is known; infinite for others."""
    length = known_length(noise, problem)
    if length is None:
        return float("inf")
    found = correlated(vertices, length, problem)
    return min(found, float(permuted(seen, length, problem))) if problem.setting is Setting.WEAK else found
