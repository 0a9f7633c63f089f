"""Weak setting, frequencies: everybody throws a die with three sides, and a chain on the count of the side that is
farthest off among the users with small demands (ours).

Independent uniform data are exchangeable: permuting changes nothing, and the others' data, handed to the mechanism in
the clear, tell nothing about A's. A's counts are N = c + d with c = (|A|/3, |A|/3, |A|/3) and Σd = 0. One entry of d
has the other sign than both others (0 has either sign): it is the largest in size. Tell the mechanism which one, j; a
tie is broken by a coin, d = 0 by a die. What is left is N_j = c_j + t, and the error is at least that of N_j/n.

Let Q_t be the law of the output given j and t. The counts behind Q_t put i ∈ {0..|t|} of the rest |t| to one of the
other two categories. The laws of i for t and for t + 1 have a monotone likelihood ratio, seen from either category
(`dice-sectors` in the ledger), so they can be drawn together with one user moved. Counts that differ by one user's move
are within the steps of `typical_steps`, r the least count of a category. So Q_{−R}..Q_R is a chain, and its prior
has variance 0.406·|A| where coins have |A|/4.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.beta_chain import Block, block_risk, widest
from hdp_audit.theory.typical_steps import Steps, promising_steps

Floats = NDArray[np.float64]
_LARGEST = 30.0  # demands above are in the clear
_REACH = 4.3  # standard deviations of a count that the chain covers
_VARIANCE = 0.406  # of t, by |A|; it only says which size of A to try
_TOGETHER = 0.03  # residues that share a prior, in standard deviations
_ROUNDING = 1 - 1e-9  # off every weight, for rounding in the logarithms


def dice_mse(ascending: Floats) -> float:
    """The chain's Bayes risk of N_j, in units of the data."""
    block = dice_block(ascending)
    return 0.0 if block is None else block.mass * block_risk(block, _deviation(block)) / ascending.size**2


def dice_pac(ascending: Floats, beta: float, start: float = 0.0) -> float:
    """The largest width/2n at which the chain allows an average success below 1−β; at least `start`, known already."""
    block = dice_block(ascending)
    if block is None or beta >= 0.5 or start >= 0.5:
        return start
    found = widest([block], beta, int(2 * ascending.size * start * (1 + 1e-12)), block.prior.size)
    return max(min(found / (2 * ascending.size), 0.5), start)


def dice_block(ascending: Floats) -> Block | None:
    """The three chains, alike as |A| is a multiple of 3; None where fewer than three users have small demands."""
    usable = int(np.searchsorted(ascending, _LARGEST))
    if usable < 3:
        return None
    growth = np.exp(ascending[:usable])
    size = _promising_size(growth)
    third = size // 3
    reach = min(math.ceil(_REACH * math.sqrt(2 * size) / 3), third)
    step, leak = Steps(growth[:size]).step(third - reach)
    together = int(_TOGETHER * math.sqrt(_VARIANCE * size))
    return Block(3.0, sector_masses(third, reach) * _ROUNDING, together, step, leak)


def _promising_size(growth: Floats) -> int:
    """Any size gives a bound; this one has the largest risk if laws were Gaussian."""
    ends = np.append(np.flatnonzero(np.diff(growth) > 0) + 1, growth.size)
    ends = ends[np.linspace(0, ends.size - 1, min(ends.size, 60)).astype(int)]
    sizes = np.unique(np.concatenate([np.geomspace(3, growth.size, 120).astype(int), ends]) // 3 * 3)
    sizes = sizes[sizes >= 3]
    variance = _VARIANCE * sizes
    steps = promising_steps(growth, sizes, np.maximum(sizes // 3, 1))
    return int(sizes[np.argmax(variance / (1 + variance * steps**2 / 2))])


def sector_masses(third: int, reach: int) -> Floats:
    """P(j is the side farthest off and N_j = c_j + t), t = −reach..reach, for 3·third throws; reach ≤ third."""
    masses = np.zeros(2 * reach + 1)
    whole = special.gammaln(3 * third + 1.0) - 3 * third * math.log(3)
    for t in range(-reach, reach + 1):
        own = third + t
        other = third - np.sign(t) * np.arange(abs(t) + 1)
        logs = whole - special.gammaln(own + 1.0) - special.gammaln(other + 1.0)
        # The two others are `other` and its mirror image; one of them at |A|/3 is a tie with the third.
        logs -= special.gammaln(other[::-1] + 1.0)
        share = np.ones(other.size)
        share[[0, -1]] = 0.5 if t else 1 / 3
        masses[t + reach] = np.exp(logs) @ share
    return masses


def _deviation(block: Block) -> float:
    t = np.arange(block.prior.size) - block.prior.size // 2
    return math.sqrt(float(block.prior @ t**2) / float(block.prior.sum()))
