"""Data and demands together, as a mechanism is called with them: a user who leaves takes their demand along."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.promise import Promise


@dataclass(frozen=True, eq=False)
class Dataset:
    """One datum and one promise for each user. `data` may be anything that the mechanism takes.

    `users`: the places of those who are there, where not all are.
    """

    data: Any
    promise: Promise
    users: NDArray[np.int64] | None = None


@dataclass
class Keys:
    """Short names of datasets, as many may be kept: the same for the same data and demands."""

    _promise: Promise | None = None  # what most datasets share is looked at once
    _told: bytes = b""

    def __call__(self, dataset: Dataset) -> bytes:
        """That of a dataset."""
        if dataset.promise is not self._promise:
            self._promise, self._told = dataset.promise, _digest(dataset.promise.strengths)
        return _digest(dataset.data) + self._told


def _digest(data: Any) -> bytes:
    array = np.ascontiguousarray(data)
    plain = array.tobytes() if array.dtype.hasobject else array.reshape(-1).view(np.uint8).data
    return hashlib.blake2b(plain, digest_size=16).digest()


@dataclass(frozen=True, eq=False)
class DatasetTable(Collection[Dataset]):
    """Many datasets with the same promises, a row each: what `make` makes of as many rows of something smaller.

    They are made anew whenever they are asked for, so that every call has its own.
    """

    source: NDArray[Any]
    make: Callable[[NDArray[Any]], NDArray[Any]]
    promise: Promise

    @classmethod
    def of(cls, rows: NDArray[Any], promise: Promise) -> DatasetTable:
        """These rows, of which every call gets a copy."""
        return cls(rows, np.copy, promise)

    @property
    def rows(self) -> NDArray[Any]:
        """One dataset per row, for one reader, who may write into them."""
        return self.make(self.source)

    def part(self, start: int, stop: int) -> DatasetTable:
        """Some of them."""
        return DatasetTable(self.source[start:stop], self.make, self.promise)

    def __len__(self) -> int:
        return len(self.source)

    def __contains__(self, dataset: object) -> bool:
        return any(dataset is one for one in self)

    def __iter__(self) -> Iterator[Dataset]:
        return (Dataset(row, self.promise) for row in self.rows)


def repeated(dataset: Dataset, times: int) -> DatasetTable:
    """The same dataset in every row."""
    return DatasetTable(np.zeros(times, dtype=np.int8), partial(np.take, dataset.data[None], axis=0), dataset.promise)
