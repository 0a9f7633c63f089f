"""Demands that Gaussian noise can keep: concentrated privacy ρ_i (zCDP), given as such or through (ε_i, δ_i).

ρ means D_α(P‖Q) ≤ αρ for every α > 1. From it (ε, δ) follows with δ = e^{(α−1)(αρ−ε)}(1 − 1/α)^α/(α − 1) for whichever
α one likes (Canonne, Kamath and Steinke 2020, the best that D_α alone can say). Solved for ρ, every α gives a ρ that is
small enough: the search over α decides how good the answer is, never whether it is right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mechanisms.arrays import as_reals
from mechanisms.demands import Floats, budgets, checked_demands, checked_losses, read_only
from mechanisms.errors import InvalidInput

_ROUNDING = 2.0**-48
_SPLIT = 2.0**27 + 1.0


@dataclass(frozen=True, eq=False)
class Concentrated:
    """Each user's ρ; `epsilon` and `delta` as they were asked for, (inf, 0) where ρ itself was."""

    rho: Floats
    epsilon: Floats
    delta: Floats

    @classmethod
    def of_rho(cls, rho: ArrayLike) -> Concentrated:
        """ρ as given; it implies no pure ε but for those who must not be used."""
        values = checked_demands(rho, "rho")
        return cls(values, read_only(np.where(values > 0, np.inf, 0.0)), read_only(np.zeros(values.size)))

    @classmethod
    def of_approximate(cls, epsilon: ArrayLike, delta: ArrayLike) -> Concentrated:
        """The largest ρ that the conversion turns into (ε_i, δ_i)."""
        first = checked_losses(epsilon)
        second = checked_delta(delta, first.size)
        rho = rho_of(first, second)
        if not budgets(rho).any():
            raise InvalidInput(
                "epsilon and delta leave nobody anything to lose under Gaussian noise (delta is 0 or too small for "
                "all users); give larger ones, or leave delta out for Laplace noise"
            )
        return cls(read_only(rho), first, second)


def checked_delta(delta: ArrayLike, users: int) -> Floats:
    """One number from 0 to 1 for each user, or one for all."""
    values = as_reals(delta, "delta", "numbers from 0 to 1")
    if values.ndim == 0:
        values = np.full(users, float(values))
    if values.shape != (users,):
        raise InvalidInput(f"delta has shape {values.shape}, demands are for {users} users; give one delta for each")
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if wrong.size:
        raise InvalidInput(
            f"user {wrong[0]}: delta = {values[wrong[0]]}; delta is a number from 0 to 1 "
            f"({wrong.size} of {users} are not)"
        )
    return read_only(values)


def rho_of(epsilon: Floats, delta: Floats) -> Floats:
    """The largest ρ with δ(ε_i) ≤ δ_i by the best α, rounded down; 0 where δ = 0, inf for public users."""
    rho = np.where(np.isinf(epsilon) | (delta >= 1), np.inf, 0.0)
    due = np.flatnonzero(np.isfinite(epsilon) & (delta > 0) & (delta < 1))
    pairs, place = np.unique(np.stack([epsilon[due], delta[due]]), axis=1, return_inverse=True)
    rho[due] = _best_order(pairs[0], pairs[1])[place.ravel()]
    return rho


def _best_order(epsilon: Floats, delta: Floats, points: int = 65, zooms: int = 7) -> Floats:
    """max over α − 1 = e^s of ρ(α): a grid on s, then the cells around its best point."""
    best = np.zeros(epsilon.size)
    # The best α − 1 is near log(1/δ)/ε, for small ε near 1/δ; 700 keeps its exponential finite.
    low, high = np.full(epsilon.size, -45.0), np.minimum(45.0 - np.log(delta), 700.0)
    rows = np.arange(epsilon.size)
    for _ in range(zooms if epsilon.size else 0):
        grid = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, points)
        values = _rho_at(np.exp(grid), epsilon[:, None], delta[:, None])
        at = values.argmax(axis=1)
        best = np.maximum(best, values[rows, at])
        low, high = grid[rows, np.maximum(at - 1, 0)], grid[rows, np.minimum(at + 1, points - 1)]
    return best


def _rho_at(above: Floats, epsilon: Floats, delta: Floats) -> Floats:
    """(ε + (log δ + log(α−1) − α·log(1 − 1/α))/(α−1))/α with α − 1 = `above`, less than that by what rounding may add.

    α·log(1 − 1/α) is −α·log1p(1/(α−1)). Each term is off by at most 8 units in its last place, 2^-49 of its size.
    """
    order = 1.0 + above
    left, right, bent = np.log(delta), np.log(above), order * np.log1p(1.0 / above)
    value = epsilon + (left + right + bent) / above
    size = epsilon + (np.abs(left) + np.abs(right) + bent) / above
    return np.maximum(value - _ROUNDING * size, 0.0) * (1.0 - _ROUNDING) / order


def ratios(rho: Floats, moved: int) -> Floats:
    """The largest doubles r with r² ≤ 2ρ/moved, exactly: what W_i/σ may be where totals move by √moved·W_i.

    `moved` is 1, 2 or 4, so the quotient is a double.
    """
    room = budgets(rho) * (2.0 / moved)
    root = np.sqrt(room)
    finite = np.isfinite(root)
    above = np.zeros(root.shape, dtype=np.bool_)
    high, low = square(root[finite])
    above[finite] = (high - room[finite]) + low > 0
    return np.where(above, np.nextafter(root, 0.0), root)


def square(values: Floats) -> tuple[Floats, Floats]:
    """x² as a sum of two doubles, exactly (Dekker and Veltkamp), for x from 2^-400 to 2^400, or 0."""
    product = values * values
    scaled = values * _SPLIT
    high = scaled - (scaled - values)
    low = values - high
    return product, ((high * high - product) + 2.0 * high * low) + low * low
