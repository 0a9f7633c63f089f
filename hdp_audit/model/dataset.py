"""Data and demands together, as a mechanism is called with them: a user who leaves takes their demand along."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True, eq=False)
class DatasetTable(Collection[Dataset]):
    """Many datasets with the same promises: one dataset per row."""

    rows: NDArray[Any]
    promise: Promise

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def __getitem__(self, some: slice) -> DatasetTable:
        return DatasetTable(self.rows[some], self.promise)

    def __contains__(self, dataset: object) -> bool:
        return any(dataset is one for one in self)

    def __iter__(self) -> Iterator[Dataset]:
        return (Dataset(row, self.promise) for row in self.rows)


def repeated(dataset: Dataset, times: int) -> DatasetTable:
    """The same dataset in every row."""
    return DatasetTable(np.repeat(dataset.data[None], times, axis=0), dataset.promise)
