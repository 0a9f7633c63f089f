"""Errors of hull noise in ℓ1 and ℓ2 (ours): tables whose length, or sum of errors, counts rather than the largest.

Around c one entry lacks (1−c)D, the others have cD too much: shortest in ℓ1 at c = 0 with length D, in ℓ2 at c = 1/k
with D√(1 − 1/k). Noise of scale b has ‖v‖₁ = b·r, r ~ Gamma(k−1); of the even moments of ‖v‖₂ in `even_moments` the
best gives the quantile. Permuted data move simplex weights by V²(1 − 1/k) in squares, V² = n/(n−1)·‖w − 1/n‖₂².
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammainccinv, gammaln

from mechanisms import sharp
from mechanisms.demands import Floats
from mechanisms.norms import Norm
from mechanisms.saturation import Branch, Norms

PARTS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)  # of β for the data's order, the rest for noise
MOMENTS = 24
MOST = 200  # categories for which moments are worth their time


@lru_cache(maxsize=16)
def even_moments(outputs: int) -> tuple[float, ...]:
    """log E‖v‖₂^{2p}, p = 1, …, 24, at scale 1: j positive entries share r/2 like exponential numbers, the others −r/2.

    With g_j(x) = (Σ(2i)!/i!·x^i)^j: E = Γ(k−1+2p)/Γ(k−1)·4^{−p}·Σ_j P(j)·E(X_j + Y_{k−j})^p.
    """
    p, k = np.arange(MOMENTS + 1), outputs
    series = np.exp(gammaln(2 * p + 1) - gammaln(p + 1))
    shares, power = [], np.eye(1, MOMENTS + 1)[0]
    for count in range(1, k):
        power = np.convolve(power, series)[: MOMENTS + 1]
        shares.append(power * np.exp(gammaln(count) - gammaln(count + 2 * p)))  # E X^p/p!
    j = np.arange(1, k)
    log_signs = gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1) + gammaln(k - 1) - gammaln(j) - gammaln(k - j)
    signs = np.exp(log_signs - log_signs.max())
    both = [np.convolve(one, other)[: MOMENTS + 1] for one, other in zip(shares, reversed(shares), strict=True)]
    mixed = np.log(signs @ np.array(both) / signs.sum()) + gammaln(p + 1)
    logs = gammaln(k - 1 + 2 * p) - gammaln(k - 1) - p * np.log(4.0) + mixed
    return tuple(float(each) for each in logs[1:])


def quantile(norm: Norm, outputs: int, beta: float) -> float:
    """At least the (1−β)-quantile of ‖v‖ at scale 1."""
    whole = float(gammainccinv(outputs - 1, beta))
    if norm == "l1":
        return whole
    if outputs > MOST:
        return whole / np.sqrt(2.0)
    p = np.arange(1, MOMENTS + 1)
    by_moment = np.exp((np.array(even_moments(outputs)) - np.log(beta)) / (2 * p))
    return float(min(whole / np.sqrt(2.0), by_moment.min()))


def moments(norm: Norm, outputs: int) -> tuple[float, float]:
    """(what the cross term with a bias has, E‖v‖²) at scale 1; noise is symmetric, so in squares it has none."""
    if norm == "l1":
        return outputs - 1.0, outputs * (outputs - 1.0)
    j = np.arange(1, outputs)
    log_signs = -gammaln(j + 1) - gammaln(outputs - j + 1) - gammaln(j) - gammaln(outputs - j)
    signs = np.exp(log_signs - log_signs.max())
    shared = signs @ (2 / (j + 1) + 2 / (outputs - j + 1)) / signs.sum()
    return 0.0, float(outputs * (outputs - 1) / 4 * shared)


@dataclass(frozen=True)
class Lengths:
    """Errors in one norm, at one β (None: mean square)."""

    norm: Norm
    outputs: int
    beta: float | None

    @property
    def share(self) -> float:
        """The best c."""
        return 0.0 if self.norm == "l1" else 1 / self.outputs

    def around(self) -> Branch:
        """The worst case around c; a family's bias is half of what is missing."""
        factor = 2.0 if self.norm == "l1" else 2.0 * np.sqrt(1 - 1 / self.outputs)
        return lambda p: self._with_noise(factor * p.bias, 2.0 * p.t)

    def permuted(self) -> tuple[Branch, ...]:
        """Bounds for permuted data and simplex weights."""
        if self.beta is None:
            k = self.outputs
            cauchy = k if self.norm == "l1" else 1
            return (lambda p: self._with_noise(np.sqrt(cauchy * (1 - 1 / k) * _moved(p)), 2.0 * p.t),)
        return tuple(self._split(self.beta, part) for part in PARTS)

    def _split(self, beta: float, part: float) -> Branch:
        noise = quantile(self.norm, self.outputs, beta * (1 - part))
        return lambda p: self._by_lot(p, beta * part) + 2.0 * p.t * noise

    def _by_lot(self, p: Norms, beta: float) -> Floats:
        """All sums over categories at once, for ℓ1; and with the largest entry, for ℓ2."""
        k = self.outputs
        sets = k * np.log(2.0) + np.log1p(-(2.0 ** (1 - k)))
        first = 2 * _sums(p, sets - np.log(beta))
        if self.norm == "l1":
            return first
        joint = np.sqrt(2 * _sums(p, sets - np.log(beta / 2)) * _sums(p, np.log(4 * k / beta)))
        return np.minimum(first / np.sqrt(2.0), joint)

    def _with_noise(self, size: Floats, scale: Floats) -> Floats:
        if self.beta is not None:
            return size + scale * quantile(self.norm, self.outputs, self.beta)
        cross, square = moments(self.norm, self.outputs)
        return np.asarray(size**2 + 2 * size * scale * cross + scale**2 * square)


def _moved(p: Norms) -> Floats:
    return np.asarray(p.spread**2 * p.users / max(p.users - 1, 1))


def _sums(p: Norms, log_count: float) -> Floats:
    return np.minimum(p.bias, np.sqrt(sharp.permutation_factor(p.users) * log_count / 2) * p.spread)
