"""Sums of scores that claim no more than the draws bear out from which they were learned.

Scores of columns are added up as if the columns were independent. Where these repeat each other, or say nothing, the
sum is surer than it may be, and a useless rule looks better than a good one. A slope and an offset put that right.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from hdp_audit.distinguishers.steps import Parts, summed

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

SURPRISE = 4.0  # standard deviations by which claims may err
ROUNDS = 12  # of Newton's method, which needs fewer
FLATTEST = 1e-3  # slope


def calibrated(parts: Parts, outputs: Floats, coins: Coins) -> Parts:
    """The same order of outputs, with claims that hold on these draws; untouched where they do hold."""
    if len(parts) < 2:
        return parts
    score = summed(parts, outputs)
    if _holds(score, coins):
        return parts
    slope, offset = _line(score, coins)
    (column, first), *others = ((column, replace(own, values=slope * own.values)) for column, own in parts)
    return ((column, replace(first, values=first.values + offset)), *others)


def _holds(score: Floats, coins: Coins) -> bool:
    """Whether as many guesses by the sign are right as the score claims, and as many coins are 1."""
    claims = expit(score)
    deviation = SURPRISE * max(float(np.sqrt(np.sum(claims * (1.0 - claims)))), 1.0)
    right = np.count_nonzero((score > 0) == coins)
    too_sure = float(np.maximum(claims, 1.0 - claims).sum()) - right > deviation
    return not too_sure and abs(float(claims.sum()) - int(np.count_nonzero(coins))) <= deviation


def _line(score: Floats, coins: Coins) -> tuple[float, float]:
    """(slope, offset) of the likeliest odds; never steeper than claimed, as draws that were learned from flatter."""
    width = max(float(np.abs(score).max()), 1.0)
    design = np.column_stack([score / width, np.ones(score.size)])
    line = np.zeros(2)
    for _ in range(ROUNDS):
        claims = expit(design @ line)
        curve = (design * (claims * (1.0 - claims))[:, None]).T @ design + 1e-6 * np.eye(2)
        step = np.linalg.solve(curve, design.T @ (coins - claims) - 1e-6 * line)
        line += step
        if np.abs(step).max() < 1e-9:
            break
    slope = float(np.clip(line[0] / width, FLATTEST, 1.0))
    return slope, float(np.clip(line[1], -width, width))
