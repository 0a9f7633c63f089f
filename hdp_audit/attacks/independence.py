"""Fresh noise in every call: the game's argument needs it, so it is tested before anybody is accused."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from hdp_audit.attacks.pairs import Data
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import Subject

Floats = NDArray[np.float64]

BATCHES, SIZE = 4, 256


def shared_noise(subject: Subject, data: Data, seed: int, significance: float) -> str | None:
    """What is wrong with the outputs of one batch, in words; None where nothing is.

    Constant within a batch but not between batches: one draw of noise for all. Else the correlation of neighbours,
    which is normal with variance 1/n for independent draws of any law, at the given significance over outputs and
    batches.
    """
    tables = [subject.draw(data, SIZE, stream(seed, "independence", batch))[:, :-1] for batch in range(BATCHES)]
    constant = [bool((table == table[0]).all()) for table in tables]
    if all(constant):
        distinct = len({table[0].tobytes() for table in tables})
        return (
            "all outputs of a batch are equal, and batches differ: noise is drawn once a batch"
            if distinct > 1
            else None
        )
    limit = -ndtri(significance / (2 * BATCHES * tables[0].shape[1])) / np.sqrt(SIZE)
    for table in tables:
        worst = float(np.abs(_neighbour_correlation(table)).max())
        if worst > limit:
            return f"neighbouring outputs of a batch are correlated ({worst:.2f}, chance allows {limit:.2f})"
    return None


def _neighbour_correlation(table: Floats) -> Floats:
    """Of ranks, so that heavy tails do not matter, ties at their average; 0 for constant outputs."""
    ranks = rankdata(table, axis=0)
    centred = ranks - ranks.mean(axis=0)
    varied = (table != table[0]).any(axis=0)
    scale = np.where(varied, (centred**2).sum(axis=0), 1.0)
    return np.where(varied, (centred[1:] * centred[:-1]).sum(axis=0) / scale, 0.0)
