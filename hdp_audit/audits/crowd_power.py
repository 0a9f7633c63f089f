"""What bets on everybody's coins would have refuted: outputs like those seen, with less noise.

A guess whose logit has mean D²/2 and variance D² is that of normal noise with a move of D standard deviations; with a
factor less noise D grows by it. D is what the model of the outputs says of each guess, as far as they bear it out, and
no more than noise that keeps the promise can show: what outputs tell beyond that is no reason to expect more of them.
Under a pure promise the noise is taken for Laplace's, whose logits the model overrates. Under the others it may be any
noise: the factor has to be refuted if it is normal, and also if it is drawn from what was seen to be left of guesses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.crowd import Call, Odds, limits_of, path
from hdp_audit.evidence.e_process import goal
from hdp_audit.model.promise import Promise
from hdp_audit.search.decoding import SUREST
from hdp_audit.targets.streams import stream

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]

POWER, RUNS = 0.8, 20
FACTORS = np.geomspace(1.0, 16.0, 33)
CLEAR = 3.0  # standard errors by which right guesses must exceed a half
BEYOND = 6.0  # standard deviations by which a call may tell more than was modelled, and still be taken for noise
CAUTION = 1.2  # times the factor: a model that was learned is worse than one that is true, as measured
MOST = 2_000_000  # guesses that are drawn for one factor


def largest_moves(promise: Promise) -> Floats:
    """D that each user may have, at most: of normal noise that just keeps the promise, or of Laplace noise."""
    limits, kinds = limits_of(promise, np.arange(len(promise)))
    laplace = np.sqrt(0.5)  # of the ε, as its variance is 2
    return np.array([max(each.gaussian(), laplace * each.strength if each.straight else 0.0) for each in limits])[kinds]


def detectable_factor(
    calls: Sequence[Call], odds: Callable[[float], Odds], most: Floats, significance: float, seed: int, *, pure: bool
) -> float:
    """The smallest factor that is refuted in 8 of 10 runs of as many calls; inf where the outputs tell too little.

    `most` has the largest D of each user; on average they are not exceeded.
    """
    calls = [call for call in calls if not _tells_all(call)]
    told = _told(calls, most) if calls else None
    if told is None:
        return float("inf")
    claimed = odds(1.0)
    runs = int(np.clip(MOST // max(sum(call.users.size for call in calls), 1), 5, RUNS))
    noises = [_laplace] if pure else [_normal, *_seen(calls)]

    def refuted(factor: float) -> bool:
        return all(found(factor, noise) for noise in noises)

    def found(factor: float, noise: Noise) -> bool:
        rng, often = stream(seed, "crowd", "power"), 0
        for _ in range(runs):
            drawn = [
                _drawn(call, factor * scale, noise(rng, scale.size)) for call, scale in zip(calls, told, strict=True)
            ]
            often += bool(path(drawn, claimed).max() >= goal(significance))
        return often >= POWER * runs

    first = bisect_left(FACTORS.tolist(), True, key=refuted)
    return float(CAUTION * FACTORS[first]) if first < FACTORS.size else float("inf")


def _signed(call: Call) -> Floats:
    """The logit of what is right."""
    return np.where(call.right, call.sure, -call.sure)


def _tells_all(call: Call) -> bool:
    """Whether a call tells more than noise could: it says nothing of how much the others tell."""
    modelled = float(call.apart.sum())
    return float(_signed(call).sum()) > 0.5 * modelled + BEYOND * np.sqrt(modelled)


def _told(calls: Sequence[Call], most: Floats) -> list[Floats] | None:
    """D of each guess as it was modelled, less where guesses were right less often than they were sure to be."""
    right, many = sum(int(call.right.sum()) for call in calls), sum(call.users.size for call in calls)
    if (2 * right - many) / np.sqrt(max(many, 1)) < CLEAR:
        return None
    shown = sum(float(_signed(call).sum()) for call in calls)
    trusted = float(np.clip(shown / sum(0.5 * float(call.apart.sum()) for call in calls), 0.0, 1.0))
    return [np.sqrt(min(trusted, _allowed(calls, most)) * call.apart) for call in calls]


def _allowed(calls: Sequence[Call], most: Floats) -> float:
    """What part of all squares of D the promise allows, whoever they are of; more than 1 where it is not reached."""
    bound = [np.isfinite(most[call.users]) for call in calls]
    seen = sum(float(call.apart[some].sum()) for call, some in zip(calls, bound, strict=True))
    allowed = sum(float(np.square(most[call.users[some]]).sum()) for call, some in zip(calls, bound, strict=True))
    return allowed / seen if seen > 0 else 1.0


def _drawn(call: Call, scale: Floats, noise: Floats) -> Call:
    """Guesses with such D, by a model that thinks all noise normal."""
    logits = 0.5 * scale**2 + scale * noise
    return Call(call.users, np.minimum(np.abs(logits), SUREST), logits > 0, scale**2)


def _laplace(rng: np.random.Generator, size: int) -> Floats:
    return rng.laplace(0.0, np.sqrt(0.5), size)


def _normal(rng: np.random.Generator, size: int) -> Floats:
    return rng.standard_normal(size)


def _seen(calls: Sequence[Call]) -> list[Noise]:
    """Noise of mean 0 and at least variance 1, of the shape that guesses had; none where they all are alike."""
    logits = np.concatenate([_signed(call) for call in calls])
    apart = np.concatenate([call.apart for call in calls])
    left = ((logits - 0.5 * apart)[apart > 0]) / np.sqrt(apart[apart > 0])
    if left.size < 2 or not left.std() > 0:
        return []
    shape = (left - left.mean()) / min(float(left.std()), 1.0)
    return [lambda rng, size: shape[rng.integers(shape.size, size=size)]]
