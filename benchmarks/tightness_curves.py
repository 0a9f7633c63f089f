"""Lower bounds on what normal noise loses, as (ε, δ), μ and ρ: the game, the same with its event known, and the peers.

The runs are those that the game drew: a mechanism keeps them, and all methods of a row see the same. The game's bound
holds at all times; that of the fixed sample, as the peers', for a number of runs that was fixed before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr

from hdp_audit.audits.fixed_curve import measure_curve
from hdp_audit.audits.game import play
from hdp_audit.evidence.counted import strength_lower
from hdp_audit.model.approximate import ApproximateDP, ApproximateLimit
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.promise import Limit, Promise
from hdp_audit.model.task import Mean
from hdp_audit.model.zcdp import ZCDP
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]
Runs = tuple[Floats, Floats]  # outputs under dataset 0 and under dataset 1

DELTA = 1e-5
SIGMAS = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Task:
    """Normal noise of one scale and the kind of promise that is measured."""

    name: str
    shift: float
    promise: Promise  # just kept

    @property
    def limit(self) -> Limit:
        return self.promise.group(np.array([0]))

    @property
    def truth(self) -> float:
        return self.limit.strength


def _tasks() -> dict[str, Task]:
    found = []
    for sigma in SIGMAS:
        mu = 1.0 / sigma
        epsilon = ApproximateLimit(1.0, DELTA).lost_by(mu)
        found += [
            Task(f"ε at δ = 1e-5, σ = {sigma:g}", mu, ApproximateDP([epsilon], DELTA)),
            Task(f"μ, σ = {sigma:g}", mu, GaussianDP([mu])),
            Task(f"√(2ρ), σ = {sigma:g}", mu, ZCDP([0.5 * mu**2])),
        ]
    return {task.name: task for task in found}


CURVES = _tasks()


class Kept:
    """The datum, in standard deviations, and normal noise; keeps its outputs by datum."""

    __name__ = "kept"

    def __init__(self, shift: float) -> None:
        self._shift = shift
        self._outputs: tuple[list[Floats], list[Floats]] = ([], [])

    def __call__(self, data: Any, *given: Any) -> float:
        return float(self.batch(data, *given, 1)[0])

    def batch(self, data: Any, *given: Any) -> Floats:
        *_, rng, size = given
        outputs: Floats = self._shift * data[0] + rng.normal(size=size)
        self._outputs[int(data[0] >= 0.5)].append(outputs)
        return outputs

    @property
    def runs(self) -> Runs:
        return np.concatenate(self._outputs[0]), np.concatenate(self._outputs[1])


def learned(task: Task, calls: int, significance: float, seed: int) -> tuple[float, Runs]:
    """The game's bound, its event learned within the calls, and its runs."""
    mechanism = Kept(task.shift)
    subject = Subject(mechanism, task.promise, Mean(), "kept")
    pair = subject.pair(subject.bases()[0], np.array([0]))
    game = play(subject, [pair], calls, significance, seed, "tightness", measuring=True)
    return game.wealth.loss_lower, mechanism.runs


def measured(task: Task, runs: Runs, significance: float, seed: int) -> float:
    """The fixed-sample bound on the same runs, in an order drawn by lot, its event learned within them."""
    outputs, coins = in_any_order(runs, seed)
    place = 0

    def draw(size: int) -> tuple[Floats, NDArray[np.bool_]]:
        nonlocal place
        place += size
        return outputs[place - size : place, None], coins[place - size : place]

    return measure_curve(draw, coins.size, significance, task.limit).lower


def in_any_order(runs: Runs, seed: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Outputs and coins: as the coins were fair, any order of them is as likely as any other."""
    order = np.random.default_rng([seed, 5]).permutation(runs[0].size + runs[1].size)
    return np.concatenate(runs)[order], order >= runs[0].size


def known(task: Task, runs: Runs, significance: float, seed: int) -> float:
    """The fixed-sample bound with the best event, how often to guess and which ε to hold it against given."""
    outputs, coins = in_any_order(runs, seed)
    threshold, epsilon = best_threshold(task.name, coins.size, significance)
    ones, zeros = outputs >= threshold, outputs <= task.shift - threshold
    quota = min(round(coins.size * sum(_expected(task.shift, threshold))), coins.size)
    sure = np.flatnonzero(ones | zeros)[:quota]
    right = int(np.count_nonzero(ones[sure] == coins[sure]))
    return strength_lower(right, quota, coins.size, significance, task.limit, epsilon)


@lru_cache(maxsize=256)
def best_threshold(name: str, calls: int, significance: float) -> tuple[float, float]:
    """The one whose bound is largest if counts are as expected, and the ε of its line."""
    task = CURVES[name]

    def bound(threshold: float) -> tuple[float, float, float]:
        right, wrong = _expected(task.shift, threshold)
        epsilon = float(task.limit.at(float(task.limit.shown_by(right, wrong))).tangent(wrong))
        counts = round(calls * right), min(round(calls * (right + wrong)), calls), calls
        return strength_lower(*counts, significance, task.limit, epsilon), threshold, epsilon

    _, threshold, epsilon = max(bound(float(t)) for t in 0.5 * task.shift + np.linspace(0.0, 5.0, 101))
    return threshold, epsilon


def _expected(shift: float, threshold: float) -> tuple[float, float]:
    """How often both sides together are guessed right and wrong, in a draw."""
    return float(ndtr(shift - threshold)), float(ndtr(-threshold))


def intervals(task: Task, runs: Runs, significance: float) -> float:
    """Of (ε, δ): two Clopper–Pearson intervals on the best one-sided event."""
    zeros, ones = runs
    threshold = interval_threshold(task.shift, round(zeros.size, -2), significance)
    hits, misses = int((ones >= threshold).sum()), int((zeros >= threshold).sum())
    return _interval(hits, ones.size, misses, zeros.size, significance)


@lru_cache(maxsize=256)
def interval_threshold(shift: float, size: int, significance: float) -> float:
    def bound(threshold: float) -> float:
        hits, misses = round(size * float(ndtr(shift - threshold))), round(size * float(ndtr(-threshold)))
        return _interval(hits, size, misses, size, significance)

    return max((float(t) for t in np.linspace(0.0, 6.0, 241)), key=bound)


def _interval(hits: int, ones: int, misses: int, zeros: int, significance: float) -> float:
    low = betaincinv(hits, ones - hits + 1, significance / 2) if hits else 0.0
    high = betaincinv(misses + 1, zeros - misses, 1 - significance / 2) if misses < zeros else 1.0
    return max(float(np.log((low - DELTA) / high)), 0.0) if low > DELTA else 0.0


def as_epsilon(task: Task, mu: float) -> float:
    """The ε at δ that a μ implies."""
    return ApproximateLimit(1.0, DELTA).lost_by(mu) if isinstance(task.promise, GaussianDP) else mu
