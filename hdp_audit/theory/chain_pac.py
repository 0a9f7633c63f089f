"""PAC lower bounds from a chain of datasets (ours): nearly tight for means, and valid for frequencies of two
categories.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are asked for: these are slow
from numpy.typing import NDArray

from hdp_audit.theory.chain import Chain, falls_short, lay_chain

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Certificate:
    """Σ_j λ_j·P_j(|Y − θ_j| ≤ α) ≤ Σ_j ν_j for every mechanism and every α < width/2.

    With ν ≥ 0 a product of c chains, on disjoint users and categories, has average success at most (Σν)^c:
    apply the inequality in one chain with the others' datasets held fixed; its right side is a non-negative
    combination of densities, hence again in the cone of the remaining chains; repeat.
    """

    chain: Chain
    width: float
    prior: Floats
    nu: Floats

    @property
    def success(self) -> float:
        """The bound Σν on the average probability of an error at most α."""
        return float(self.nu.sum())

    def proves(self) -> bool:
        """Σ_j (ν_j − λ_j·1{j ∈ W})g_j ≥ 0 on the cone for every window W that one output can serve, and Σλ ≥
        1.

        An output y counts for the datasets with |y − θ_j| ≤ α: an interval of nodes with θ_r − θ_l ≤ 2α <
        width. Larger windows only weaken the inequality, so the maximal ones suffice.
        """
        lowest = self.chain.least(self._coefficients())
        return bool((lowest >= 0).all() and (self.prior >= 0).all())

    def swing(self) -> float:
        """`Chain.swing` over all windows."""
        return self.chain.swing(self._coefficients())

    def _coefficients(self) -> Floats:
        left, right = windows(self.chain, self.width)
        places = np.arange(self.prior.size)
        inside = (left[:, None] <= places) & (places <= right[:, None])
        return self.nu - self.prior * inside


def windows(chain: Chain, width: float) -> tuple[Ints, Ints]:
    """The maximal intervals of nodes with θ_r − θ_l < width, as first and last node."""
    last = np.searchsorted(chain.theta, chain.theta + width * (1 - 1e-12), side="left") - 1
    first = np.flatnonzero(np.diff(last, prepend=-1) > 0)
    return first, last[first]


def certificate(chain: Chain, width: float, *, positive: bool = False) -> Certificate | None:
    """The prior λ that is hardest for the chain's geometric mechanism, with ν from its potential; checked, or
    None.

    For single-peaked g the least ν has Σ_j ν_jK_pj = h_p ≥ Σ_{j∈W} λ_jK_pj, and then Σν = Σ ω_p h_p: a linear
    programme in (λ, h), with the windows W ∋ p. That other windows and other g do no better is what
    `Certificate.proves` checks. `positive` asks for ν = K⁻¹h ≥ 0 as well, which products of chains need; it
    is also the second try when a check fails.
    """
    for asked in (positive, True):
        answer = _hardest_prior(chain, width, asked)
        found = None if answer is None else _raised(chain, width, *answer, asked)
        if found is not None or positive:
            return found
    return None


def prior_certificate(chain: Chain, width: float, prior: Floats) -> Certificate | None:
    """The same for a prior that is given, with h_p = max over all windows W of Σ_{j∈W} λ_jK_pj, and ν ≥ 0.

    Σν = Σ ω_p h_p is then what the geometric mechanism with the best answers achieves. The prior need not sum
    to one.
    """
    left, right = windows(chain, width)
    sums = np.zeros((prior.size, prior.size + 1))
    np.cumsum(chain.decay * prior, axis=1, out=sums[:, 1:])
    h = np.asarray(np.max(sums[:, right + 1] - sums[:, left], axis=1))
    return _raised(chain, width, prior, h, True)


def _raised(chain: Chain, width: float, prior: Floats, h: Floats, positive: bool) -> Certificate | None:
    nu = chain.potential_inverse(h)
    for slack in (1e-9, 1e-6, 1e-5):
        # Raising ν keeps the inequality, since g ≥ 0.
        raised = nu + slack * float(h.max()) * chain.peaks
        found = Certificate(chain, width, prior, np.maximum(raised, 0.0) if positive else raised)
        if found.proves():
            return found
    return None


def _hardest_prior(chain: Chain, width: float, positive: bool) -> tuple[Floats, Floats] | None:
    size = chain.theta.size
    rows = _window_rows(chain, width)
    if positive:
        free = scipy.sparse.csr_matrix((size, size))
        rows = scipy.sparse.vstack([rows, scipy.sparse.hstack([free, -_inverse_rows(chain)])]).tocsr()
    answer = scipy.optimize.linprog(
        np.concatenate([np.zeros(size), chain.peaks]),
        A_ub=rows,
        b_ub=np.zeros(rows.shape[0]),
        A_eq=scipy.sparse.csr_matrix(np.concatenate([np.ones(size), np.zeros(size)])[None, :]),
        b_eq=[1.0],
        method="highs",
    )
    if answer.x is None:
        return None
    prior = np.maximum(answer.x[:size], 0.0)
    prior = prior / prior.sum()
    least = _potential(chain, width, prior)
    return prior, np.maximum(least, answer.x[size:]) if positive else least


def _window_rows(chain: Chain, width: float) -> scipy.sparse.csr_matrix:
    """One row for each window W and peak p in it: Σ_{j∈W} λ_jK_pj − h_p ≤ 0, over the columns (λ, h)."""
    rows, columns, entries = [], [], []
    row, size = 0, chain.theta.size
    for left, right in zip(*windows(chain, width), strict=True):
        block = chain.decay[left : right + 1, left : right + 1]
        peaks, members = np.indices(block.shape)
        rows += [row + peaks.ravel(), row + np.arange(block.shape[0])]
        columns += [left + members.ravel(), size + left + np.arange(block.shape[0])]
        entries += [block.ravel(), np.full(block.shape[0], -1.0)]
        row += block.shape[0]
    where = (np.concatenate(rows), np.concatenate(columns))
    return scipy.sparse.csr_matrix((np.concatenate(entries), where), shape=(row, 2 * size))


def _inverse_rows(chain: Chain) -> scipy.sparse.csr_matrix:
    """K⁻¹ as a sparse matrix."""
    q, gap = np.exp(-chain.steps), -np.expm1(-2 * chain.steps)
    inner = q**2 / gap
    diagonal = 1 + np.concatenate([inner, [0.0]]) + np.concatenate([[0.0], inner])
    return scipy.sparse.diags([diagonal, -q / gap, -q / gap], [0, 1, -1]).tocsr()


def _potential(chain: Chain, width: float, prior: Floats) -> Floats:
    h = np.zeros(prior.size)
    for left, right in zip(*windows(chain, width), strict=True):
        inside = slice(left, right + 1)
        h[inside] = np.maximum(h[inside], chain.decay[inside, inside] @ prior[inside])
    return h


def _widest(chain: Chain, width: float) -> float:
    """The largest width with the same windows: just before the first of them can take in one more node."""
    left, right = windows(chain, width)
    more = right < chain.theta.size - 1
    gaps = chain.theta[right[more] + 1] - chain.theta[left[more]]
    return max(float(gaps.min(initial=np.inf)), width) if gaps.size else width


def chain_rate(ascending: Floats, beta: float, start: float, groups: int = 1, reach: float | None = None) -> float:
    """The largest width/2 whose certificate has (Σν)^c < 1−β, by bisection from a known bound `start`
    upwards.

    Proof. A mechanism with rate α < width/2 would have P_j(|Y − θ_j| ≤ α) ≥ 1−β for every dataset, so the
    λ-average would be at least 1−β > (Σν)^c, against the certificate. Hence the rate is at least width/2. c =
    `groups` > 1 needs frequencies of more than c categories: each group moves its own users into a category
    of its own. `reach` is the error scale the chain is laid out for.
    """
    n = ascending.size
    if start >= 0.5 or beta >= 0.5:
        return start
    # The linear programme with ν ≥ 0 is slower, so it gets fewer nodes.
    chain = lay_chain(ascending, max(reach or start, 1 / (2 * n)), nodes=120 if groups == 1 else 70, groups=groups)
    if chain is None:
        return start
    low, high = 2 * start, min(1.0, 2 * (3.2 * start + 2 / n))
    # A product that gains nothing at the first hundredth is not searched.
    if groups > 1 and not _refutes(chain, 1.01 * low, groups, beta):
        return start
    for _ in range(9):
        middle = (low + high) / 2
        refuted = _refutes(chain, middle, groups, beta)
        low, high = (_widest(chain, middle), high) if refuted else (low, middle)
        if low >= high:
            break
    return max(start, min(low / 2, 0.5))


def _refutes(chain: Chain, width: float, groups: int, beta: float) -> bool:
    found = certificate(chain, width, positive=groups > 1)
    return found is not None and falls_short(found.success**groups, beta)
