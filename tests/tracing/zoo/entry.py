"""One mechanism whose losses are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tests.tracing.zoo.laws import Law

Vector = NDArray[Any]
Mechanism = Callable[[Vector, NDArray[np.float64], np.random.Generator], Any]
Pair = tuple[int, tuple[float, ...], float]  # user, base dataset, that user's new datum
Source = Literal["rng", "global", "random", "own", "none"]


@dataclass(frozen=True)
class Entry:
    """A mechanism, its demands, and the true loss of some neighbouring pairs.

    name: unique. mechanism: called with (x, epsilon, rng). task: "mean" (floats of [0, 1]) or "frequency" (integers
    0..categories-1). correct: each user i loses at most epsilon_i on every neighbouring pair of the domain.
    losses: (user, base, moved) -> sup over outputs and both directions of the log-ratio; None: not known, see note.
    upper: the losses are upper bounds only. bound: the largest loss/demand over all pairs and users (inf if unbounded,
    None if not derived). breaks: of a broken mechanism, one pair of `losses` that shows it. law: where randomness comes
    from. reference: dataset -> law of the output, derived apart from `losses`; None where that was not feasible.
    reach: how `bound` is to be read: "attained" (some pair has it, at least in the limit) or "upper" (at most).
    """

    name: str
    mechanism: Mechanism
    task: Literal["mean", "frequency"]
    n: int
    categories: int | None
    demands: tuple[float, ...]
    correct: bool
    losses: Mapping[Pair, float | None]
    bound: float | None
    note: str = ""
    upper: bool = False
    breaks: Pair | None = None
    law: Source = "rng"
    reference: Callable[[Vector], Law] | None = None
    reach: Literal["attained", "upper"] = "attained"

    @property
    def epsilon(self) -> NDArray[np.float64]:
        return np.array(self.demands, dtype=float)

    @property
    def factor(self) -> float | None:
        """Of a broken mechanism: loss over demand of the pair that breaks it."""
        if self.breaks is None:
            return None
        loss = self.losses[self.breaks]
        return None if loss is None else loss / self.demands[self.breaks[0]]

    def datasets(self, pair: Pair) -> tuple[Vector, Vector]:
        """The two neighbouring datasets of a pair."""
        user, base, value = pair
        kind = np.int64 if self.task == "frequency" else np.float64
        one = np.array(base, dtype=kind)
        other = one.copy()
        other[user] = value
        return one, other


def change(pair: Pair) -> float:
    """How far the datum moves."""
    user, base, value = pair
    return abs(value - base[user])


def linear(pairs: Iterable[Pair], weights: Iterable[float], scale: float) -> dict[Pair, float | None]:
    """Losses of Σ wᵢxᵢ + noise whose log-density has slope at most 1/scale, reached: wᵢ·|change|/scale."""
    w = list(weights)
    return {pair: w[pair[0]] * change(pair) / scale for pair in pairs}


def shifted(pairs: Iterable[Pair], answer: Callable[[Vector], float], scale: float) -> dict[Pair, float | None]:
    """Losses of answer(x) + Laplace(scale) with a constant scale: |answer(x) - answer(x')|/scale."""
    losses: dict[Pair, float | None] = {}
    for pair in pairs:
        one = np.array(pair[1])
        other = one.copy()
        other[pair[0]] = pair[2]
        losses[pair] = abs(answer(one) - answer(other)) / scale
    return losses


def per_category(pairs: Iterable[Pair], demands: tuple[float, ...], factor: float = 1.0) -> dict[Pair, float | None]:
    """Losses that are the same for any change of category: factor·εᵢ."""
    return {pair: factor * demands[pair[0]] for pair in pairs}


def logit(p: float) -> float:
    return math.log(p / (1 - p))
