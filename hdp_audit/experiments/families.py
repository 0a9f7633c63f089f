"""Demand families of the study: a shape, a centre, a spread and a number of users; nothing is drawn at random.

log ε_i = centre + spread·Q((i − ½)/n), Q the quantile function of a shape with mean 0 and deviation 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _normal(p: Floats) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri(p))


SHAPES: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "log-uniform": lambda p: np.sqrt(3.0) * (2.0 * p - 1.0),
        "log-normal": _normal,
        "two-point": lambda p: np.where(p < 0.5, -1.0, 1.0),
        "few relaxed": lambda p: -np.log1p(-p) - 1.0,
        "few strict": lambda p: np.log(p) + 1.0,
    }
)
CENTRES = (-3.0, -1.0, 1.0)
SPREADS = (0.5, 1.0, 2.0, 3.0, 4.0)
USERS = (300, 3_000, 30_000)


@dataclass(frozen=True)
class DemandFamily:
    """One point of the grid."""

    shape: str
    centre: float
    spread: float
    users: int

    @property
    def name(self) -> str:
        """For streams and tables."""
        return f"{self.shape}, centre {self.centre:g}, spread {self.spread:g}, {self.users} users"

    @property
    def demands(self) -> Floats:
        """Ascending."""
        p = (np.arange(self.users) + 0.5) / self.users
        return np.exp(self.centre + self.spread * SHAPES[self.shape](p))


def families(quick: bool) -> list[DemandFamily]:
    """All 225, or 10 for the quick version."""
    if quick:
        return [DemandFamily(*point) for point in product(("log-uniform", "few strict"), (-1.0,), SPREADS, (300,))]
    return [DemandFamily(*point) for point in product(SHAPES, CENTRES, SPREADS, USERS)]
