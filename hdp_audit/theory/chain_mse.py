"""Mean-squared-error lower bounds from a chain of datasets (ours), for means and for frequencies of two
categories.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are asked for: these are slow
from numpy.typing import NDArray

from hdp_audit.theory.chain import Chain, lay_chain

Floats = NDArray[np.float64]
_SLACKS = (1e-7, 1e-5, 1e-4)
# Outputs that one check looks at, and how many numbers it holds at a time. A chain with steps of log-distance s needs
# about e^{s/2} outputs. From s = 5 on no chain was seen to add to two datasets, and beyond 2^20 outputs (s = 21)
# doubles no longer resolve (y − θ)² as finely as the slack asks: such a chain proves nothing.
_MOST_OUTPUTS = 1 << 20
_CELLS = 1 << 20


@dataclass(frozen=True)
class SquareCertificate:
    """Σ_j λ_j·E_j(Y − θ_j)² ≥ Σ_j ν_j − Σλ·τ²/4 for every mechanism; τ is the spacing of the outputs checked."""

    chain: Chain
    prior: Floats
    nu: Floats
    spacing: float

    @property
    def risk(self) -> float:
        """The lower bound on the average risk, hence on the worst."""
        return max(float(self.nu.sum()) - float(self.prior.sum()) * self.spacing**2 / 4, 0.0)

    def swing(self) -> float:
        """`Chain.swing` over the outputs that are checked, or more."""
        return sum(self.chain.swing(part) for part in self._parts(_CELLS))

    def proves(self, most: int = _MOST_OUTPUTS, cells: int = _CELLS) -> bool:
        """Σ_j (λ_j(y − θ_j)² − ν_j)g_j ≥ 0 on the cone for every y of a grid with spacing τ over [θ_0, θ_N],
        and Σλ ≤ 1.

        That suffices for all y: for fixed g the sum is Λ(v + (y − ȳ)²) − Σν_jg_j with Λ = Σλ_jg_j and ȳ in
        the range, some grid point lies within τ/2 of ȳ, hence Λ(v + τ²/4) ≥ Σν_jg_j and Σλ_j((y − θ_j)² +
        τ²/4)g_j ≥ Σν_jg_j for every y. More than `most` outputs prove nothing; `cells` numbers are held at a time.
        """
        if not (self._count <= most and (self.prior >= 0).all() and self.prior.sum() <= 1 + 1e-12):
            return False
        return all(bool((self.chain.least(part) >= 0).all()) for part in self._parts(cells))

    @property
    def _count(self) -> float:
        return float(np.ceil((self.chain.theta[-1] - self.chain.theta[0]) / self.spacing)) + 1

    def _parts(self, cells: int) -> Iterator[Floats]:
        """The coefficients of g for each output, some outputs at a time."""
        theta = self.chain.theta
        outputs = np.linspace(theta[0], theta[-1], int(self._count))
        rows = max(cells // theta.size, 1)
        for start in range(0, outputs.size, rows):
            yield self.prior * (outputs[start : start + rows, None] - theta) ** 2 - self.nu


def square_certificate(chain: Chain, spacing: float) -> SquareCertificate | None:
    """A certificate with the prior λ that is hardest for the chain's geometric mechanism; checked, or None."""
    prior = _hardest_prior(chain)
    return None if prior is None else potential_certificate(chain, prior, spacing)


def potential_certificate(chain: Chain, prior: Floats, spacing: float) -> SquareCertificate | None:
    """ν from the potential h_p = min_y Σ_j λ_jK_pj(y − θ_j)², lowered by a little slack; checked, or None.

    None also where the risk would be 0, which needs no proof; more slack only lowers it.
    """
    weights = chain.decay * prior
    mass = weights.sum(axis=1)
    centre = weights @ chain.theta / mass
    h = np.sum(weights * (chain.theta - centre[:, None]) ** 2, axis=1)
    nu = chain.potential_inverse(h)
    for slack in _SLACKS:
        found = SquareCertificate(chain, prior, nu - slack * float(h.max()) * chain.peaks, spacing)
        if found.risk <= 0:
            return None
        if found.proves():
            return found
    return None


def _hardest_prior(chain: Chain) -> Floats | None:
    """max Σ ω_p h_p over λ in the simplex and h_p ≤ Σ_j λ_jK_pj(y − θ_j)² for y at the nodes near p: a linear
    programme.
    """
    size = chain.theta.size
    limits = []
    for shift in range(-8, 9, 2):
        answer = chain.theta[(np.arange(size) + shift).clip(0, size - 1)]
        loss = chain.decay * (answer[:, None] - chain.theta) ** 2
        loss[loss < 1e-9 * loss.max()] = 0.0
        limits.append(scipy.sparse.hstack([scipy.sparse.csr_matrix(-loss), scipy.sparse.identity(size)]))
    scale = float(chain.theta[-1] - chain.theta[0]) ** 2
    rows = scipy.sparse.vstack(limits).multiply(1.0 / scale).tocsr()
    found = scipy.optimize.linprog(
        np.concatenate([np.zeros(size), -chain.peaks]),
        A_ub=rows,
        b_ub=np.zeros(rows.shape[0]),
        A_eq=scipy.sparse.csr_matrix(np.concatenate([np.ones(size), np.zeros(size)])[None, :]),
        b_eq=[1.0],
        method="highs",
    )
    if found.x is None:
        return None
    prior = np.maximum(found.x[:size], 0.0)
    return np.asarray(prior / prior.sum())


def chain_risk(ascending: Floats, start: float) -> float:
    """The larger of `start` and the certified risk of a chain laid out for errors of size √start."""
    if start <= 0 or start >= 0.25:
        return start
    chain = lay_chain(ascending, float(np.sqrt(start)), nodes=100)
    if chain is None:
        return start
    found = square_certificate(chain, spacing=float(np.sqrt(start)) / 8)
    return start if found is None else max(start, found.risk)
