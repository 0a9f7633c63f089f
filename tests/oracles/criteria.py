"""Every criterion written once more from the paper and from the derivations, as functions of `Features`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from mechanisms import Entry, entry
from tests.oracles.features import Features, mp
from tests.oracles.worst_case import max_exponential_quantile, mean_square, quantile

Branch = Callable[[Features], Any]
Family = Literal["simplex", "capped", "scaled"]
WEAK = "weakly-correlated"


@dataclass(frozen=True)
class Criterion:
    """The smallest of its branches; each branch is minimised alone."""

    family: Family
    branches: tuple[Branch, ...]
    noise: int  # noise scale over t: 2 for frequencies, 1 for means

    def at(self, features: Features) -> Any:
        """The criterion's value."""
        return min(branch(features) for branch in self.branches)


def log_factor(asked: Entry[Any], outputs: int, beta: float) -> Any:
    """The paper's L = log(k/β): k = 1 for the mean, β = 1 for MSE, and L = 1 for the mean's MSE (k = e)."""
    if asked.metric == "mse":
        return mp.log(outputs) if outputs > 1 else mp.one
    return mp.log(mp.mpf(outputs) / mp.mpf(beta))


def bias_l1(L: Any) -> Branch:
    """eq:ws-rc: ‖w−u‖₁² + L²t²."""
    return lambda f: (2 * f.shortfall) ** 2 + (L * f.t) ** 2


def norm_l2(L: Any) -> Branch:
    """eq:ws-ru, second branch: L‖w‖₂² + L²t²."""
    return lambda f: L * f.norm**2 + (L * f.t) ** 2


def turbo_l2(L: Any) -> Branch:
    """alg:BDPF: n‖w−u‖₂² + L²t²."""
    return lambda f: f.n * f.spread**2 + (L * f.t) ** 2


def harmonic(k: int, power: int = 1) -> Any:
    """Σ_{i≤k} i^{−power}."""
    return mp.fsum([mp.one / i**power for i in range(1, k + 1)])


@lru_cache(maxsize=256)
def permutation_factor(n: int) -> Any:
    """K_n = 1 + H_{n−1}/(n−1); 0 for one user, who cannot be permuted."""
    if n == 1:
        return mp.zero
    inner = harmonic(n - 1) if n < 10**5 else mp.digamma(n) + mp.euler
    return 1 + inner / (n - 1)


def split_tail(V: Any, b: Any, beta: float, outputs: int) -> Any:
    """min over β₁+β₂ = β of V√(log(2k/β₁)/2) + b·q_k(β₂); convex in β₁, so bisect the derivative's sign."""
    if V == 0:
        return b * max_exponential_quantile(beta, outputs)
    if b == 0:
        return V * mp.sqrt(mp.log(2 * outputs / mp.mpf(beta)) / 2)
    theta = _split_point(float(mp.log(V) - mp.log(b)), beta, outputs)
    first = mp.mpf(beta) / (1 + mp.exp(-theta))
    second = mp.mpf(beta) / (1 + mp.exp(theta))
    return V * mp.sqrt(mp.log(2 * outputs / first) / 2) + b * max_exponential_quantile(second, outputs)


def _split_point(log_ratio: float, beta: float, outputs: int) -> float:
    """θ with β₁ = β/(1+e^{−θ}) where both slopes agree; doubles suffice because the minimum is flat."""
    low, high = -400.0, 400.0
    for _ in range(48):
        middle = (low + high) / 2
        log_first = math.log(beta) - _softplus(-middle)
        second = beta * math.exp(-_softplus(middle))
        down = log_ratio - math.log(2) - log_first - 0.5 * math.log(2 * (math.log(2 * outputs) - log_first))
        kept = math.log1p(-second) / outputs
        up = kept - math.log1p(-second) - math.log(outputs) - math.log(-math.expm1(kept))
        low, high = (middle, high) if down > up else (low, middle)
    return (low + high) / 2


