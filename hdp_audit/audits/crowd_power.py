"""What bets on everybody's coins would have refuted: outputs like those seen, with less noise.

A guess whose logit has mean D²/2 and variance D² is that of normal noise with a move of D standard deviations; with a
factor less noise D grows by it. D is what the model of the outputs says of each guess, as far as they bear it out.
Under a pure promise the noise is taken for Laplace's, whose logits the model overrates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.crowd import Call, Odds, path
from hdp_audit.evidence.e_process import goal
from hdp_audit.search.decoding import SUREST
from hdp_audit.targets.streams import stream

Floats = NDArray[np.float64]

POWER, RUNS = 0.8, 20
FACTORS = np.geomspace(1.0, 16.0, 33)
CLEAR = 3.0  # standard errors by which right guesses must exceed a half
CAUTION = 1.2  # times the factor: a model that was learned is worse than one that is true, as measured
MOST = 2_000_000  # guesses that are drawn for one factor


def detectable_factor(
    calls: Sequence[Call], odds: Callable[[float], Odds], significance: float, seed: int, *, pure: bool
) -> float:
    """The smallest factor that is refuted in 8 of 10 runs of as many calls; inf where the outputs tell too little."""
    told = _told(calls)
    if told is None:
        return float("inf")
    claimed = odds(1.0)
    runs = int(np.clip(MOST // max(sum(call.users.size for call in calls), 1), 5, RUNS))

    def refuted(factor: float) -> bool:
        rng, often = stream(seed, "crowd", "power"), 0
        for _ in range(runs):
            drawn = [_drawn(call, factor * scale, rng, pure=pure) for call, scale in zip(calls, told, strict=True)]
            often += bool(path(drawn, claimed).max() >= goal(significance))
        return often >= POWER * runs

    found = bisect_left(FACTORS.tolist(), True, key=refuted)
    return float(CAUTION * FACTORS[found]) if found < FACTORS.size else float("inf")


def _told(calls: Sequence[Call]) -> list[Floats] | None:
    """D of each guess as it was modelled, less where guesses were right less often than they were sure to be."""
    right, many = sum(int(call.right.sum()) for call in calls), sum(call.users.size for call in calls)
    if (2 * right - many) / np.sqrt(max(many, 1)) < CLEAR:
        return None
    shown = sum(float(np.where(call.right, call.sure, -call.sure).sum()) for call in calls)
    trusted = float(np.clip(shown / sum(0.5 * float(call.apart.sum()) for call in calls), 0.0, 1.0))
    return [np.sqrt(trusted * call.apart) for call in calls]


def _drawn(call: Call, scale: Floats, rng: np.random.Generator, *, pure: bool) -> Call:
    """Guesses with such D, by a model that thinks all noise normal."""
    noise = rng.laplace(0.0, np.sqrt(0.5), scale.size) if pure else rng.standard_normal(scale.size)
    logits = 0.5 * scale**2 + scale * noise
    return Call(call.users, np.minimum(np.abs(logits), SUREST), logits > 0, scale**2)
