"""Packings for permuted data: the lower bounds of the weakly correlated setting, played.

Two kinds. Both draw a dataset by lot, put it into random order, and have a mechanism answer. What a guess can know is
told apart, draw by draw: whoever else was told who is moved could not do better than the limit of that draw.

*Star* (Theorem pac-lb (B) and our k datasets): m random users are drawn; dataset 0 has everybody in category 0, dataset
j has the m in category j. Given who the m are, with demands S together, densities are within e^S of each other, so no
posterior exceeds p = e^S/(e^S + K): P(error < Δ/2) ≤ p, and the mean squared error is at least p(1−p)Δ² for p ≥ ½, else
Δ²/4.

*Chain* (the two-point argument of Theorem mse-lb and our bounds "split" and "beta"): rung j has T + js ones at random
places, j = 0..J by lot. The users B with large demands are told. Given that h of them are ones, rung j has the prior
weight P(h | T + js), hypergeometric; the users A, whose order is drawn before and told, are ones from the first to the
(T + js − h)-th. So rungs i and j differ in the users of A between these places, with demands S_ij together, S is
additive along the chain, and the densities g of an answer obey |log g_i − log g_j| ≤ S_ij. Any largest posterior of a
rung, and any least posterior variance, is attained by a tent g_j = e^{−S_jp} around some rung p: the best for a linear
cost Σg_j·c_j with c < 0 between two places and > 0 outside falls as fast as it may outside, and inside is as large as
the ends allow; of the tents in between, one of those with a peak on a rung is best, a quotient of linear functions
being largest at an end.

So the limits are max_p of the tents' own weights, and the least of their variances. Each draw's truth is that of its
own dataset, so somebody who tells the truth never errs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from hdp_audit.model.task import Estimate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_RIVALS = 31  # further categories would only need more data to be written down


@dataclass(frozen=True, eq=False)
class Drawn:
    """Datasets, one a row, what a perfect answer to each is, and what the demands allow in each."""

    rows: NDArray[Any]
    truths: Floats
    right: Floats  # the largest probability of an error below Δ/2
    risk: Floats  # the least mean square of the projected error, in units of the largest


@dataclass(frozen=True, eq=False)
class Permuted(ABC):
    """A packing of permuted data."""

    epsilon: Floats
    task: Estimate

    @property
    @abstractmethod
    def key(self) -> str:
        """What tells it from others, for its random stream."""

    @property
    @abstractmethod
    def moved(self) -> int:
        """How many users make the difference between neighbouring datasets."""

    @property
    def distance(self) -> float:
        """Δ, between neighbouring truths."""
        return self.moved / self.epsilon.size

    @property
    @abstractmethod
    def reach(self) -> float:
        """Between the farthest truths: the largest error of a projected answer."""

    @property
    @abstractmethod
    def rivals(self) -> int:
        """How many datasets there are beside the first."""

    @property
    @abstractmethod
    def words(self) -> str:
        """Who is moved."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, size: int) -> Drawn:
        """`size` datasets by lot, in random order."""

    @abstractmethod
    def projected(self, outputs: Floats) -> Floats:
        """Outputs moved into the box of all the truths."""


@dataclass(frozen=True, eq=False)
class Star(Permuted):
    """m random users in one of K categories, or with everybody else."""

    size: int

    @property
    def key(self) -> str:
        """As in `Permuted`."""
        return f"star {self.size}"

    @property
    def moved(self) -> int:
        """As in `Permuted`."""
        return self.size

    @property
    def reach(self) -> float:
        """As in `Permuted`."""
        return self.distance

    @property
    def rivals(self) -> int:
        """As in `Permuted`."""
        return min(self.task.rivals, MOST_RIVALS)

    @property
    def words(self) -> str:
        """As in `Permuted`."""
        return f"{self.size} users by lot are in one category of {self.rivals + 1}, the others in the first"

    def draw(self, rng: np.random.Generator, size: int) -> Drawn:
        """As in `Permuted`."""
        n = self.epsilon.size
        moved = orders(np.arange(n), rng, size)[:, : self.size]
        which = rng.integers(0, self.rivals + 1, size)
        rows = np.zeros((size, n), dtype=self.task.domain.everybody(1, 0).dtype)
        np.put_along_axis(rows, moved, which[:, None].astype(rows.dtype), axis=1)
        ones = np.where(which > 0, self.size, 0)
        right, risk = star_limits(self.epsilon[moved].sum(axis=1), self.rivals)
        return Drawn(rows, _truths(self.task, which, ones, n), right, risk)

    def projected(self, outputs: Floats) -> Floats:
        """As in `Permuted`."""
        n = self.epsilon.size
        which = np.arange(self.rivals + 1)
        truths = _truths(self.task, which, np.where(which > 0, self.size, 0), n)
        return np.clip(outputs, truths.min(axis=0), truths.max(axis=0))


