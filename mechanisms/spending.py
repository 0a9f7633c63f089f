"""How much of their budget each user spends: the weightings of the paper, the baselines' and ours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechanisms import criteria, hull_bound, sharp
from mechanisms.anchored import Anchoring
from mechanisms.criteria import Aim, Criterion
from mechanisms.demands import SMALLEST, Floats
from mechanisms.hull_norms import Lengths
from mechanisms.saturation import Centred, Simplex, SortedDemands, best_level
from mechanisms.weighted import Spending


def saturated(spendable: Floats, level: float) -> Spending:
    """min(ε, ρ), divided by their sum."""
    if np.isinf(level):
        return public_only(spendable)
    losses = np.minimum(spendable, level)
    return Spending(losses, level)


def public_only(spendable: Floats) -> Spending:
    """ρ = ∞: public users alone, equally and without noise; nobody else loses anything."""
    return Spending(np.isinf(spendable).astype(np.float64), np.inf, noiseless=True)


def optimised(spendable: Floats, criterion: Criterion) -> Spending:
    """min(ε, ρ) at the level that minimises the criterion: tab:hpf-weights and tab:hpm-weights."""
    level, _ = best_level(Simplex(SortedDemands(spendable)), criterion)
    return saturated(spendable, level)


def agnostic(spendable: Floats) -> Spending:
    """w ∝ 1 − e^{−ε}: HPF-A and HPM-A; (1 − e^{−ε})/ε falls with ε, so the smallest positive demand sets the noise."""
    soft = -np.expm1(-spendable)
    smallest = spendable[spendable > 0].min()
    if np.isinf(smallest):
        return public_only(spendable)
    losses = np.minimum(soft * (smallest / -np.expm1(-smallest)), spendable)
    return Spending(losses)


def uniform(spendable: Floats) -> Spending:
    """UNI: equal weights for all who may be used, at the smallest positive demand."""
    return saturated(spendable, float(spendable[spendable > 0].min()))


def proportional(spendable: Floats) -> Spending:
    """Prop: w ∝ ε, everybody spends all; with public users only these, without noise."""
    return saturated(spendable, float(spendable.max()))


def thresholded(spendable: Floats, aim: Aim) -> Spending:
    """Demands below a cut are dropped, the rest weigh the same: the weights in the proof of thm:corr-minimax.

    The cut minimises the simple bound, bias + noise: a + b·q_k(β), or (a + b√(H² + H₂))² for the squared error.
    """
    ascending = np.sort(spendable)
    cuts, first = np.unique(ascending[np.searchsorted(ascending, 0.0, side="right") :], return_index=True)
    kept = np.count_nonzero(ascending) - first
    bias = 1.0 - kept / spendable.size
    noise = aim.bounds.typical_maximum(aim.outputs, aim.beta) * aim.sensitivity / (kept * cuts)
    cut = float(cuts[np.argmin(bias + noise)])
    if np.isinf(cut):
        return public_only(spendable)
    return Spending(np.where(spendable >= cut, cut, 0.0))


def centred(spendable: Floats, criterion: Criterion) -> Spending:
    """min(ε, ρ) divided by nρ instead of their sum: weights min(1, ε/ρ)/n around ½ (ours)."""
    level, _ = best_level(Centred(SortedDemands(spendable)), criterion)
    return at_level(spendable, level)


def at_level(spendable: Floats, level: float) -> Spending:
    """min(ε, ρ) divided by nρ, at a level that was given."""
    if np.isinf(level):
        public = np.isinf(spendable).astype(np.float64)
        return Spending(public, level, divisor=spendable.size, noiseless=True)
    return Spending(np.minimum(spendable, level), level, divisor=level * spendable.size)


def stretched(spendable: Floats) -> Spending:
    """Every datum shrunk towards 0 by ε_i/max ε, then divided by n: weights ε_i/(n·max ε), the rest worth nothing.

    Noise is what the largest demand alone would need, so user i loses exactly ε_i. With public users they alone count.
    """
    return replace(at_level(spendable, float(spendable.max())), share=0.0)


def centred_weak(spendable: Floats, aim: Aim) -> Spending:
    """Simplex weights shrunk towards ½ (ours): the sum they are divided by grows by 1/s."""
    family = Simplex(SortedDemands(spendable))
    level, _ = best_level(family, criteria.centred_weak_square(aim))
    norms = family.limit() if np.isinf(level) else family.at(np.array([level]))
    assert norms is not None  # noqa: S101 - an infinite level is only found where the limit exists
    shrunk = float(sharp.shrinkage(norms.spread, norms.t, norms.users, aim.bounds.variance)[0])
    plain = saturated(spendable, level)
    return Spending(plain.losses, level, float(plain.losses.sum()) / shrunk, plain.noiseless)


def hull(spendable: Floats, aim: Aim) -> Spending:
    """Weights min(1, ε/ρ)/n around the best c, for noise on the sensitivity hull (ours)."""
    family = Centred(SortedDemands(spendable))
    level, _ = best_level(family, criteria.hull(aim))
    plain = at_level(spendable, level)
    if aim.norm != "linf":
        return replace(plain, share=Lengths(aim.norm, aim.outputs, aim.beta).share)
    norms = family.limit() if np.isinf(level) else family.at(np.array([level]))
    assert norms is not None  # noqa: S101 - the centred family always has its limit
    _, share = hull_bound.best_share(2.0 * norms.bias, aim.scale(norms), aim.outputs, aim.beta, zooms=6)
    return replace(plain, share=float(share[0]))


def anchored(spendable: Floats, aim: Aim) -> Anchoring:
    """An anchor at its own level, and an opinion from what is left above it, if that is worth the box (ours).

    Decided from the demands alone: the opinion must promise less error on permuted data than the sharp weights would.
    """
    sharp_level, _ = best_level(Simplex(SortedDemands(spendable)), criteria.sharp_correlated(aim))
    alone = Anchoring(saturated(spendable, sharp_level))
    level, _ = best_level(Simplex(SortedDemands(spendable)), criteria.anchored(aim))
    if np.isinf(level) or np.isinf(sharp_level):
        return alone
    left = _above(spendable, level)
    if not left.any():
        return alone
    opinion_level, promised = best_level(Simplex(SortedDemands(left)), criteria.sharp_weak(aim))
    family = Simplex(SortedDemands(spendable))
    plain = min(float(branch(family.at(np.array([sharp_level])))[0]) for branch in criteria.sharp_weak(aim))
    if promised >= plain:
        return alone
    anchor = saturated(spendable, level)
    scale = aim.sensitivity / float(anchor.losses.sum())
    return Anchoring(anchor, saturated(left, opinion_level), float(criteria.reach(aim, np.array([scale]))[0]))


def _above(spendable: Floats, level: float) -> Floats:
    """(ε − ρ)₊, rounded towards 0: with min(ε, ρ) it stays within the demand in exact arithmetic."""
    rest = spendable - level
    rounded = np.where(np.isinf(rest), rest, np.nextafter(rest, 0.0))
    return np.where(rounded >= SMALLEST, rounded, 0.0)
