"""What each variant minimises over the level: the paper's r_C and r_WC, their turbo forms, and our sharp bounds.

A criterion is a tuple of branches; its value is the least of them. Each branch has a single valley along the family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mechanisms import hull_bound, sharp
from mechanisms.demands import Floats
from mechanisms.hull_norms import Lengths
from mechanisms.noise_bounds import BOUNDS, Bounds, Law
from mechanisms.norms import Norm
from mechanisms.saturation import Branch, Norms

Criterion = tuple[Branch, ...]


@dataclass(frozen=True)
class Aim:
    """Task and metric in numbers: how many outputs, how much one user moves them, and at which error probability."""

    outputs: int  # k categories, or 1 for a mean
    sensitivity: int  # 2 for frequencies (one bin down, one up), 1 for a mean
    beta: float | None  # PAC error probability; None for mean squared error
    law: Law = "laplace"  # of the noise; of Gaussian noise demands bound w_i/σ whatever the task: sensitivity 1
    norm: Norm = "linf"  # that the error is measured in; others are for tables with hull noise

    @property
    def bounds(self) -> Bounds:
        """Those for the aim's noise."""
        return BOUNDS[self.law]

    @property
    def log_term(self) -> float:
        """L = log(k/β): with β = 1 for the squared error of frequencies, and 1 (k = e, β = 1) for that of a mean.

        In ℓ2 there is no maximum over outputs, and k = e.
        """
        if self.law == "ball":
            return 1.0 if self.beta is None else 1.0 - float(np.log(self.beta))
        if self.beta is not None:
            return float(np.log(self.outputs / self.beta))
        return float(np.log(self.outputs)) if self.outputs > 1 else 1.0

    @property
    def noise_term(self) -> float:
        """How many t the largest noise has: L as in the paper, or what is typical of Gaussian noise."""
        return self.log_term if self.law == "laplace" else self.bounds.typical_maximum(self.outputs, self.beta)

    @property
    def biased(self) -> int:
        """How many outputs the worst data bias at once under simplex weights: a frequency up, another down."""
        return min(self.outputs, 2)

    def scale(self, norms: Norms) -> Floats:
        """b: Laplace scale 2t for frequencies (alg:ADPF), t for means (alg:ADPM); of Gaussian noise σ = t."""
        return self.sensitivity * norms.t


def correlated(aim: Aim) -> Criterion:
    """‖w − 1/n‖₁² + L²‖w/ε‖∞²: r_C², eq. (ws-rc); with Gaussian noise z² or E max N² in place of L²."""
    N = aim.noise_term
    return (lambda p: 4.0 * p.bias**2 + (N * p.t) ** 2,)


def weak(aim: Aim) -> Criterion:
    """min(‖w − 1/n‖₁², L‖w‖₂²) + L²‖w/ε‖∞²: r_WC², eq. (ws-ru)."""
    return (*correlated(aim), _squared_norm(aim))


def turbo_correlated(aim: Aim) -> Criterion:
    """n‖w − 1/n‖₂² + L²‖w/ε‖∞²: HPF-CT, alg. (BDPF)."""
    N = aim.noise_term
    return (lambda p: p.users * p.spread**2 + (N * p.t) ** 2,)


def turbo_weak(aim: Aim) -> Criterion:
    """min(n‖w − 1/n‖₂², L‖w‖₂²) + L²‖w/ε‖∞²: HPF-WT, alg. (BDPF)."""
    return (*turbo_correlated(aim), _squared_norm(aim))


def _squared_norm(aim: Aim) -> Branch:
    """L‖w‖₂² + L²‖w/ε‖∞²; on the simplex ‖w‖₂² = ‖w − 1/n‖₂² + 1/n."""
    L, N = aim.log_term, aim.noise_term
    return lambda p: L * (p.spread**2 + 1.0 / p.users) + (N * p.t) ** 2


def sharp_correlated(aim: Aim) -> Criterion:
    """Ours: the exact worst error quantile, or mean squared error, of simplex weights before clipping."""
    return (_worst_case(aim, aim.biased),)


def centred(aim: Aim) -> Criterion:
    """Ours: the same for weights around ½, where the worst data bias every output by half of the missing weight."""
    return (_worst_case(aim, aim.outputs),)


def _worst_case(aim: Aim, biased: int) -> Branch:
    free, beta, worst = aim.outputs - biased, aim.beta, aim.bounds
    if beta is None:
        return lambda p: worst.worst_square(p.bias, aim.scale(p), biased, free)
    return lambda p: worst.worst_quantile(p.bias, aim.scale(p), beta, biased, free)


def sharp_weak(aim: Aim) -> Criterion:
    """Ours: the explicit bound for permuted data, or the correlated one where that is smaller."""
    k, beta, bounds = aim.outputs, aim.beta, aim.bounds
    if beta is None:
        worst = sharp_correlated(aim) if k > 1 else ()
        return (*worst, lambda p: bounds.weak_square(p.spread, aim.scale(p), p.users, k))
    return (*sharp_correlated(aim), *(_weak_quantile(aim, beta, bound) for bound in bounds.weak_quantiles))


def _weak_quantile(aim: Aim, beta: float, bound: Callable[[Floats, Floats, int, int, float], Floats]) -> Branch:
    return lambda p: bound(p.spread, aim.scale(p), p.users, aim.outputs, beta)


def hull(aim: Aim) -> Criterion:
    """Ours, frequencies only: noise on the sensitivity hull around the best c.

    The bias is half of the missing weight.
    """
    if aim.norm != "linf":
        return (Lengths(aim.norm, aim.outputs, aim.beta).around(),)
    return (lambda p: hull_bound.best_share(2.0 * p.bias, aim.scale(p), aim.outputs, aim.beta, zooms=2)[0],)


def hull_weak(aim: Aim) -> Criterion:
    """Ours, frequencies only: the same noise with simplex weights, for permuted data."""
    k, beta = aim.outputs, aim.beta
    if aim.norm != "linf":
        return Lengths(aim.norm, k, beta).permuted()

    def bound(p: Norms) -> Floats:
        return hull_bound.permuted_error(sharp.permutation_factor(p.users) * p.spread**2, aim.scale(p), k, beta)

    if beta is not None:
        return (bound,)
    return (bound, lambda p: hull_bound.joined_square(p.spread, aim.scale(p), p.users, k))


def centred_weak_square(aim: Aim) -> Criterion:
    """Ours, means only: ¼max((1−s)², s²V) + s²·Var N at the best shrinkage s."""
    variance = aim.bounds.variance
    return (lambda p: sharp.shrunken_square_mean(p.spread, aim.scale(p), p.users, variance),)


ANCHOR_BETA = 0.05  # the box's half-width is the noise quantile at this probability where the metric has none


def reach(aim: Aim, scale: Floats) -> Floats:
    """h = b·q_k(β): as far as the anchor's noise goes with probability 1 − β."""
    return scale * sharp.largest_of_exponentials(aim.outputs, ANCHOR_BETA if aim.beta is None else aim.beta)


def anchored(aim: Aim) -> Criterion:
    """Ours: the worst case of an answer within h of the anchor, worst quantile + h, or (√V + h)² by Minkowski."""
    (worst,) = sharp_correlated(aim)
    if aim.beta is None:
        return (lambda p: (np.sqrt(worst(p)) + reach(aim, aim.scale(p))) ** 2,)
    return (lambda p: worst(p) + reach(aim, aim.scale(p)),)
