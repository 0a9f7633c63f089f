"""A chain of datasets, each one block of users away from the next, and the certificates that bound every
mechanism on it.

Dataset j has mean θ_j (up to a constant), and the laws of neighbours j, j+1 are within e^{±s_j} pointwise
(group privacy). For one output y let g_j be its density under dataset j: g lies in the cone g_j ≤
e^{s_j}g_{j+1}, g_{j+1} ≤ e^{s_j}g_j. If Σ_j c_j g_j ≥ 0 on the whole cone for every y, then integrating over
y bounds what the datasets' laws can do together.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDING = 1e-12  # far above what sums of some hundred weights and their powers lose to rounding


def falls_short(success: float, beta: float) -> bool:
    """True if an average success of at most `success`, rounding included, is less than 1−β."""
    return success + ROUNDING < 1 - beta


@dataclass(frozen=True, eq=False)
class Chain:
    """Means θ ascending, and the log-distance between neighbours (finite, ≥ 0)."""

    theta: Floats
    steps: Floats

    @cached_property
    def decay(self) -> Floats:
        """K_pj = e^{−d(p,j)}: the single-peaked density with its peak at p."""
        place = np.concatenate([[0.0], np.cumsum(self.steps)])
        return np.asarray(np.exp(-np.abs(place[:, None] - place[None, :])))

    @cached_property
    def peaks(self) -> Floats:
        """ω = K⁻¹1: ends ½(1 + tanh(s/2)), inside ½(tanh(s/2) + tanh(s'/2)); ω_p·K_pj is the chain's
        geometric mechanism.
        """
        half = np.tanh(self.steps / 2)
        return np.asarray(np.concatenate([[1.0], half]) + np.concatenate([half, [1.0]])) / 2

    def potential_inverse(self, h: Floats) -> Floats:
        """ν = K⁻¹h, tridiagonal: the ν with Σ_j ν_j K_pj = h_p for every peak p."""
        q = np.exp(-self.steps)
        gap = -np.expm1(-2 * self.steps)
        nu = h.copy()
        nu[:-1] += q * (q * h[:-1] - h[1:]) / gap
        nu[1:] += q * (q * h[1:] - h[:-1]) / gap
        return nu

    def least(self, coefficients: Floats) -> Floats:
        """min over the cone with g_0 = 1 of Σ_j c_j g_j, for each row of coefficients.

        From the far end: T_j = c_j + T_{j+1}·(e^{−s} if T_{j+1} ≥ 0 else e^{+s}), because given g_j the best
        g_{j+1} is an endpoint of its interval. T_0 ≥ 0 for all rows is a proof that the inequality holds on
        the whole cone. A step too long for doubles gives −∞, which proves nothing.
        """
        return self._descent(coefficients)[0]

    def swing(self, coefficients: Floats) -> float:
        """Σ_{j≥1} max over rows of |T_j|: what steps that hold but for a mass η can take from the inequality is η times
        that.

        If g_j ≤ e^s·g_{j+1} + ηq and g_{j+1} ≤ e^s·g_j + ηq′ with densities q, q′, the recursion loses at most
        |T_{j+1}| times η times one of them in each step, and these integrate to 1.
        """
        return self._descent(coefficients)[1]

    def _descent(self, coefficients: Floats) -> tuple[Floats, float]:
        swing = 0.0
        with np.errstate(over="ignore"):
            shrink, grow = np.exp(-self.steps), np.exp(self.steps)
            total = coefficients[:, -1].copy()
            for j in range(self.steps.size - 1, -1, -1):
                swing += max(float(total.max()), -float(total.min()))
                total = coefficients[:, j] + total * np.where(total >= 0, shrink[j], grow[j])
        return total, swing


def lay_chain(
    ascending: Floats, reach: float, nodes: int = 120, groups: int = 1, longest: float = 45.0
) -> Chain | None:
    """The users with the smallest demands, smallest in the middle, cut into about `nodes` blocks, up to the
    log-distance `longest`.

    Blocks are even in log-distance plus distance in the mean over `reach`, the error scale one expects; any
    chain is valid, this one is merely good. With several groups each takes every `groups`-th user, and all
    are given the demands of the last group, which are the largest. None if no two datasets are a finite
    log-distance apart.
    """
    smallest = ascending[groups - 1 :: groups]
    sums = np.cumsum(smallest)
    users = min(int(np.searchsorted(sums, longest, side="left")) + 1, smallest.size)
    users = min(users, int(np.searchsorted(sums, np.inf)))
    if users == 0:
        return None
    ranks = np.arange(users)
    demands = smallest[np.concatenate([ranks[1::2][::-1], ranks[0::2]])]
    place = np.concatenate([[0.0], np.cumsum(demands)])
    theta = np.arange(users + 1) / ascending.size
    marks = block_marks(place, theta, reach, nodes)
    # Equal laws would make K singular; a step of 1e-9 is a valid (larger) bound on the distance.
    return Chain(theta[marks], np.maximum(np.diff(place[marks]), 1e-9))


def block_marks(place: Floats, theta: Floats, reach: float, nodes: int) -> NDArray[np.int64]:
    """Which datasets to keep: about `nodes` of them, even in log-distance plus 4θ/reach, both ends among
    them.
    """
    measure = place + 4.0 * theta / reach
    marks = np.searchsorted(measure, np.linspace(0.0, measure[-1], nodes + 1)).clip(0, theta.size - 1)
    return np.unique(np.concatenate([[0], marks, [theta.size - 1]]))
