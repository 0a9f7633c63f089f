"""A hundred thousand users as a few columns: everybody of one demand, or of one slice of the demands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.subject import Floats, UserFigures

MOST = 24
NINETY_NINE_POINT_NINE = 3.29  # two-sided normal quantile

LARGEST = 1e12  # no picture reaches farther


@dataclass(frozen=True)
class Column:
    """Users of like demand: their exact losses, estimates, and from where one of them would stand out."""

    demand: float
    users: int
    exact: tuple[float, float] | None  # smallest and largest
    spread: tuple[float, float] | None  # from 5% to 95% of the single estimates
    mean: tuple[float, float, float] | None  # interval and middle of their average
    nameable: float | None  # median


def columns(figures: UserFigures) -> list[Column]:
    """By rising demand; demands of 0 and ∞ are left out."""
    return [_column(figures, own) for own in _groups(figures.demand)]


def _groups(demand: Floats) -> Iterator[NDArray[np.intp]]:
    inner = np.flatnonzero(np.isfinite(demand) & (demand > 0))
    if inner.size == 0:
        return
    ordered = inner[np.argsort(demand[inner], kind="stable")]
    changes = np.flatnonzero(np.diff(demand[ordered])) + 1
    if changes.size < MOST:
        yield from np.split(ordered, changes)
    else:
        yield from np.array_split(ordered, MOST)


def _column(figures: UserFigures, own: NDArray[np.intp]) -> Column:
    exact, estimate, nameable = (_known(values[own]) for values in (figures.exact, figures.estimate, figures.nameable))
    return Column(
        float(_known(figures.demand[own]).mean()),
        int(own.size),
        (float(exact.min()), float(exact.max())) if exact.size else None,
        (float(np.quantile(estimate, 0.05)), float(np.quantile(estimate, 0.95))) if estimate.size else None,
        _mean(figures.estimate[own], figures.error[own]),
        float(np.median(nameable)) if nameable.size else None,
    )


def _known(values: Floats) -> Floats:
    return np.clip(values[np.isfinite(values)], -LARGEST, LARGEST)


def _mean(estimate: Floats, error: Floats) -> tuple[float, float, float] | None:
    """Everybody's coins are independent, so the standard error of the average is that of a sum."""
    good = np.isfinite(estimate) & np.isfinite(error)
    if not good.any():
        return None
    middle, errors = float(_known(estimate[good]).mean()), _known(error[good])
    around = NINETY_NINE_POINT_NINE * float(np.sqrt((errors**2).sum())) / errors.size
    return middle - around, middle, middle + around
