"""Weak setting: fair coins for everybody, and a chain on the number of heads among the users with small
demands (ours).
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hdp_audit.theory.chain import Chain, falls_short
from hdp_audit.theory.chain_mse import potential_certificate
from hdp_audit.theory.chain_pac import prior_certificate

Floats = NDArray[np.float64]
_NODES = 90
_MOST_NODES = 400


def coin_mse(ascending: Floats) -> float:
    """max over A of the Bayes risk of N_A/n, N_A ~ Bin(|A|, ½), every demand in A raised to the largest, c.

    Proof. Give every user a fair coin: exchangeable, so permuting changes nothing, and B's coins tell nothing
    about A's. Hand the mechanism B's coins. Given N_A = j, A's heads are a uniform j-subset; with all demands
    raised to c (a larger demand keeps a lower bound valid), averaging the mechanism over these subsets makes
    the laws for j and j + 1 c-close: one random user moves. So the laws on j = 0..|A| form a chain with steps
    c, and any certificate with the binomial prior bounds the risk of N_A/n, hence of the mean. Telling the
    estimator the residue of N_A modulo g splits the chain into g coarser ones, whose certificates add up.
    """
    found = [_risk(size, demand) for size, demand in _groups(ascending)]
    return max(found, default=0.0) / ascending.size**2


def coin_pac(ascending: Floats, beta: float) -> float:
    """The largest width/2n for which the coins' chain allows an average success below 1−β (proof as for
    `coin_mse`).

    With rate α < width/2n every dataset, hence every mixture, would succeed with probability ≥ 1−β; the
    certificates of the residue classes bound the average success by Σν, what lies beyond 4.5σ counting as
    success.
    """
    if beta >= 0.5:
        return 0.0
    found = [_widest(size, demand, beta) for size, demand in _groups(ascending)]
    return min(max(found, default=0.0) / (2 * ascending.size), 0.5)


def _groups(ascending: Floats) -> list[tuple[int, float]]:
    """Three promising sizes of A with the largest demand in each; users with infinite demands never belong to
    A.
    """
    finite = int(np.searchsorted(ascending, np.inf))
    if finite == 0:
        return []
    grid = [np.geomspace(1, finite, 60), _ends_of_ties(ascending[:finite])]
    sizes = np.unique(np.concatenate(grid).astype(int))
    variance = sizes / 4
    with np.errstate(divide="ignore"):
        noise = 2 / ascending[sizes - 1] ** 2
    # The harmonic form is the risk of Gaussians; it only picks which sizes to try.
    score = np.where(np.isinf(noise), variance, variance / (1 + variance / noise))
    return [(int(size), float(ascending[size - 1])) for size in sizes[np.argsort(score)[::-1][:3]]]


def _ends_of_ties(finite: Floats) -> Floats:
    ends = np.append(np.flatnonzero(np.diff(finite) > 0) + 1, finite.size)
    return np.asarray(ends[np.linspace(0, ends.size - 1, min(ends.size, 60)).astype(int)], dtype=np.float64)


def _risk(size: int, demand: float) -> float:
    """A lower bound on the Bayes risk of N ~ Bin(size, ½) over a chain with steps `demand`."""
    if demand == 0:
        return size / 4
    spacing = min(math.sqrt(size) / 2, 1.4 / demand) / 8
    found = [potential_certificate(chain, prior, spacing) for chain, prior in _classes(size, demand)]
    return math.fsum(0.0 if certificate is None else certificate.risk for certificate in found)


def _widest(size: int, demand: float, beta: float) -> float:
    """The largest width, in users, that is refuted: windows then hold at most `width` consecutive counts."""
    classes = _classes(size, demand)
    inside = math.fsum(float(prior.sum()) for _, prior in classes)
    low, high = 0, size + 1
    while high - low > 1:
        middle = (low + high) // 2
        success = math.fsum(_success(chain, prior, float(middle)) for chain, prior in classes)
        low, high = (middle, high) if falls_short(success + 1 - inside, beta) else (low, middle)
    return float(low)


def _success(chain: Chain, prior: Floats, width: float) -> float:
    found = prior_certificate(chain, width, prior)
    return float(prior.sum()) if found is None else min(found.success, float(prior.sum()))


def _classes(size: int, demand: float) -> list[tuple[Chain, Floats]]:
    """Chains of counts within 4.5σ of the middle, one for each residue, with their share of the binomial law."""
    deviation = math.sqrt(size) / 2
    low = max(0, math.floor(size / 2 - 4.5 * deviation))
    high = min(size, math.ceil(size / 2 + 4.5 * deviation))
    # Coarse enough to be quick, but no coarser than half a unit of log-distance if that can be afforded.
    fine = int(min((high - low) // _NODES, 0.5 / max(demand, 1e-9)))
    stride = max(1, (high - low) // _MOST_NODES, fine)
    step = max(demand, 1e-9) * stride
    classes = []
    for start in range(low, min(low + stride, high + 1)):
        heads = np.arange(start, high + 1, stride)
        logs = special.gammaln(size + 1) - special.gammaln(heads + 1) - special.gammaln(size - heads + 1)
        # 1e-9 off every weight pays for rounding in the logarithms.
        prior = np.exp(logs - size * math.log(2)) * (1 - 1e-9)
        if heads.size > 1:
            classes.append((Chain(heads.astype(np.float64), np.full(heads.size - 1, step)), prior))
    return classes
