"""A hundred thousand users as a few columns: everybody of one demand, or of one slice of the demands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.subject import LARGEST, Floats, UserFigures

MOST_COLUMNS = 24

Shown = tuple[float, float]  # lower limit of an average, and the average


@dataclass(frozen=True)
class Column:
    """Users of similar demand: their exact losses, measured average, and from where one of them would stand out."""

    demand: float
    between: tuple[float, float]  # smallest and largest demand
    users: int
    exact: tuple[float, float] | None  # smallest and largest, each in the proportion to its own demand
    mean: Shown | None  # all columns' lower limits hold together
    alone: float | None  # median
    traced: float | None = None  # the largest that the draws allow, in the proportion to its own demand

    def drawn(self, refuted: list[float]) -> Shown | None:
        """The measured average as far as it tells something.

        What lies above the demand cannot be distinguished from a kept promise, unless a claim to a demand of this
        column was refuted and the lower limit lies above: then, and only then, it may be drawn beyond the diagonal.
        """
        if self.mean is None:
            return None
        low, middle = self.mean
        if low > self.demand and self._refuted(refuted):
            return self.mean
        return min(low, self.demand), min(middle, self.demand)

    def allowed(self, refuted: list[float]) -> float | None:
        """What the draws allow; beyond the diagonal only where a claim of this column was refuted."""
        return self.traced if self.traced is None or self._refuted(refuted) else min(self.traced, self.demand)

    def _refuted(self, refuted: list[float]) -> bool:
        return any(self.between[0] <= demand <= self.between[1] for demand in refuted)


def columns(figures: UserFigures) -> list[Column]:
    """By rising demand; demands of 0 and ∞ are left out."""
    groups = list(_groups(figures.demand))
    return [_column(figures, own, len(groups)) for own in groups]


def _groups(demand: Floats) -> Iterator[NDArray[np.intp]]:
    inner = np.flatnonzero(np.isfinite(demand) & (demand > 0))
    if inner.size == 0:
        return
    ordered = inner[np.argsort(demand[inner], kind="stable")]
    changes = np.flatnonzero(np.diff(demand[ordered])) + 1
    if changes.size < MOST_COLUMNS:
        yield from np.split(ordered, changes)
    else:
        yield from np.array_split(ordered, MOST_COLUMNS)


def _column(figures: UserFigures, own: NDArray[np.intp], among: int) -> Column:
    asked, alone = _known(figures.demand[own]), _known(figures.detectable_loss_alone[own])
    demand = float(asked.mean())
    traced = None if figures.traced is None else _exact(figures.traced[own], figures.demand[own], demand)
    return Column(
        demand,
        (float(figures.demand[own].min()), float(figures.demand[own].max())),
        int(own.size),
        _exact(figures.exact[own], figures.demand[own], demand),
        figures.average(own, among),
        float(np.median(alone)) if alone.size else None,
        None if traced is None else traced[1],
    )


def _exact(exact: Floats, asked: Floats, demand: float) -> tuple[float, float] | None:
    """In a slice of demands whoever asked for more may lose more, so each loss counts as a part of its own demand."""
    with np.errstate(over="ignore"):
        parts = _known(exact / asked)
    return (demand * float(parts.min()), demand * float(parts.max())) if parts.size else None


def _known(values: Floats) -> Floats:
    return np.clip(values[np.isfinite(values)], -LARGEST, LARGEST)
