"""Calls in chunks. The table of a chunk depends on its request and its number alone, never on who makes it, or when.

A request for many calls is cut where its size and the way of calling say; every chunk draws from a stream of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset, DatasetTable
from hdp_audit.targets.streams import Named

if TYPE_CHECKING:
    from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

FEWEST, MOST = 8, 32  # single calls of a chunk: few where a call may take seconds
PARTS = 16  # as many chunks as that at least, unless these are small already
BATCH = 1 << 11  # calls of a chunk that come in batches, at most
PER_CALL = 50  # users whose data a request may repeat for each of its calls


@dataclass(frozen=True, eq=False)
class Chunk(ABC):
    """So many calls, with their stream."""

    stream: Named

    @property
    @abstractmethod
    def size(self) -> int:
        """How many calls."""

    @property
    @abstractmethod
    def datasets(self) -> Collection[Dataset]:
        """On which data, for all calls together."""

    @property
    def number(self) -> int:
        """What tells it from every other of its check; never 0."""
        return self.stream.number

    @property
    def coins(self) -> NDArray[np.bool_] | None:
        """Which of two datasets each call gets, where that is asked."""
        return None

    @abstractmethod
    def made(self, subject: Subject) -> Floats:
        """One row for each call."""


@dataclass(frozen=True, eq=False)
class Same(Chunk):
    """Calls on one dataset."""

    dataset: Dataset
    count: int

    @property
    def size(self) -> int:
        """As many as that."""
        return self.count

    @property
    def datasets(self) -> Collection[Dataset]:
        """The one."""
        return (self.dataset,)

    def made(self, subject: Subject) -> Floats:
        """In a batch, where there are batches."""
        return subject.same(self.dataset, self.count, self.stream.generator())


@dataclass(frozen=True, eq=False)
class Each(Chunk):
    """One call for each dataset."""

    rows: Collection[Dataset]

    @property
    def size(self) -> int:
        """One for each."""
        return len(self.rows)

    @property
    def datasets(self) -> Collection[Dataset]:
        """All of them."""
        return self.rows

    def made(self, subject: Subject) -> Floats:
        """In one call, where the mechanism takes tables."""
        return subject.each(self.rows, self.stream.generator())


@dataclass(frozen=True, eq=False)
class Mixed(Chunk):
    """One call for each coin, which says on which of two datasets; in the order of the coins."""

    first: Dataset
    second: Dataset
    tossed: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """One for each coin."""
        return int(self.tossed.size)

    @property
    def datasets(self) -> Collection[Dataset]:
        """Both."""
        return (self.first, self.second)

    @property
    def coins(self) -> NDArray[np.bool_]:
        """One a call."""
        return self.tossed

    def made(self, subject: Subject) -> Floats:
        """Call by call."""
        return subject.mixed(self.first, self.second, self.tossed, self.stream.generator())


def fewest(users: int, *, program: bool) -> int:
    """Calls of a chunk in batches, at least: a program may take its time, so that others help; it reads data anew."""
    return int(min(max(users // PER_CALL, FEWEST), BATCH)) if program else BATCH


def sizes(calls: int, *, batches: bool, least: int = BATCH) -> Iterator[tuple[int, int]]:
    """Where each chunk of so many calls begins and ends; at least one chunk, though it be empty."""
    step = int(min(max(calls // PARTS, least if batches else FEWEST), BATCH if batches else MOST))
    for start in range(0, max(calls, 1), step):
        yield start, min(start + step, calls)


def chunked(datasets: Collection[Dataset], stream: Named, spans: Iterable[tuple[int, int]]) -> Iterator[Each]:
    """One call for each of these."""
    listed = [] if isinstance(datasets, DatasetTable) else list(datasets)
    for (start, end), own in zip(spans, stream.turns("chunk"), strict=False):
        yield Each(own, datasets.part(start, end) if isinstance(datasets, DatasetTable) else listed[start:end])
