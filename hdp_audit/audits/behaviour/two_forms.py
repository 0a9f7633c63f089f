"""Do all ways of calling a mechanism give outputs of one law? What is audited by batches is deployed by single calls.

Outputs for one dataset, whichever way they came, are draws of one law if they are. Then those of one way are a random
choice among all, and the sum of any scores over them is a sum drawn without replacement, whose exponential moments are
at most those of draws with replacement (Hoeffding 1963, theorem 4). Chernoff's bound on it holds for every law of the
outputs, at every level, without a single permutation; and sums over several datasets multiply their moments.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.ranks import ranks as ranked

Floats = NDArray[np.float64]

COLUMNS = 6  # of an output with many
POSITIVE = np.geomspace(0.02, 16.0, 24)
TILTS = np.concatenate([-POSITIVE, POSITIVE])  # of Chernoff's bound; any would do, the best is taken


def unlike(tables: Floats, ways: NDArray[np.int64]) -> tuple[int, float]:
    """The way of calling least like the others, and a p-value for all of them coming from one law.

    `tables` has outputs in its second axis for each dataset of its first, made in the way of calling that `ways` says.
    The p-value counts every way, score and side, on all datasets together (half of it) and on each of them alone.
    """
    values = scores(tables)
    datasets, _, kinds = values.shape
    if not kinds:
        return 0, 1.0
    moments = np.log(np.stack([np.exp(tilt * values).mean(axis=1) for tilt in TILTS]))
    alone = np.log(2.0 * datasets)
    logs = []
    for way in range(int(ways.max()) + 1):
        tails = log_tails(values, moments, ways == way)
        logs.append(min(float(tails.sum(axis=1).min()) + np.log(2.0), float(tails.min()) + alone))
    best = int(np.argmin(logs))
    return best, float(min(np.exp(logs[best]) * len(logs) * 2 * kinds, 1.0))


def log_tails(values: Floats, moments: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Logarithms of Chernoff's bounds for the sum over `chosen`, by tilt, dataset and score; they add up."""
    fewer = chosen if 2 * chosen.sum() <= chosen.size else ~chosen  # scores are centred, so their sums are opposite
    return np.asarray(fewer.sum() * moments - TILTS[:, None, None] * values[:, fewer].sum(axis=1))


def scores(tables: Floats) -> Floats:
    """Centred scores of outputs, the same ones for each dataset: 0 where they do not vary.

    Ranks of some outputs and of their sum, distances from the middle rank, how often the whole output came, and its
    last binary digit: so a shift, another scale, an atom and another grid all show.
    """
    varied = tables[:, :, (tables != tables[:, :1]).any(axis=(0, 1))]
    if not varied.shape[2]:
        return np.zeros((*tables.shape[:2], 0))
    ranks = _centred(ranked(varied, axis=1))
    some = np.unique(np.linspace(0, ranks.shape[2] - 1, COLUMNS).astype(int))
    places = ranks[:, :, some]
    spread = _centred(ranked(np.abs(places), axis=1))
    often = np.stack([_often(table) for table in varied])
    last = _last_digit(varied).min(axis=2)
    parts = [places, spread, _ranked(often), _ranked(last)]
    if some.size > 1:
        whole = ranks.sum(axis=2)
        parts += [_ranked(whole), _ranked(np.abs(whole)), _ranked(np.abs(ranks).sum(axis=2))]
    found = np.concatenate(parts, axis=2)
    size = np.sqrt((found**2).mean(axis=1, keepdims=True))
    return np.asarray(found / np.where(size > 0, size, 1.0))


def _ranked(values: Floats) -> Floats:
    return _centred(ranked(values.round(6), axis=1))[:, :, None]


def _centred(ranks: Floats) -> Floats:
    return np.asarray(ranks - ranks.mean(axis=1, keepdims=True))


def _often(table: Floats) -> Floats:
    _, names, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(counts[names.ravel()], dtype=np.float64)


def _last_digit(values: Floats) -> Floats:
    """The exponent of the last binary digit that is not 0; 0 counts as a whole number."""
    mantissa, exponent = np.frexp(values)
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    lowest = np.log2(np.maximum(whole & -whole, 1).astype(np.float64))
    return np.where(whole > 0, exponent - 53.0 + lowest, 0.0)
