"""Scores: an estimate of the log-likelihood ratio of an output under the two datasets, one coordinate at a time.

Coordinates carry independent noise in most mechanisms at hand, so the sum of per-coordinate ratios is the optimal
score; for others it is a valid, if weaker, one: whatever the score, the judged draws decide.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.cells import counted
from hdp_audit.distinguishers.ramps import bowl, clipped_ramp, laplace_ramp, ramp, symmetric_ramp
from hdp_audit.distinguishers.steps import COSTS, Score, centre_and_scale, clipped, cut, free, gained, monotone, step

Floats = NDArray[np.float64]

WORTHWHILE = 2.0  # nats that some monotone curve must gain before ramps are tried
SLACK = 1.0  # what cells of different width may differ by


def learn_score(outputs: Floats, coins: NDArray[np.bool_], cells: int) -> Score:
    """The fit with most evidence.

    A step or ramp (Laplace-like noise), a monotone curve (what was clipped apart or not), or free cells (gaps, spikes).
    """
    coarse = counted(outputs, coins, cells)
    middle, scale = centre_and_scale(outputs, coins)
    curve = monotone(coarse)
    apart = clipped(coarse)
    fits = [step(coarse, middle), cut(coarse), curve, apart, free(coarse), bowl(coarse, middle)]
    # no ramp gains more than the likeliest monotone curve, so most need not be tried
    most = gained(curve)
    if most < WORTHWHILE:
        return max(fits, key=_evidence)
    finer = min(outputs.size // 10, 300)
    fine = counted(outputs, coins, finer) if finer > cells else coarse
    if scale > 0:
        fits.append(laplace_ramp(fine, middle, scale))
    for kind, limit, fit in (
        ("symmetric ramp", most, partial(symmetric_ramp, fine, middle)),
        ("ramp", most, partial(ramp, coarse, fine)),
        ("clipped ramp", gained(apart), partial(clipped_ramp, coarse, fine)),
    ):
        if limit - COSTS[kind] > max(map(_evidence, fits)) - SLACK:
            fits.append(fit())
    return max(fits, key=_evidence)


def _evidence(score: Score) -> float:
    return score.evidence
