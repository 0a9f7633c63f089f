"""Weak setting: coins of one unknown bias for everybody, the users with large demands in the clear, and a chain on the
number of heads among the others (ours).

p ~ Beta(a, a), then all data independently Bernoulli(p): exchangeable, so permuting changes nothing. Users B are handed
to the mechanism in the clear; given their b heads the number N of heads in A is beta-binomial, and A's heads are a
uniform N-subset of A. Let P_j be the law of the output given N = j (and B's data).

Steps. P_{j+1} is the average of M(S ∪ {i}) over j-subsets S and users i outside, each at most e^{ε_i}·M(S), so it is at
most the average of m(S)·M(S), m(S) the mean of e^ε over the |A| − j users outside S. Likewise P_j is at most an average
over (j+1)-subsets, with the mean over S itself. Two ways to go on, with r = min(|A| − j, j + 1):
- m is at most the mean of e^ε over the r largest demands of A: P_{j+1} ≤ e^s·P_j and P_j ≤ e^s·P_{j+1}, exactly.
- For any s, m ≤ e^s + (m − e^s)₊: the same but for a mass η = E(m − e^s)₊, m the mean of at least r random users. With
  (x)₊ ≤ e^{λx − 1}/λ and Hoeffding's comparison of sampling without and with replacement,
  η ≤ e^{−λe^s − 1}/λ·(mean over A of e^{λe^ε/r})^r for every λ > 0.
Both fall in r, so the least r of all j serves a whole chain with equal steps s; `Chain.swing` has the price of η.

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

Floats = NDArray[np.float64]
_LARGEST = 30.0  # demands above belong to B
_REACH = 4.0  # standard deviations of N that a chain covers
_SPREAD = 3.3  # and those of b
_BLOCKS = 24
_NODES = 90
_MOST_NODES = 400
_LEAK = 1e-8  # η
_ROUNDING = 1 - 1e-9  # off every weight, for rounding in the logarithms


@dataclass(frozen=True)
class Block:
    """The least prior φ of some b over consecutive counts, the mass of those b, and their chain's step with its η."""

    mass: float
    prior: Floats
    step: float
    leak: float

    def classes(self) -> Iterator[tuple[Chain, Floats, float]]:
        """(chain, prior, η) for each residue of the count modulo a stride; telling the residue splits the problem."""
        last = self.prior.size - 1
        fine = int(min(last // _NODES, 0.5 / self.step))
        stride = max(1, last // _MOST_NODES, fine)
        for start in range(min(stride, last)):
            counts = np.arange(start, last + 1, stride)
            share = self.prior[counts]
            if counts.size > 1 and share.any():
                chain = Chain(counts.astype(np.float64), np.full(counts.size - 1, self.step * stride))
                # Steps in a row: each η is carried on by the ratios of the steps after it.
                yield chain, share, self.leak * stride * math.exp(self.step * stride)


@dataclass(frozen=True, eq=False)
class BetaPlan:
    """How many users belong to A, to B, 2a of the Beta law, and the users of A by e^ε (ascending)."""

    size: int
    clear: int
    twice_a: float
    growth: Floats

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

    def centres(self) -> NDArray[np.int64]:
        """The mean of N for each b, rounded."""
        means = self.size * (self.twice_a / 2 + self.heads) / (self.twice_a + self.clear)
        return np.round(means).astype(np.int64)

    def step(self, low: int, high: int) -> tuple[float, float]:
        """(s, η) for chains of counts from `low` to `high`: the smaller of the exact and the typical s."""
        r = max(min(self.size - high + 1, low + 1), 1)
        exact = float(np.log(self.growth[-r:].mean()))
        typical = self._typical(r)
        return (max(exact, 1e-9), 0.0) if exact <= typical else (max(typical, 1e-9), _LEAK)

    def _typical(self, r: int) -> float:
        """The least s over some λ with η ≤ _LEAK."""
        mean, deviation = float(self.growth.mean()), float(self.growth.std())
        if deviation == 0:
            return math.log(mean)
        rates = np.geomspace(0.05, 60, 40) * math.sqrt(r) / deviation
        logs = np.array([r * float(special.logsumexp(rate / r * (self.growth - mean))) for rate in rates])
        excess = logs - r * math.log(self.size) - 1 - np.log(rates) - math.log(_LEAK)
        return math.log(mean + max(float((excess / rates).min()), 0.0))

    def blocks(self) -> Iterator[Block]:
        """All b in about `_BLOCKS` blocks."""
        offsets = np.arange(-self.reach, self.reach + 1)
        a, n = self.twice_a / 2, self.size + self.clear
        whole = float(special.betaln(a, a))
        mirrored = np.where(2 * self.heads == self.clear, 1.0, 2.0)
        pieces = min(_BLOCKS, self.heads.size)
        rows = zip(*(np.array_split(part, pieces) for part in (self.heads, self.centres(), mirrored)), strict=True)
        for heads, centres, times in rows:
            counts = centres[:, None] + offsets
            total = heads[:, None] + counts
            inside = (counts >= 0) & (counts <= self.size)
            with np.errstate(invalid="ignore"):
                logs = _log_choose(self.size, counts) + _log_choose(self.clear, heads)[:, None]
                logs = logs + special.betaln(a + total, a + n - total) - whole
            weights = np.where(inside, np.exp(np.where(inside, logs, 0.0)), 0.0) * _ROUNDING
            masses = weights.sum(axis=1)
            least = (weights / masses[:, None]).min(axis=0)
            low, high = max(int(counts.min()), 0), min(int(counts.max()), self.size)
            yield Block(float((masses * times).sum()), least, *self.step(low, high))


def _log_choose(n: int, m: NDArray[np.int64]) -> Floats:
    m = np.clip(m, 0, n)
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(m + 1.0) - special.gammaln(n - m + 1.0))


def beta_plans(ascending: Floats, count: int = 2) -> list[BetaPlan]:
    """The most promising sizes of A; any size and any a give a bound."""
    n = ascending.size
    usable = int(np.searchsorted(ascending, _LARGEST))
    if usable == 0:
        return []
    growth = np.exp(ascending[:usable])
    ends = np.append(np.flatnonzero(np.diff(growth) > 0) + 1, usable)
    ends = ends[np.linspace(0, ends.size - 1, min(ends.size, 60)).astype(int)]
    sizes = np.unique(np.concatenate([np.geomspace(1, usable, 120).astype(int), ends]))
    twice_a = np.maximum(np.sqrt(n - sizes), 16.0)
    # The risk of Gaussians with the same variances, the steps those of typical halves; it picks the sizes only.
    variance = sizes * twice_a / (twice_a + 1) / 4 * (1 + sizes / (n - sizes + twice_a))
    mean, square = (np.cumsum(growth**power)[sizes - 1] / sizes for power in (1, 2))
    spread = np.sqrt(np.maximum(square - mean**2, 0.0) * 2 / sizes)
    steps = np.log(np.minimum(mean + 5 * spread, growth[sizes - 1]))
    score = variance / (1 + variance * steps**2 / 2)
    best = np.argsort(score)[::-1][:count]
    return [BetaPlan(int(sizes[i]), n - int(sizes[i]), float(twice_a[i]), growth[: sizes[i]]) for i in best]


def beta_mse(ascending: Floats) -> float:
    """The largest Σ_b mass_b·risk(φ)/n² over the plans."""
    found = [math.fsum(b.mass * _risk(b, plan.deviation) for b in plan.blocks()) for plan in beta_plans(ascending)]
    return max(found, default=0.0) / ascending.size**2


def _risk(block: Block, deviation: float) -> float:
    total = 0.0
    spacing = min(deviation, 1.4 / block.step) / 8
    for chain, prior, leak in block.classes():
        found = potential_certificate(chain, prior, spacing)
        if found is not None:
            total += max(found.risk - (leak * found.swing() if leak else 0.0), 0.0)
    return total


def beta_pac(ascending: Floats, beta: float) -> float:
    """The largest width/2n at which the chains allow an average success below 1−β (as for `coin_pac`)."""
    if beta >= 0.5:
        return 0.0
    found = [_widest(plan, beta) for plan in beta_plans(ascending)]
    return min(max(found, default=0) / (2 * ascending.size), 0.5)


def _widest(plan: BetaPlan, beta: float) -> int:
    """In users: windows then hold at most so many consecutive counts."""
    blocks = list(plan.blocks())
    low, high = 0, 2 * plan.reach
    while high - low > 1:
        middle = (low + high) // 2
        missed = math.fsum(block.mass * _missed(block, float(middle)) for block in blocks)
        low, high = (middle, high) if falls_short(1 - missed, beta) else (low, middle)
    return low


def _missed(block: Block, width: float) -> float:
    """What of the prior's mass no mechanism reaches with windows of `width` consecutive counts."""
    missed = 0.0
    for chain, prior, leak in block.classes():
        found = prior_certificate(chain, width, prior)
        if found is not None:
            success = found.success + (leak * found.swing() if leak else 0.0)
            missed += max(float(prior.sum()) - success, 0.0)
    return missed
