"""Spiders: `arms` equal chains of datasets that share their first node, and c-fold products of spiders
(ours).

Node 0 puts a group of users in a common category; node i of arm j has moved the first blocks of them to
category j. A product has c groups with disjoint users and disjoint categories, hence c·arms ≤ k−1. One output
y serves, within the ℓ∞ radius α of each node's frequencies: either an interval of one arm without node 0 (y_j
> α shuts out the other arms), or node 0 with a piece of every arm.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Spider:
    """Distances θ of an arm's nodes from node 0 (θ_0 = 0, ascending), log-distances between them, number of
    arms.
    """

    theta: Floats
    steps: Floats
    arms: int

    @property
    def copies(self) -> Floats:
        """How many nodes stand behind each position: 1 for node 0, `arms` for the others."""
        return np.concatenate([[1.0], np.full(self.steps.size, float(self.arms))])

    def windows(self, width: float) -> list[tuple[bool, int, int]]:
        """(all arms?, first, last position): the maximal sets of nodes that one output serves for α <
        width/2.
        """
        last = np.searchsorted(self.theta, self.theta + width * (1 - 1e-12), side="left") - 1
        first = np.flatnonzero(np.diff(last, prepend=-1) > 0)
        found = [(True, 0, int(last[0]))]
        # A window of one arm that reaches no further than the central one is part of it.
        return found + [(False, int(start), int(last[start])) for start in first[first > 0]]

    def arm_least(self, coefficients: Floats) -> Floats:
        """min of Σ_{i≥1} c_i g_i over one arm's cone with g_0 = 1, for each row; c_0 is not counted."""
        shrink, grow = np.exp(-self.steps), np.exp(self.steps)
        total = np.zeros(coefficients.shape[0])
        for i in range(self.steps.size, 0, -1):
            total = coefficients[:, i] + total
            total = np.where(total >= 0, total * shrink[i - 1], total * grow[i - 1])
        return total


@dataclass(frozen=True)
class SpiderCertificate:
    """Σ λ_x·P_x(‖Y − θ_x‖∞ ≤ α) ≤ Σ ν_x over the nodes x of one spider, for every α < width/2 and every
    mechanism.

    With ν ≥ 0 the c-fold product has Σ Πλ·P(…) ≤ (Σν)^c: apply the inequality in one group with the other
    groups' nodes held fixed; its right side is a non-negative combination of densities, hence again in the
    cone of the remaining groups; repeat.
    """

    spider: Spider
    width: float
    prior: Floats
    nu: Floats

    @property
    def success(self) -> float:
        """Σν, the bound for one group."""
        return float(self.spider.copies @ self.nu)

    def proves(self) -> bool:
        """The inequality holds on the whole cone for every window, λ ≥ 0 sums to at least 1, ν ≥ 0."""
        spider = self.spider
        free = spider.arm_least(self.nu[None, :])[0]
        for everywhere, first, last in spider.windows(self.width):
            left = self.nu.copy()
            left[first : last + 1] -= self.prior[first : last + 1]
            arm = spider.arm_least(left[None, :])[0]
            others = (spider.arms - 1) * (arm if everywhere else free)
            if left[0] + arm + others < 0:
                return False
        total = float(spider.copies @ self.prior)
        return bool((self.prior >= 0).all() and (self.nu >= 0).all() and total >= 1 - 1e-12)
