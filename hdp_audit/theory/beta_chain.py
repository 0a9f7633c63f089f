"""Weak setting: coins of one unknown bias for everybody, the users with large demands in the clear, and a chain on the
number of heads among the others (ours).

p ~ Beta(a, a), then all data independently Bernoulli(p): exchangeable, so permuting changes nothing. Users B are handed
to the mechanism in the clear; given their b heads the number N of heads in A is beta-binomial, and A's heads are a
uniform N-subset of A. Let P_j be the law of the output given N = j (and B's data).

`typical_steps` has the log-distance between neighbours: the laws form a chain, its steps those of the least r of all j.

Many b. Bayes risk grows with the prior and is proportional to it; shifting all counts changes nothing, as all steps
are alike. So for a block of b, shifted to their means and divided by their masses, the pointwise least prior φ serves
all: the risk is at least Σ_b mass_b·risk(φ). For success probabilities what φ leaves out counts as success.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.chain import Chain, falls_short
from hdp_audit.theory.chain_mse import potential_certificate
from hdp_audit.theory.chain_pac import prior_certificate
from hdp_audit.theory.typical_steps import Steps, promising_steps

Floats = NDArray[np.float64]
_LARGEST = 30.0  # demands above belong to B
_REACH = 4.0  # standard deviations of N that a chain covers
_SPREAD = 3.3  # and those of b
_BLOCKS = 8
_FINE_BLOCKS = 100  # for squared errors, where there are few b
_FEW = 400
_NODES = 90
_MOST_NODES = 400
_TOGETHER = 0.03  # residues that share a prior, in standard deviations
_ROUNDING = 1 - 1e-9  # off every weight, for rounding in the logarithms


@dataclass(frozen=True)
class Block:
    """The least prior φ of some b over consecutive counts, the mass of those b, how many residues may be
    taken together, and their chain's step with its η.
    """

    mass: float
    prior: Floats
    together: int
    step: float
    leak: float

    def classes(self) -> Iterator[tuple[int, Chain, Floats, float]]:
        """(how many, chain, prior, η) for the residues of the count modulo a stride; telling the residue splits the
        problem, and residues in a row share their least prior.
        """
        last = self.prior.size - 1
        fine = int(min(last // _NODES, 0.5 / self.step))
        stride = max(1, last // _MOST_NODES, fine)
        nodes = last // stride + 1
        if nodes < 2:
            return
        padded = np.zeros(nodes * stride)
        padded[: min(last + 1, padded.size)] = self.prior[: padded.size]
        residues = padded.reshape(nodes, stride).T
        chain = Chain(np.arange(nodes, dtype=np.float64) * stride, np.full(nodes - 1, self.step * stride))
        # Steps in a row: each η is carried on by the ratios of the steps after it.
        leak = self.leak * stride * math.exp(self.step * stride)
        for group in np.array_split(residues, math.ceil(stride / max(self.together, 1))):
            share = group.min(axis=0)
            if share.any():
                yield group.shape[0], chain, share, leak


@dataclass(frozen=True, eq=False)
class BetaPlan:
    """How many users belong to A, to B, 2a of the Beta law, and the steps of chains on A."""

    size: int
    clear: int
    twice_a: float
    steps: Steps

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of N given the middle b."""
        total = self.twice_a + self.clear
        return math.sqrt(self.size / 4 * (1 + (self.size - 1) / (total + 1)))

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """The b to consider, up to the middle; the others mirror them."""
        spread = math.sqrt(self.clear / 4 * (self.twice_a + self.clear) / (self.twice_a + 1))
        return np.arange(max(0, math.floor(self.clear / 2 - _SPREAD * spread)), self.clear // 2 + 1)

    @property
    def reach(self) -> int:
        """W: counts within W of their mean are part of a chain."""
        return math.ceil(_REACH * self.deviation)

    def means(self) -> Floats:
        """E N for each b."""
        return np.asarray(self.size * (self.twice_a / 2 + self.heads) / (self.twice_a + self.clear))

    def groups(self, *, fine: bool = False) -> list[NDArray[np.int64]]:
        """Which b share a block: neighbours, and where a count matters those whose means lie alike between counts."""
        parts = min(max(math.ceil(25 / self.deviation), 1), 5)
        found = []
        blocks = _FINE_BLOCKS if fine and self.heads.size <= _FEW else _BLOCKS
        pieces = min(blocks * (3 if parts > 3 else 1), self.heads.size)
        for near in np.array_split(np.arange(self.heads.size), pieces):
            between = np.argsort(self.means()[near] % 1.0)
            found += [near[part] for part in np.array_split(between, min(parts, near.size))]
        return found

    def blocks(self, *, fine: bool = False) -> Iterator[Block]:
        """All b in blocks, each with its least prior; smaller blocks lose less and take longer."""
        mirrored = np.where(2 * self.heads == self.clear, 1.0, 2.0)
        means = self.means()
        for group in self.groups(fine=fine):
            # Shifts by whole counts: rounding may go either way, so that those of one block stay together.
            off = float(means[group[0]] % 1.0) - 0.5
            centres = np.round(means[group] - off).astype(np.int64)
            low, high = max(int(centres.min()) - self.reach, 0), min(int(centres.max()) + self.reach, self.size)
            masses, least = self._masses_and_least(self.heads[group], centres)
            mass, together = float((masses * mirrored[group]).sum()), int(_TOGETHER * self.deviation)
            r = min(self.size - high + 1, low + 1)
            yield Block(mass, least, together, *self.steps.step(r))

    def _masses_and_least(self, heads: NDArray[np.int64], centres: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Of P(N = centre + ·, b): the sum for each b, and the least of all b once each is divided by its own.

        One b after another: with millions of users there are thousands of b and tens of thousands of counts.
        """
        first, last = max(int(centres.min()) - self.reach, 0), min(int(centres.max()) + self.reach, self.size)
        start = int(heads.min()) + first
        own = _log_choose(self.size, np.arange(first, last + 1))
        both = self._log_beta(np.arange(start, int(heads.max()) + last + 1))
        masses, least = np.empty(heads.size), np.full(2 * self.reach + 1, np.inf)
        for place, (b, centre, choose) in enumerate(
            zip(heads.tolist(), centres.tolist(), _log_choose(self.clear, heads), strict=True)
        ):
            low, high = max(centre - self.reach, 0), min(centre + self.reach, self.size) + 1
            weights = np.zeros(least.size)
            logs = own[low - first : high - first] + choose + both[b + low - start : b + high - start]
            np.exp(logs, out=weights[low - centre + self.reach : high - centre + self.reach])
            weights *= _ROUNDING
            masses[place] = weights.sum()
            np.minimum(least, weights / masses[place], out=least)
        return masses, least

    def _log_beta(self, heads: NDArray[np.int64]) -> Floats:
        """log of B(a + heads, a + n − heads)/B(a, a)."""
        a, n = self.twice_a / 2, self.size + self.clear
        return np.asarray(special.betaln(a + heads, a + n - heads) - float(special.betaln(a, a)))


def _log_choose(n: int, m: NDArray[np.int64]) -> Floats:
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(m + 1.0) - special.gammaln(n - m + 1.0))


def beta_plans(ascending: Floats, count: int = 1) -> list[BetaPlan]:
    """The most promising sizes of A; any size and any a give a bound."""
    n = ascending.size
    usable = int(np.searchsorted(ascending, _LARGEST))
    if usable == 0:
        return []
    growth = np.exp(ascending[:usable])
    ends = np.append(np.flatnonzero(np.diff(growth) > 0) + 1, usable)
    ends = ends[np.linspace(0, ends.size - 1, min(ends.size, 60)).astype(int)]
    sizes = np.unique(np.concatenate([np.geomspace(1, usable, 120).astype(int), ends]))
    # Near the best of 2a/(2a+1)·(1 + |A|/(|B| + 2a)), rather above: fewer b matter then.
    twice_a = np.maximum(1.5 * np.sqrt((n - sizes) * (n / sizes)), min(16.0, n))
    # The risk of Gaussians with the same variances, the steps those of typical halves; it picks the sizes only.
    variance = sizes * twice_a / (twice_a + 1) / 4 * (1 + sizes / (n - sizes + twice_a))
    steps = promising_steps(growth, sizes, np.maximum(sizes // 2, 1))
    score = variance / (1 + variance * steps**2 / 2)
    best = np.argsort(score)[::-1][:count]
    return [BetaPlan(int(sizes[i]), n - int(sizes[i]), float(twice_a[i]), Steps(growth[: sizes[i]])) for i in best]


def beta_mse(ascending: Floats) -> float:
    """The largest Σ_b mass_b·risk(φ)/n² over the plans."""
    return max((plan_risk(plan) for plan in beta_plans(ascending)), default=0.0)


def plan_risk(plan: BetaPlan) -> float:
    """Σ_b mass_b·risk(φ)/n²: at least the mean variance of N/n given the output, under the plan's prior."""
    total = math.fsum(block.mass * block_risk(block, plan.deviation) for block in plan.blocks(fine=True))
    return total / (plan.size + plan.clear) ** 2


def block_risk(block: Block, deviation: float) -> float:
    """The risk of φ, all residues together; outputs are checked as finely as `deviation`, that of N, asks."""
    total = 0.0
    spacing = min(deviation, 1.4 / block.step) / 24
    for times, chain, prior, leak in block.classes():
        found = potential_certificate(chain, prior, spacing)
        if found is not None:
            total += times * max(found.risk - (leak * found.swing() if leak else 0.0), 0.0)
    return total


def beta_pac(ascending: Floats, beta: float, start: float = 0.0) -> float:
    """The largest width/2n at which the chains allow an average success below 1−β (as for `coin_pac`); at least
    `start`, a bound already known.
    """
    if beta >= 0.5 or start >= 0.5:
        return start
    known = int(2 * ascending.size * start * (1 + 1e-12))
    plans = beta_plans(ascending)
    found = [widest(list(plan.blocks()), beta, known, 2 * plan.reach) for plan in plans]
    return max(min(max(found, default=0) / (2 * ascending.size), 0.5), start)


def widest(blocks: list[Block], beta: float, known: int, most: int) -> int:
    """The largest refuted width up to `most`, in users: windows hold at most so many consecutive counts. Doubled steps
    up from `known`, then bisection.
    """

    def refuted(width: int) -> bool:
        parts = [(block.mass, *shortfall(block, float(width))) for block in blocks]
        return falls_short(1 - math.fsum(mass * max(missed - leaked, 0.0) for mass, missed, leaked in parts), beta)

    low, step = known, max(known // 8, 1)
    while low + step <= most and refuted(low + step):
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1 + low // 200:
        middle = (low + high) // 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def shortfall(block: Block, width: float) -> tuple[float, float]:
    """What of the prior's mass no mechanism reaches with windows of `width` consecutive counts, but for the second."""
    missed, leaked = 0.0, 0.0
    for times, chain, prior, leak in block.classes():
        found = prior_certificate(chain, width, prior)
        if found is not None and found.success < float(prior.sum()):
            missed += times * (float(prior.sum()) - found.success)
            leaked += times * leak * found.swing() if leak else 0.0
    return missed, leaked