def _softplus(z: float) -> float:
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


def largest_variance(n: int) -> Any:
    """max of Σ(x−μ)²/(n−1) over [0,1]^n."""
    if n == 1:
        return mp.zero
    return mp.mpf(n) / (4 * (n - 1)) if n % 2 == 0 else mp.mpf(n + 1) / (4 * n)


def _weak_pac(beta: float, k: int, noise: int) -> Branch:
    return lambda f: split_tail(mp.sqrt(permutation_factor(f.n)) * f.spread, noise * f.t, beta, k)


def _tilted_pac(beta: float, k: int, noise: int) -> Branch:
    """b·log(k/β) + K_n‖w−u‖₂²/(8b)."""

    def value(f: Features) -> Any:
        b = noise * f.t
        if b == 0:
            return mp.inf
        return b * mp.log(k / mp.mpf(beta)) + permutation_factor(f.n) * f.spread**2 / (8 * b)

    return value


def _weak_mse_frequency(k: int) -> Branch:
    H, H2 = harmonic(k), harmonic(k, 2)

    def value(f: Features) -> Any:
        root = (1 - mp.one / k) * mp.sqrt(mp.mpf(f.n) / max(f.n - 1, 1)) * f.spread
        b = 2 * f.t
        return root**2 + 2 * root * b * H + b * b * (H * H + H2)

    return value


def _weak_mse_mean(f: Features) -> Any:
    return largest_variance(f.n) * f.spread**2 + 2 * f.t**2


def _weak_mse_mean_centred(f: Features) -> Any:
    """¼max((1−Σw)², ‖w−(Σw)u‖₂²·n/(n−1)) + 2t²."""
    pure = f.spread**2 * f.n / max(f.n - 1, 1)
    return max((1 - f.total) ** 2, pure) / 4 + 2 * f.t**2


def criterion(name: str, categories: int | None = None, beta: float = 0.05) -> Criterion:
    """The criterion that the optimised mechanism `name` minimises."""
    asked = entry(name)
    noise, k = (2, categories or 2) if asked.task == "frequency" else (1, 1)
    if asked.rule == "centred":
        return _centred(asked, k, beta, noise)
    if asked.rule == "sharp":
        return Criterion("simplex", _sharp(asked, k, beta, noise), noise)
    return Criterion("simplex", _paper(asked, log_factor(asked, k, beta)), noise)


def _paper(asked: Entry[Any], L: Any) -> tuple[Branch, ...]:
    first = turbo_l2(L) if asked.rule == "turbo" else bias_l1(L)
    return (first, norm_l2(L)) if asked.setting == WEAK else (first,)


def _sharp(asked: Entry[Any], k: int, beta: float, noise: int) -> tuple[Branch, ...]:
    biased, weakly = min(k, 2), asked.setting == WEAK
    if weakly and asked.metric == "mse" and k == 1:
        return (_weak_mse_mean,)
    if asked.metric == "pac":
        correlated: Branch = lambda f: quantile(f.shortfall, noise * f.t, beta, k, biased)  # noqa: E731
        if weakly:
            return (correlated, _tilted_pac(beta, k, noise), _weak_pac(beta, k, noise))
        return (correlated,)
    correlated = lambda f: mean_square(f.shortfall, noise * f.t, k, biased)  # noqa: E731
    weak = _weak_mse_frequency(k)
    return (correlated, weak) if weakly else (correlated,)


def _centred(asked: Entry[Any], k: int, beta: float, noise: int) -> Criterion:
    if asked.setting == WEAK:
        return Criterion("scaled", (_weak_mse_mean_centred,), noise)
    if asked.metric == "pac":
        return Criterion("capped", (lambda f: quantile(f.shortfall / 2, noise * f.t, beta, k, k),), noise)
    return Criterion("capped", (lambda f: mean_square(f.shortfall / 2, noise * f.t, k, k),), noise)
