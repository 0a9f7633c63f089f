"""Products of chains that draw their users from one pool (ours): frequencies of correlated data, squared error.

A: the users with the smallest demands, all raised to the largest of them, s. Datasets are counts x = (x_1..x_c), c < k:
x_j random users of A are in category j, the others of A and everybody else in a common one. Drawing the users at random
costs nothing: laws of counts that differ by one user's move are within e^s. In `chain_product` each category has users
of its own, |A|/c of them; here x_j may be larger, as seldom all are large at once.

Counts with Σx > |A| have no dataset. Fold them: x'_j = min(x_j, |A| − x'_1 − ... − x'_{j−1}). Raising one x_j by one
moves at most one user (`pool-fold` in the ledger), so the laws of the folded counts, seen as those of x, keep the steps
s of c independent chains; any certificate with prior λ has Σ_x Πλ(x_j)·P_x(‖Y − x‖∞ ≤ α) ≤ (Σν)^c over all x. With p
the prior's mass inside, Σx ≤ |A|, the average over datasets of P(error ≤ α) is at most (Σν)^c/p, one prior for all α.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.chain import Chain
from hdp_audit.theory.chain_pac import prior_certificate

Floats = NDArray[np.float64]
_NODES = 256
_LONGEST = 130.0  # in log-distance
# The prior's logarithm at even places of a chain, linear between them: what a search found where nine chains share 100
# units of log-distance. Any prior gives a bound.
_SHAPE = (-0.26, -0.36, -0.12, 0.0, -0.33, -0.68, -1.67, -2.83, -3.7, -13.3)
_SPREAD = 2.75  # standard deviations of Σx that fit below |A|
_LEAST = 1e-4  # radii beyond which so little fails are left out
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Pool:
    """c alike chains on 0, g, 2g.. users with steps g·s, their prior, and its mass p inside."""

    chain: Chain
    prior: Floats
    groups: int
    inside: float

    def risk(self) -> float:
        """∫2α·(1 − (Σν(α))^c/p)₊dα in users, constant between multiples of g/2."""
        spacing, total, before = float(self.chain.theta[1]), 0.0, 0.0
        for windows in range(1, 2 * self.prior.size):
            radius = windows * spacing / 2
            found = prior_certificate(self.chain, 2 * radius, self.prior)
            missed = 0.0 if found is None else 1 - found.success**self.groups / self.inside
            if missed < _LEAST:
                break
            total += (radius**2 - before**2) * missed
            before = radius
        return total


def pooled_risk(ascending: Floats, categories: int, start: float) -> float:
    """The larger of `start` and the risk of a promising pool."""
    size = promising_pool(ascending, categories - 1)
    if size == 0 or not 0 < start < 0.25:
        return start
    step = max(float(ascending[size - 1]), 1e-9)
    pool = lay_pool(size, step, categories - 1)
    return start if pool is None else max(start, pool.risk() / ascending.size**2)


def promising_pool(ascending: Floats, groups: int) -> int:
    """Any pool gives a bound; this one has the largest estimate of it, 0 if nobody has a positive finite demand."""
    first, last = (int(np.searchsorted(ascending, end)) for end in (1e-9, 30.0))
    if last <= first:
        return 0
    sizes = np.unique(np.geomspace(first + 1, last, 200).astype(int))
    ends = first + np.flatnonzero(np.diff(ascending[first:last], append=np.inf) > 0) + 1
    sizes = np.unique(np.append(sizes, ends[np.linspace(0, ends.size - 1, min(ends.size, 200)).astype(int)]))
    step = ascending[sizes - 1]
    # In units of 1/s² the risk grows with the whole log-distance up to that of long chains.
    score = sizes / (sizes * step + 3.5 * groups)
    return int(sizes[np.argmax(score)])


def lay_pool(size: int, step: float, groups: int) -> Pool | None:
    """Chains as long as the pool allows; None where it has too few users for two nodes."""
    places = np.linspace(0.0, 1.0, 200)
    mean = float(shaped(places) @ places)
    deviation = math.sqrt(groups * float(shaped(places) @ (places - mean) ** 2))
    most = min(size / (groups * mean + _SPREAD * deviation), _LONGEST / step, size)
    spacing = max(math.ceil(most / _NODES), 1)
    nodes = int(most) // spacing + 1
    if nodes < 2:
        return None
    prior = shaped(np.linspace(0.0, 1.0, nodes))
    inside = mass_below(prior, groups, size // spacing) - _ROUNDING
    chain = Chain(np.arange(nodes, dtype=np.float64) * spacing, np.full(nodes - 1, step * spacing))
    return Pool(chain, prior, groups, inside) if inside > 0 else None


def shaped(places: Floats) -> Floats:
    """The prior's masses at these places from 0 to 1."""
    masses = np.exp(np.interp(places, np.linspace(0.0, 1.0, len(_SHAPE)), _SHAPE))
    return np.asarray(masses / masses.sum())


def mass_below(prior: Floats, groups: int, most: int) -> float:
    """P(a sum of `groups` independent draws is at most `most`)."""
    law = np.ones(1)
    for _ in range(groups):
        law = np.convolve(law, prior)
    return float(law[: most + 1].sum())
