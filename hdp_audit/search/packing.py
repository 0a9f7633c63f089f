"""The datasets of the lower-bound proofs: the users with the smallest demands, all in one category or all in another.

K + 1 datasets differ on the same m users, whose demands add up to S; their truths lie Δ = m/n apart. Draw one of them
evenly and let the mechanism answer. Densities are within e^S of each other, so given the answer no dataset has a
posterior above p* = e^S/(e^S + K). The open balls of radius Δ/2 around the truths are disjoint, hence

    P(error < Δ/2) ≤ p*,   E(projected error/Δ)² ≥ r* = p*(1 − p*) for p* ≥ ½, else ¼.

Projected: outputs moved coordinate by coordinate into the box of all the truths, which takes nothing from any promise
and never increases an error. Whoever is more accurate than that cannot keep these users' demands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.task import Estimate
from hdp_audit.search.worst_case import Instance

Floats = NDArray[np.float64]

MOST_RIVALS = 31  # further categories would only need more data to be written down
EXCESSES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # S − log K at which accuracy is tried


@dataclass(frozen=True, eq=False)
class Packing:
    """m users moved, their demands' sum S, and K rivals of the first dataset."""

    epsilon: Floats
    task: Estimate
    moved: int

    @property
    def rivals(self) -> int:
        """K: one for a mean."""
        return min(self.task.rivals, MOST_RIVALS)

    @cached_property
    def members(self) -> NDArray[np.int64]:
        """The users with the smallest demands."""
        return np.argsort(self.epsilon, kind="stable")[: self.moved]

    @cached_property
    def total(self) -> float:
        """S."""
        return float(self.epsilon[self.members].sum())

    @property
    def distance(self) -> float:
        """Δ."""
        return self.moved / self.epsilon.size

    @property
    def reach(self) -> float:
        """The same: the truths lie in a box of that width."""
        return self.distance

    @property
    def words(self) -> str:
        """Who is moved."""
        if self.moved == 1:
            return f"moving the user with the smallest demand (ε = {self.total:.3g})"
        return f"moving the {self.moved} users with the smallest demands (together ε = {self.total:.3g})"

    @property
    def allowed(self) -> float:
        """p* = 1/(1 + K·e^−S)."""
        return float(1.0 / (1.0 + self.rivals * np.exp(-self.total)))

    @property
    def least_risk(self) -> float:
        """r*, in units of Δ²; 1 − p* = 1/(1 + e^S/K) without cancellation."""
        if self.allowed < 0.5:
            return 0.25
        return float(self.allowed / (1.0 + np.exp(self.total) / self.rivals))

    @cached_property
    def datasets(self) -> list[Instance]:
        """Everybody at 0 (in category 0), and the m users at 1 (in category 1, ..., K)."""
        base = self.task.domain.everybody(self.epsilon.size, 0)
        listed = [Instance.of("everybody together", base, self.task)]
        for rival in range(1, self.rivals + 1):
            data = base.copy()
            data[self.members] = rival
            listed.append(Instance.of(f"the {self.moved} smallest demands at {rival}", data, self.task))
        return listed

    def projected(self, outputs: Floats) -> Floats:
        """Outputs in the box spanned by the truths."""
        truths = np.array([one.truth for one in self.datasets])
        return np.clip(outputs, truths.min(axis=0), truths.max(axis=0))


def packings(epsilon: Floats, task: Estimate, largest: float) -> list[Packing]:
    """One user, and as many as bring S near log K + each of EXCESSES; none whose S exceeds `largest`."""
    sums = np.cumsum(np.sort(epsilon))
    rivals = Packing(epsilon, task, 1).rivals
    sizes = {1} | {int(np.searchsorted(sums, excess + np.log(rivals), side="right")) for excess in EXCESSES}
    return [Packing(epsilon, task, m) for m in sorted(sizes) if m > 0 and sums[m - 1] <= largest]
