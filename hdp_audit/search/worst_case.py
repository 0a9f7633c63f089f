"""Datasets on which a weighting errs most: those of the bias theorem, blends of them, extremes.

Users above the average weight in one category and the others in another bias both by ½‖w − 1/n‖₁ (the vertex of
theory/guarantee.py). Near 0 and 1 noise is clipped away, so blends that spread the least biased users evenly can err
more, and permuted data err most where they vary most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.model.task import Estimate

Floats = NDArray[np.float64]
Data = NDArray[Any]

OWN_DATA = "your data"
BLENDS = (0.0, 0.25, 0.5)  # how many of the least biased users are spread evenly


@dataclass(frozen=True, eq=False)
class Instance:
    """Data with a name in words, what a perfect answer to them is, and whether they are the user's own.

    Of the user's own data no exact figure is told.
    """

    name: str
    data: Data
    truth: Floats
    own: bool = False

    @classmethod
    def of(cls, name: str, data: Data, task: Estimate, *, own: bool = False) -> Instance:
        """With the truth of the task."""
        if not task.domain.allows(data):
            raise InvalidInput(f"{name}: give {task.domain.words}, one for each user")
        typed = task.domain.typed(data)
        return cls(name, typed, task.truth(typed), own)


def extremes(users: int, task: Estimate, rng: np.random.Generator) -> Iterator[Instance]:
    """What is tried of every mechanism, whatever its weights."""
    for name, data in task.extremes(users, rng):
        yield Instance.of(name, data, task)


def biased(weights: Floats, task: Estimate, words: str = "") -> Iterator[Instance]:
    """The vertices of the bias for known or estimated weights, both ways round, and their blends."""
    heavy = weights > 1.0 / weights.size
    if heavy.all() or not heavy.any():  # no bias at all: any half will do
        heavy = np.arange(weights.size) % 2 == 0
    order = np.argsort(np.abs(weights - 1.0 / weights.size), kind="stable")
    for up, name in ((heavy, "weights above 1/n"), (~heavy, "weights below 1/n")):
        for blend in BLENDS:
            spread = order[: int(blend * weights.size)]
            data = task.apart(up)
            data[spread] = np.arange(spread.size) % (task.rivals + 1)
            tail = f", the {blend:.0%} least biased spread" if blend else ""
            yield Instance.of(f"users with {words}{name} {task.apart_words}{tail}", data, task)


def random_groups(
    groups: NDArray[np.int64], task: Estimate, count: int, rng: np.random.Generator
) -> Iterator[Instance]:
    """Random search: every group of users gets one value, drawn anew for each dataset."""
    for number in range(count):
        values = rng.integers(0, task.rivals + 1, groups.max() + 1)
        yield Instance.of(f"random by groups of similar demands, no. {number + 1}", values[groups], task)
