"""Which packings of permuted data are tried: for each amount that a draw may tell, the widest of each kind.

A draw tells so much about somebody who answers the truth: of such a packing the widest refutes the least accurate
cheats. How much it tells is estimated from some limits, which need no call; nothing that is proved hangs on it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.task import Estimate
from hdp_audit.search.permuted import Chain, Permuted, Star, orders, shown_by_lot, star_limits

Floats = NDArray[np.float64]
Rated = tuple[float, float, Permuted]  # what a draw tells, the error that it is refuted by, and the packing

GAINS = (0.4, 0.15, 0.05, 0.015)  # logarithms of wealth
RUNGS = (1, 3, 8)
SHARES = (1.0, 0.9, 0.75, 0.5, 0.3, 0.15, 0.05)  # of the users with finite demands: how many are private
FEW_TIERS = 4  # up to so many, each of them and those below are tried as well
STEPS, SAMPLE, CELLS = 40, 64, 1 << 22


def permuted_packings(epsilon: Floats, task: Estimate, metric: str, rng: np.random.Generator) -> list[Permuted]:
    """Up to two for each of GAINS; none where no draw tells so much."""
    rated = [*_stars(epsilon, task, metric, rng), *_chains(epsilon, task, metric, rng)]
    best: dict[str, Permuted] = {}
    for kind in (Star, Chain):
        for gain in GAINS:
            able = [(worth, packing) for told, worth, packing in rated if told >= gain and isinstance(packing, kind)]
            if able:
                _, packing = max(able, key=lambda pair: pair[0])
                best[packing.key] = packing
    return list(best.values())


def _rated(packing: Permuted, right: Floats, risk: Floats, metric: str) -> Rated:
    if metric == "pac":
        return float(-np.log(right).mean()), packing.distance, packing
    return float(-np.log1p(-risk).mean()), packing.reach**2 * float(risk.mean()), packing


def _stars(epsilon: Floats, task: Estimate, metric: str, rng: np.random.Generator) -> Iterator[Rated]:
    sums = np.cumsum(_some_orders(epsilon, rng), axis=1)
    for size in _sizes(epsilon.size):
        star = Star(epsilon, task, size)
        yield _rated(star, *star_limits(sums[:, size - 1], star.rivals), metric)


def _chains(epsilon: Floats, task: Estimate, metric: str, rng: np.random.Generator) -> Iterator[Rated]:
    ascending, n = np.sort(epsilon), epsilon.size
    finite = int(np.isfinite(ascending).sum())
    tiers = (np.flatnonzero(np.diff(ascending[:finite]) > 0) + 1).tolist()
    privates = {int(share * finite) for share in SHARES} | set(tiers if len(tiers) <= FEW_TIERS else ())
    for private in sorted(privates - {0}):
        sums = np.cumsum(_some_orders(ascending[:private], rng), axis=1)
        for rungs in RUNGS:
            for step in _sizes(private // rungs):
                chain = Chain(epsilon, task, private, step, rungs)
                ones = chain.ones[rng.integers(0, rungs + 1, sums.shape[0])]
                yield _rated(chain, *chain.limits(sums, shown_by_lot(rng, ones, n, n - private)), metric)


def _sizes(most: int) -> list[int]:
    return sorted({int(size) for size in np.geomspace(1, most, STEPS)}) if most >= 1 else []


def _some_orders(values: Floats, rng: np.random.Generator) -> Floats:
    return orders(values, rng, max(min(SAMPLE, CELLS // values.size), 4))