@dataclass(frozen=True, eq=False)
class Chain(Permuted):
    """T, T + s, ..., T + Js ones; A's users are those with the smallest demands."""

    private: int  # how many they are, all with finite demands
    step: int
    rungs: int  # J

    @property
    def key(self) -> str:
        """As in `Permuted`."""
        return f"chain {self.private} {self.step} {self.rungs}"

    @property
    def moved(self) -> int:
        """As in `Permuted`."""
        return self.step

    @property
    def reach(self) -> float:
        """As in `Permuted`."""
        return self.rungs * self.distance

    @property
    def rivals(self) -> int:
        """As in `Permuted`."""
        return self.rungs

    @property
    def words(self) -> str:
        """As in `Permuted`."""
        told = self.epsilon.size - self.private
        numbers = f"{self.rungs + 1} numbers of users, {self.step} apart, are in one category of two, at random places"
        return numbers + (f", the {told} users with the largest demands being told" if told else "")

    @property
    def least(self) -> int:
        """T: as far from the ends as it gets, where nothing is clipped."""
        return (self.epsilon.size - self.rungs * self.step) // 2

    @cached_property
    def _parts(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.epsilon, kind="stable")
        return order[: self.private], order[self.private :]

    @cached_property
    def ones(self) -> Ints:
        """Of each rung."""
        return self.least + self.step * np.arange(self.rungs + 1)

    def draw(self, rng: np.random.Generator, size: int) -> Drawn:
        """As in `Permuted`."""
        n = self.epsilon.size
        private, told = (orders(part, rng, size) for part in self._parts)
        ones = self.ones[rng.integers(0, self.rungs + 1, size)]
        shown = shown_by_lot(rng, ones, n, told.shape[1])
        rows = np.zeros((size, n), dtype=self.task.domain.everybody(1, 0).dtype)
        for order, many in ((private, ones - shown), (told, shown)):
            np.put_along_axis(rows, order, (np.arange(order.shape[1]) < many[:, None]).astype(rows.dtype), axis=1)
        right, risk = self.limits(np.cumsum(self.epsilon[private], axis=1), shown)
        return Drawn(rows, _truths(self.task, np.ones(size, dtype=np.int64), ones, n), right, risk)

    def limits(self, sums: Floats, shown: Ints) -> tuple[Floats, Floats]:
        """From the running sums of A's demands in their order, and how many of B's users are ones."""
        place = self.ones - shown[:, None]  # how many of A are ones, by rung
        possible = (place >= 0) & (place <= self.private)
        sums = np.concatenate([np.zeros((sums.shape[0], 1)), sums], axis=1)
        height = np.take_along_axis(sums, np.clip(place, 0, self.private), axis=1)
        log_prior = _log_hypergeometric(shown, self.epsilon.size, self.ones, self.epsilon.size - self.private)
        return chain_limits(height, np.where(possible, log_prior, -np.inf))

    def projected(self, outputs: Floats) -> Floats:
        """As in `Permuted`."""
        n = self.epsilon.size
        ends = _truths(self.task, np.ones(2, dtype=np.int64), self.ones[[0, -1]], n)
        return np.clip(outputs, ends.min(axis=0), ends.max(axis=0))


def star_limits(total: Floats, rivals: int) -> tuple[Floats, Floats]:
    """p and, in units of Δ², p(1 − p) or ¼; 1 − p = 1/(1 + e^S/K) without cancellation."""
    with np.errstate(over="ignore"):
        right = 1.0 / (1.0 + rivals * np.exp(-total))
        risk = np.where(right < 0.5, 0.25, right / (1.0 + np.exp(total) / rivals))
    return right, risk


def chain_limits(height: Floats, log_prior: Floats) -> tuple[Floats, Floats]:
    """From where each rung stands (rows: draws), in sums of demands, and its prior weight."""
    logs = log_prior[:, None, :] - np.abs(height[:, None, :] - height[:, :, None])
    tents = np.exp(logs - logs.max(axis=2, keepdims=True))
    tents /= tents.sum(axis=2, keepdims=True)
    at = np.linspace(0.0, 1.0, height.shape[1])
    centre = tents @ at
    variance = (tents * (at - centre[:, :, None]) ** 2).sum(axis=2)
    return tents.max(axis=(1, 2)), variance.min(axis=1)


def orders(users: NDArray[Any], rng: np.random.Generator, size: int) -> NDArray[Any]:
    """Each row in an order of its own."""
    return rng.permuted(np.broadcast_to(users, (size, users.size)), axis=1)


def shown_by_lot(rng: np.random.Generator, ones: Ints, n: int, told: int) -> Ints:
    """How many of B's users are ones."""
    if not told:
        return np.zeros(ones.size, dtype=np.int64)
    return np.asarray(rng.hypergeometric(ones, n - ones, told), dtype=np.int64)


def _log_hypergeometric(shown: Ints, n: int, ones: Ints, told: int) -> Floats:
    """log P(so many ones in B | rung) for all draws (rows) and rungs; up to what all rungs share."""
    if not told:
        return np.zeros((shown.size, ones.size))
    h = shown[:, None].astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = _log_choose(ones, h) + _log_choose(n - ones, told - h) - _log_choose(np.array(n), np.array(told))
    return np.where((h <= ones) & (told - h <= n - ones), logs, -np.inf)


def _log_choose(n: Ints, m: Floats) -> Floats:
    return np.asarray(gammaln(n + 1.0) - gammaln(m + 1.0) - gammaln(np.maximum(n - m, 0) + 1.0))


def _truths(task: Estimate, which: Ints, ones: Ints, n: int) -> Floats:
    """Of datasets where so many users are in that category (at 1), the others in the first (at 0)."""
    if task.width == 1:
        return (ones / n)[:, None]
    truths = np.zeros((which.size, task.width))
    truths[:, 0] = 1.0 - ones / n
    rows = np.arange(which.size)
    truths[rows, which] = np.where(which > 0, ones / n, 1.0)
    return truths
