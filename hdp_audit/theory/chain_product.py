"""Products of chains: k−1 categories err together, and the largest error counts (ours)."""

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.chain import Chain, lay_chain
from hdp_audit.theory.chain_pac import chain_rate, prior_certificate

Floats = NDArray[np.float64]


def group_counts(categories: int) -> list[int]:
    """Numbers of groups worth trying: all k−1 categories, about two thirds, about a third."""
    most = categories - 1
    return sorted({most, max(2 * most // 3, 1), max(most // 3, 1)} - {1}, reverse=True)


def product_rate(ascending: Floats, categories: int, beta: float, start: float) -> float:
    """The best PAC bound over products of chains; at least `start`."""
    best = start
    for groups in group_counts(categories):
        best = max(best, chain_rate(ascending, beta, best, groups))
    return best


def product_risk(ascending: Floats, categories: int, start: float) -> float:
    """max over products and priors of Σ_i (α_{i+1}² − α_i²)(1 − (Σν(α_{i+1}))^c)₊, one prior for all radii α.

    Proof. E‖err‖∞² = ∫ 2α·P(‖err‖∞ > α)dα, averaged over the datasets with weights Πλ; P(… > α) ≥ 1 − (Σν)^c,
    and P(… > α) falls in α, so a step function taken from the right is below it.
    """
    if not 0 < start < 0.25:
        return start
    reach, best = float(np.sqrt(start)), start
    for groups in group_counts(categories):
        chain = lay_chain(ascending, reach, nodes=160, groups=groups, longest=130.0)
        if chain is not None:
            best = max(best, *(_tail_integral(chain, groups, prior, reach) for prior in smooth_priors(chain)))
    return best


def smooth_priors(chain: Chain) -> list[Floats]:
    """Uniform in θ, and cos² with its top in the middle: a prior that serves all radii must be smooth."""
    place = (chain.theta - chain.theta[0]) / (chain.theta[-1] - chain.theta[0])
    share = np.gradient(place)
    shapes = [share, share * np.sin(np.pi * place) ** 2]
    return [shape / shape.sum() for shape in shapes if shape.sum() > 0]


def _tail_integral(chain: Chain, groups: int, prior: Floats, reach: float) -> float:
    total, before = 0.0, 0.0
    for radius in reach * np.linspace(0.15, 6.0, 79):
        found = prior_certificate(chain, 2 * float(radius), prior)
        missed = 0.0 if found is None else 1 - found.success**groups
        if missed > 0:
            total += float(radius**2 - before**2) * missed
            before = float(radius)
    return total
