"""Lower bounds on what normal noise loses, as (ε, δ), μ and ρ: the game, the same with its event known, and the peers.

The runs are those that the game drew: a mechanism keeps them, and all methods of a row see the same. Where promises
are curves the suite has one bound, which holds at all times; the peers' hold for a fixed number of runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr

from hdp_audit.audits.game import play
from hdp_audit.evidence.bets import Bet, best_line
from hdp_audit.evidence.wealth import Wealth
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


def known(task: Task, runs: Runs, significance: float) -> float:
    """The game's bound with the best event given."""
    threshold = best_threshold(task.name, sum(part.size for part in runs), significance)
    zeros, ones = runs
    right = int((ones >= threshold).sum() + (zeros <= task.shift - threshold).sum())
    wrong = int((zeros >= threshold).sum() + (ones <= task.shift - threshold).sum())
    return _wealth(task, threshold, right, right + wrong, zeros.size + ones.size, significance).loss_lower


@lru_cache(maxsize=256)
def best_threshold(name: str, calls: int, significance: float) -> float:
    """The one whose bound is largest if counts are as expected."""
    calls = round(calls, -2)
    task = CURVES[name]

    def bound(threshold: float) -> float:
        right, wrong = _expected(task.shift, threshold)
        made = round(calls * (right + wrong))
        return _wealth(task, threshold, made - round(calls * wrong), made, calls, significance).loss_lower

    least = 0.5 * task.shift + 1e-9
    return max((float(t) for t in least + np.linspace(0.0, 5.0, 101)), key=bound)


def _expected(shift: float, threshold: float) -> tuple[float, float]:
    """How often both sides together are guessed right and wrong, in a draw."""
    return float(ndtr(shift - threshold)), float(ndtr(-threshold))


def _wealth(task: Task, threshold: float, right: int, made: int, calls: int, significance: float) -> Wealth:
    limit = task.limit
    right_rate, wrong_rate = (np.array(rate) for rate in _expected(task.shift, threshold))
    _, touching = best_line(right_rate, wrong_rate, limit.at(0.9 * task.truth), 2)
    bet = Bet.of(limit, float(touching), 2)
    return Wealth(limit, calls, significance).after(right, made, calls, bet)


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
