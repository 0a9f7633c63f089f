"""Pairs of datasets that a user gives, of a custom task."""

from __future__ import annotations

from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.leaving import Remove
from hdp_audit.model.neighbours import NeighbourPair, Neighbours, Users
from hdp_audit.model.promise import Promise


def given_pair(number: int, given: Any, promise: Promise, neighbours: Neighbours | None = None) -> NeighbourPair:
    """(data0, data1, users) as a user gave it; under removal one of the two datasets has less rows."""
    try:
        first, second, differing = given
        listed = np.unique(np.array(list(differing), dtype=np.int64))
    except (TypeError, ValueError):
        raise InvalidInput(f"pair {number}: {type(given).__name__}; yield (data0, data1, users)") from None
    if not listed.size or listed[0] < 0 or listed[-1] >= len(promise):
        raise InvalidInput(
            f"pair {number}: users {listed.tolist()[:5]}; give at least one of the users 0 to {len(promise) - 1}"
        )
    if np.isinf(promise.strengths[listed]).any():
        raise InvalidInput(
            f"pair {number}: a user in whom it differs demands inf, so nothing was promised; leave it out"
        )
    return NeighbourPair(
        f"pair {number}",
        listed,
        *_datasets(number, (first, second), listed, promise, neighbours),
        promise.group(listed),
        "the first dataset",
        "the second dataset",
        given=True,
    )


def _datasets(
    number: int, given: tuple[Any, Any], users: Users, promise: Promise, neighbours: Neighbours | None
) -> tuple[Dataset, Dataset]:
    """Each with the promises to those who are in it."""
    if not isinstance(neighbours, Remove):
        return Dataset(given[0], promise), Dataset(given[1], promise)
    try:
        sizes = [len(data) for data in given]
    except TypeError:
        sizes = []
    whole = len(promise)
    if sorted(sizes) != [whole - users.size, whole]:
        raise InvalidInput(
            f"pair {number}: datasets of {' and '.join(map(str, sizes)) or 'no'} rows; under removal one has a row for "
            f"each of the {whole} users, the other none for those {users.size} in whom it differs"
        )
    staying = np.setdiff1d(np.arange(whole), users)
    smaller = promise.keeping(staying)
    first, second = (
        Dataset(data, promise) if size == whole else Dataset(data, smaller, staying)
        for data, size in zip(given, sizes, strict=True)
    )
    return first, second
