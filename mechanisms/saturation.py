"""One knob: every optimal weighting is w ∝ min(ε, ρ) for one saturation level ρ.

Why (ours): fix t = ‖w/ε‖∞, so that w_i ≤ tε_i. Among all w on the simplex under these caps, min(tε_i, λ) is majorised
by every other, hence minimises every Schur-convex criterion at once. Along the family t falls and the bias grows with
ρ; the bias A(t) = Σ(1/n − tε_i)₊ is convex in t, and so is every criterion that is convex in (bias, t) and grows with
the bias. One search over one number therefore serves all variants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mechanisms.demands import Floats


@dataclass(frozen=True)
class Norms:
    """What a criterion may look at, for one weighting or for many at once."""

    users: int
    t: Floats  # ‖w/ε‖∞, the noise each unit of sensitivity costs
    bias: Floats  # largest |Σ(w_i − 1/n)x_i| (simplex: ½‖w − 1/n‖₁; centred: half of the missing weight)
    spread: Floats  # ‖w − 1/n‖₂


Branch = Callable[[Norms], Floats]


class Family(Protocol):
    """A one-parameter family of weightings over the level ρ."""

    @property
    def lowest(self) -> float:
        """The smallest level worth trying."""
        ...

    @property
    def highest(self) -> float:
        """A level beyond which only the limit ρ = ∞ differs."""
        ...

    def at(self, levels: Floats) -> Norms:
        """The norms at finite levels."""
        ...

    def limit(self) -> Norms | None:
        """The norms at ρ = ∞ where that is a weighting of its own."""
        ...

    demands: SortedDemands


class SortedDemands:
    """Budgets in ascending order with running sums, so that any level costs one binary search.

    Sums are taken of ε − min ε: weights depend on differences of demands only through these, and equal demands then
    give a bias of exactly 0 instead of a rounding error.
    """

    def __init__(self, spendable: Floats) -> None:
        ascending = self.ascending = np.sort(spendable)
        self.users = ascending.size
        self.finite = int(np.searchsorted(ascending, np.inf))
        self.public = self.users - self.finite
        self.base = float(ascending[0]) if self.finite else 0.0
        self.excess = ascending[: self.finite] - self.base
        positive = ascending[np.searchsorted(ascending, 0.0, side="right") :]
        self.smallest = float(positive[0])
        self.largest = float(ascending[self.finite - 1]) if self.finite else 0.0
        self.sums = running_sums(self.excess)

    def near(self, level: float) -> Floats:
        """The finite positive demands next to a level."""
        at = int(np.searchsorted(self.ascending, level))
        around = self.ascending[max(at - 1, 0) : at + 2]
        return np.clip(around, self.smallest, max(self.largest, self.smallest))

    @cached_property
    def squares(self) -> Floats:
        """Running sums of (ε − min ε)²."""
        return running_sums(self.excess**2)


def running_sums(values: Floats, block: int = 1024) -> Floats:
    """0, x₁, x₁+x₂, …: sums within blocks and sums of blocks, so that the error grows with √n rather than n."""
    padded = np.zeros(-(-values.size // block) * block)
    padded[: values.size] = values
    rows = padded.reshape(-1, block)
    starts = np.concatenate([[0.0], np.cumsum(rows.sum(axis=1))[:-1]]) if rows.size else np.zeros(0)
    within = np.cumsum(rows, axis=1) + starts[:, None]
    return np.concatenate([[0.0], within.ravel()[: values.size]])


class Simplex:
    """w = min(ε, ρ)/Σmin(ε, ρ): UNI at the lowest level, Prop at the highest."""

    def __init__(self, demands: SortedDemands) -> None:
        self.demands = demands

    @property
    def lowest(self) -> float:
        """The smallest positive demand: uniform weights on all who may be used."""
        return self.demands.smallest

    @property
    def highest(self) -> float:
        """The largest demand; with public users, where their weight is all but 2⁻⁶⁰ of the whole."""
        d = self.demands
        return _far(d) if d.public else d.largest

    def at(self, levels: Floats) -> Norms:
        """t = 1/Z, A(t) and ‖w − 1/n‖₂ with Z = Σmin(ε, ρ)."""
        d = self.demands
        n = d.users
        below = np.searchsorted(d.excess, levels - d.base)
        height = levels - d.base
        mean = (d.sums[below] + (n - below) * height) / n
        t = 1.0 / (n * (d.base + mean))
        under = np.searchsorted(d.excess, mean)
        bias = t * (under * mean - d.sums[under])
        scatter = d.squares[below] + (n - below) * height**2 - n * mean**2
        return Norms(n, t, np.maximum(bias, 0.0), t * np.sqrt(np.maximum(scatter, 0.0)))

    def limit(self) -> Norms | None:
        """With public users ρ = ∞ leaves them alone with all the weight and needs no noise."""
        d = self.demands
        if not d.public:
            return None
        share = d.public / d.users
        spread = np.sqrt(1.0 / d.public - 1.0 / d.users)
        return Norms(d.users, np.zeros(1), np.array([1.0 - share]), np.array([spread]))


class Centred:
    """w = min(1, ε/ρ)/n around ½ (ours): weights below 1/n, and half of the simplex bias at equal noise."""

    def __init__(self, demands: SortedDemands) -> None:
        self.demands = demands

    @property
    def lowest(self) -> float:
        """At the smallest positive demand nobody who may be used weighs less than 1/n."""
        return self.demands.smallest

    @property
    def highest(self) -> float:
        """Beyond this the answer is ½ and the public users, to 2⁻⁶⁰."""
        return _far(self.demands)

    def at(self, levels: Floats) -> Norms:
        """t = 1/(nρ) and the bias D/2 with D = Σ(1/n − w_i)."""
        d = self.demands
        n = d.users
        below = np.searchsorted(d.excess, levels - d.base)
        missing = below * (levels - d.base) - d.sums[below]
        t = 1.0 / (n * levels)
        return Norms(n, t, 0.5 * np.maximum(missing * t, 0.0), np.full_like(t, np.nan))

    def limit(self) -> Norms | None:
        """ρ = ∞: public users at 1/n each, ½ for everybody else, no noise."""
        d = self.demands
        half_missing = np.array([0.5 * d.finite / d.users])
        return Norms(d.users, np.zeros(1), half_missing, np.array([np.nan]))


def _far(d: SortedDemands) -> float:
    return 2.0**60 * d.users * max(d.largest, 1.0)


def best_level(family: Family, branches: tuple[Branch, ...]) -> tuple[float, float]:
    """(level, value) of the least criterion; each branch has one valley, the criterion is the smallest of them."""
    limit = family.limit()
    if limit is not None and np.isinf(family.lowest):  # nobody but public users may be used
        return np.inf, min(float(branch(limit)[0]) for branch in branches)
    return min((_valley(family, branch) for branch in branches), key=lambda found: found[1])


def _valley(family: Family, branch: Branch, points: int = 129) -> tuple[float, float]:
    """Zoom on the valley: a grid on log ρ, then the two cells around its least value, until they close."""
    low, high = np.log(family.lowest), np.log(family.highest)
    level, value = family.lowest, np.inf
    while True:
        grid = np.linspace(low, high, points)
        # log and exp round: the ends must not leave the family's range.
        levels = np.clip(np.exp(grid), family.lowest, family.highest)
        values = branch(family.at(levels))
        best = int(np.argmin(values))
        if values[best] < value:
            level, value = float(levels[best]), float(values[best])
        closed = high - low <= 1e-15 * max(abs(low), abs(high), 1.0)
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, points - 1)]
        if closed or high <= low:
            break
    level, value = _snapped(family, branch, level, value)
    limit = family.limit()
    # Close to the limit is the limit: a level of 10¹⁸ says nothing that inf does not say better.
    if limit is not None and branch(limit)[0] <= value * (1 + 1e-12):
        return np.inf, float(branch(limit)[0])
    return level, value


def _snapped(family: Family, branch: Branch, level: float, value: float) -> tuple[float, float]:
    """A valley with a kink has it at a demand: take that very number, not one that is off by its last bits."""
    near = family.demands.near(level)
    values = branch(family.at(near))
    best = int(np.argmin(values))
    # Equal to rounding is equal.
    return (float(near[best]), float(values[best])) if values[best] <= value * (1 + 1e-14) else (level, value)
