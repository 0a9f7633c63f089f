"""Lower bounds on mean absolute errors from a chain of datasets (ours): what ℓ1 errors are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are asked for: these are slow
from numpy.typing import NDArray

from hdp_audit.theory.chain import Chain

Floats = NDArray[np.float64]
_SLACKS = (1e-9, 1e-7, 1e-5, 1e-4)
_NEAR = (-9, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 9)  # answers near a peak that the linear programme looks at


@dataclass(frozen=True, eq=False)
class AbsoluteCertificate:
    """Σ_j λ_j·E_j|Y − θ_j| ≥ Σ_j ν_j for every mechanism."""

    chain: Chain
    prior: Floats
    nu: Floats

    @property
    def risk(self) -> float:
        """The lower bound on the average error, hence on the worst."""
        return max(float(self.nu.sum()), 0.0)

    def proves(self) -> bool:
        """Σ_j (λ_j|y − θ_j| − ν_j)g_j ≥ 0 on the cone for every node y, and Σλ ≤ 1.

        That suffices for all y: for fixed g ≥ 0 the sum is convex in y and bends only at nodes.
        """
        if not ((self.prior >= 0).all() and self.prior.sum() <= 1 + 1e-12):
            return False
        return bool((self.chain.least(self.prior * distances(self.chain) - self.nu) >= 0).all())


def distances(chain: Chain) -> Floats:
    """|θ_r − θ_j|."""
    return np.asarray(np.abs(chain.theta[:, None] - chain.theta))


def absolute_certificate(chain: Chain) -> AbsoluteCertificate | None:
    """The prior that is hardest for the chain's geometric mechanism, ν from its potential; checked, or None."""
    prior = _hardest_prior(chain)
    if prior is None:
        return None
    h = (chain.decay @ (prior * distances(chain)).T).min(axis=1)
    nu = chain.potential_inverse(h)
    for slack in _SLACKS:
        found = AbsoluteCertificate(chain, prior, nu - slack * float(h.max()) * chain.peaks)
        if found.proves():
            return found
    return None


def _hardest_prior(chain: Chain) -> Floats | None:
    """max Σ ω_p h_p over λ in the simplex and h_p ≤ Σ_j λ_jK_pj|y − θ_j| for the nodes y near p."""
    size = chain.theta.size
    scale = float(chain.theta[-1] - chain.theta[0])
    limits = []
    for shift in _NEAR:
        answer = chain.theta[(np.arange(size) + shift).clip(0, size - 1)]
        loss = chain.decay * np.abs(answer[:, None] - chain.theta) / scale
        loss[loss < 1e-9] = 0.0
        limits.append(scipy.sparse.hstack([scipy.sparse.csr_matrix(-loss), scipy.sparse.identity(size)]))
    whole = scipy.sparse.csr_matrix(np.concatenate([np.ones(size), np.zeros(size)])[None, :])
    rows = scipy.sparse.vstack(limits).tocsr()
    goal = np.concatenate([np.zeros(size), -chain.peaks])
    found = scipy.optimize.linprog(
        goal, A_ub=rows, b_ub=np.zeros(rows.shape[0]), A_eq=whole, b_eq=[1.0], method="highs"
    )
    if found.x is None:
        return None
    prior = np.maximum(found.x[:size], 0.0)
    return np.asarray(prior / prior.sum())
