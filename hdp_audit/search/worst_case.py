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

Floats = NDArray[np.float64]
Data = NDArray[Any]

OWN_DATA = "your data"
BLENDS = (0.0, 0.25, 0.5)  # how many of the least biased users are spread evenly


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data with a name in words, and what a perfect answer to them is."""

    name: str
    data: Data
    truth: Floats

    @classmethod
    def of(cls, name: str, data: Data, categories: int | None) -> Dataset:
        """With its mean, or its frequencies."""
        if categories is not None and (data.dtype.kind not in "iu" or data.min() < 0 or data.max() >= categories):
            raise InvalidInput(f"{name}: give whole numbers from 0 to {categories - 1}, one for each user")
        if categories is None:
            return cls(name, data, np.array([float(np.mean(data))]))
        return cls(name, data, np.bincount(data, minlength=categories) / data.size)


def extremes(users: int, categories: int | None, rng: np.random.Generator) -> Iterator[Dataset]:
    """What is tried of every mechanism, whatever its weights."""
    order = rng.permutation(users)
    if categories is None:
        yield Dataset.of("everybody at 0", np.zeros(users), None)
        yield Dataset.of("everybody at 1", np.ones(users), None)
        yield Dataset.of("a random half at 1", (order % 2).astype(np.float64), None)
        yield Dataset.of("random numbers", rng.random(users), None)
        return
    yield Dataset.of("everybody in category 0", np.zeros(users, dtype=np.int64), categories)
    yield Dataset.of("everybody in the last category", np.full(users, categories - 1), categories)
    yield Dataset.of("a random half in category 0, half in the last", (order % 2) * (categories - 1), categories)
    yield Dataset.of("uniform over categories", order % categories, categories)


def biased(weights: Floats, categories: int | None, words: str = "") -> Iterator[Dataset]:
    """The vertices of the bias for known or estimated weights, both ways round, and their blends."""
    heavy = weights > 1.0 / weights.size
    if heavy.all() or not heavy.any():  # no bias at all: any half will do
        heavy = np.arange(weights.size) % 2 == 0
    order = np.argsort(np.abs(weights - 1.0 / weights.size), kind="stable")
    last = 1 if categories is None else categories - 1
    for up, name in ((heavy, "weights above 1/n"), (~heavy, "weights below 1/n")):
        for blend in BLENDS:
            spread = order[: int(blend * weights.size)]
            data = np.where(up, last, 0) if categories is None else np.where(up, 0, last)
            data[spread] = np.arange(spread.size) % (last + 1)
            where = "at 1, the others at 0" if categories is None else "in category 0, the others in the last"
            tail = f", the {blend:.0%} least biased spread" if blend else ""
            typed = data.astype(np.float64) if categories is None else data
            yield Dataset.of(f"users with {words}{name} {where}{tail}", typed, categories)


def random_groups(
    groups: NDArray[np.int64], categories: int | None, count: int, rng: np.random.Generator
) -> Iterator[Dataset]:
    """Random search: every group of users gets one value, drawn anew for each dataset."""
    for number in range(count):
        if categories is None:
            values: Data = rng.integers(0, 2, groups.max() + 1).astype(np.float64)
        else:
            values = rng.integers(0, categories, groups.max() + 1)
        yield Dataset.of(f"random by groups of similar demands, no. {number + 1}", values[groups], categories)
