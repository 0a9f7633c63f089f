"""How far a promise that is a curve lets the average of an output move, whatever the law of its noise.

Let F be the law of an output on one dataset and G on a neighbouring one. Every event "above x" keeps the promise:
1 − G ≤ e^ε(1 − F) + δ(ε) for every ε, and F ≤ e^ε·G + δ(ε). So the averages, which are ∫(F − G) apart, are at most
∫(F − least(F)) apart, where `least` is the smallest G that the curve allows. Normal noise attains it for a Gaussian
promise. Read backwards, an effect shows a loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.promise import Limit, Promise
from hdp_audit.search.reach import Noise

Floats = NDArray[np.float64]

STRENGTHS = np.append(0.0, np.geomspace(1e-4, 20.0, 60))  # at which it is calculated; straight in between
LEVELS = 400
RARE = np.geomspace(1e-9, 0.5, 60)  # where lines touch the curve


@dataclass(frozen=True, eq=False)
class CurveNoise(Noise):
    """Noise whose users were promised a curve; `limit` is one of them, for its kind."""

    limit: Limit | None = None

    @property
    def scale(self) -> float:
        """Effect over strength, were the noise normal."""
        return self.spread

    def allowed(self, promise: Promise) -> Floats:
        """How far everybody may move the output, were the noise normal."""
        kinds, place = np.unique(np.stack(list(promise.columns.values())), axis=1, return_inverse=True)
        first = [int(np.argmax(place.ravel() == kind)) for kind in range(kinds.shape[1])]
        shifts = np.array([promise.group(np.array([user])).gaussian() for user in first])
        return np.where(np.isinf(promise.strengths), np.inf, shifts[place.ravel()] * self.scale)

    @property
    def largest(self) -> float:
        """Beyond it strengths are not told apart."""
        return float(STRENGTHS[-1])

    @cached_property
    def _reaches(self) -> Floats:
        """Of each of STRENGTHS."""
        ordered = np.sort(self.around.ravel())
        places = np.unique(np.linspace(0, ordered.size - 1, LEVELS).astype(np.int64))
        below = (places[:-1] + 0.5) / ordered.size
        steps = np.diff(ordered[places])
        limit = self.limit
        if limit is None:
            raise AssertionError("noise under a curve has one")
        found = [float((steps * (below - _least(limit.at(float(each)), below))).sum()) for each in STRENGTHS]
        return np.maximum.accumulate(found)

    def reach(self, losses: Floats) -> Floats:
        """How far strengths move the average at most."""
        return np.interp(losses, STRENGTHS, self._reaches)

    def losses(self, moved: Floats) -> Floats:
        """The strengths that effects show, with their signs; NaN where noise does not speak."""
        if not self.speaks:
            return np.full(np.shape(moved), np.nan)
        reaches, kept = np.unique(self._reaches, return_index=True)
        return np.asarray(np.copysign(np.interp(np.abs(moved), reaches, STRENGTHS[kept]), moved))


def _least(limit: Limit, below: Floats) -> Floats:
    """The smallest G that F = `below` allows, by lines that touch the curve in either direction."""
    epsilon = limit.tangent(RARE)[:, None]
    delta = limit.delta(epsilon)
    upper = 1.0 - (np.exp(epsilon) * (1.0 - below) + delta)
    lower = (below - delta) * np.exp(-epsilon)
    return np.asarray(np.clip(np.maximum(upper, lower).max(axis=0), 0.0, below))
