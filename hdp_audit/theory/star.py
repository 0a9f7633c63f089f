"""Stars: the datasets behind lower bounds on mean squared errors of frequencies (ours).

Base: `sources` categories share the users. Node r of the arm i → j has moved the r cheapest users of the source i to j,
any of the other k − 1 categories. Each node lies within e^{±S_r} of the base, S_r the demands of those r users, and so
do two arms of one source at equal r: the same users are elsewhere.

What one output can do. With w = output − base let x ≥ 0 be the largest min(w_j, −w_i) over the arms, that of arm a.
- Node r of a errs by |r − x| or more.
- Every other node errs by x, as one of its two coordinates or of a's is where the base has it, and by r − x, as the
  minimum belonging to its own arm is at most x.
- An arm i → j with w_j ≤ 0 or w_i ≥ 0 errs by r. If d sources have w < 0, at most k − d categories have w > 0: of the
  arms with another source than a at most (d − 1)(k − d) are not of that kind.
Outputs with x beyond the last node serve nobody better than the last node's x does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NODES = 9  # of an arm, even in log-distance and again in distance
_BEYOND = 5.0  # log-distance, past that of a uniform choice among the arms, which is laid out
_OUTPUTS = 24


@dataclass(frozen=True, eq=False)
class Star:
    """Distances θ of an arm's nodes from the base (θ_0 = 0), log-distances between them, k and the sources."""

    theta: Floats
    steps: Floats
    categories: int
    sources: int

    @property
    def arms(self) -> int:
        """sources·(k − 1)."""
        return self.sources * (self.categories - 1)

    @property
    def copies(self) -> Floats:
        """How many nodes stand behind each position."""
        return np.concatenate([[1.0], np.full(self.steps.size, float(self.arms))])

    @property
    def kinds(self) -> tuple[float, float, float, float]:
        """How many arms: a itself, others of its source, of other sources that may be nearer than r, and the rest."""
        k = self.categories
        near = max((d - 1) * (k - d) for d in range(1, min(self.sources, k - 1) + 1))
        return 1.0, float(k - 2), float(near), float(self.arms - (k - 1) - near)

    def losses(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """For each x (rows) and node the squared error of each kind, at least."""
        away = self.theta - x[:, None]
        others = np.maximum(x[:, None], away) ** 2
        return away**2, others, others, np.maximum(x[:, None], self.theta) ** 2

    def outputs(self) -> Floats:
        """A grid of x with all θ and θ/2, where the losses bend."""
        even = np.linspace(0.0, float(self.theta[-1]), _OUTPUTS)
        return np.unique(np.concatenate([even, self.theta, self.theta / 2]))


def lay_star(ascending: Floats, sources: int, categories: int) -> Star | None:
    """Source i has every `sources`-th user, and all sources are given the demands of the last one, the largest."""
    sums = np.cumsum(ascending[sources - 1 :: sources])
    longest = math.log(sources * (categories - 1)) + _BEYOND
    users = min(int(np.searchsorted(sums, longest, side="left")) + 1, sums.size, int(np.searchsorted(sums, np.inf)))
    if users == 0:
        return None
    place = np.concatenate([[0.0], sums[:users]])
    even = np.searchsorted(place, np.linspace(0.0, place[-1], _NODES)).clip(0, users)
    marks = np.unique(np.concatenate([even, np.round(np.linspace(0, users, _NODES)).astype(int)]))
    return Star(marks / ascending.size, np.maximum(np.diff(place[marks]), 1e-9), categories, sources)
