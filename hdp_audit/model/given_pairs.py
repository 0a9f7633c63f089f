"""Pairs of datasets that a user gives, of a custom task."""

from __future__ import annotations

from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.leaving import Remove
from hdp_audit.model.neighbours import NeighbourPair, Neighbours, Users
from hdp_audit.model.promise import Promise

FORMS = "yield (data0, data1, users), or (data0, data1, users, name)"
LONGEST = 60  # letters of a name


def given_pair(number: int, given: Any, promise: Promise, neighbours: Neighbours | None = None) -> NeighbourPair:
    """(data0, data1, users) as a user gave it, and a name if they like; under removal one dataset has less rows."""
    try:
        first, second, differing, *name = given
        listed = np.unique(np.array(list(differing), dtype=np.int64))
    except (TypeError, ValueError):
        raise InvalidInput(f"pair {number}: {type(given).__name__}; {FORMS}") from None
    called = f"pair {number}" + _named(number, name)
    if not listed.size or listed[0] < 0 or listed[-1] >= len(promise):
        raise InvalidInput(
            f"{called}: users {listed.tolist()[:5]}; give at least one of the users 0 to {len(promise) - 1}"
        )
    if np.isinf(promise.strengths[listed]).any():
        raise InvalidInput(f"{called}: a user in whom it differs demands inf, so nothing was promised; leave it out")
    return NeighbourPair(
        called,
        listed,
        *_datasets(called, (first, second), listed, promise, neighbours),
        promise.group(listed),
        "the first dataset",
        "the second dataset",
        given=True,
    )


def _named(number: int, given: list[Any]) -> str:
    """A name in brackets, if there is one."""
    if not given:
        return ""
    if len(given) > 1 or type(given[0]) is not str:
        raise InvalidInput(f"pair {number}: {len(given) + 3} entries, the fourth {given[0]!r:.60}; {FORMS}")
    if not given[0].isprintable() or not 0 < len(given[0].strip()) <= LONGEST:
        raise InvalidInput(f"pair {number}: the name {given[0]!r:.80}; give 1 to {LONGEST} letters on one line")
    return f" ({given[0].strip()})"


def _datasets(
    called: str, given: tuple[Any, Any], users: Users, promise: Promise, neighbours: Neighbours | None
) -> tuple[Dataset, Dataset]:
    """Each with the promises to those who are in it."""
    if not isinstance(neighbours, Remove):
        _refuse_others(called, given, users, len(promise))
        return Dataset(given[0], promise), Dataset(given[1], promise)
    try:
        sizes = [len(data) for data in given]
    except TypeError:
        sizes = []
    whole = len(promise)
    if sorted(sizes) != [whole - users.size, whole]:
        raise InvalidInput(
            f"{called}: datasets of {' and '.join(map(str, sizes)) or 'no'} rows; under removal one has a row for "
            f"each of the {whole} users, the other none for those {users.size} in whom it differs"
        )
    staying = np.setdiff1d(np.arange(whole), users)
    smaller = promise.keeping(staying)
    first, second = (
        Dataset(data, promise) if size == whole else Dataset(data, smaller, staying)
        for data, size in zip(given, sizes, strict=True)
    )
    return first, second


def _refuse_others(called: str, given: tuple[Any, Any], users: Users, whole: int) -> None:
    """Data with a row per user may differ in the named ones alone, or others' loss would be put down to these."""
    others = np.setdiff1d(_differing(*given, whole), users)
    if others.size:
        raise InvalidInput(
            f"{called}: its datasets differ in the users {others.tolist()[:5]} too, and it names "
            f"{users.tolist()[:5]}; name all users in whom they differ"
        )


def _differing(first: Any, second: Any, whole: int) -> Users:
    """Rows that are not the same; nobody where data have no row per user, or rows cannot be compared."""
    nobody = np.zeros(0, dtype=np.int64)
    if type(first) is not type(second) or type(first) not in (list, tuple, np.ndarray):
        return nobody
    try:
        if len(first) != whole or len(second) != whole:
            return nobody
        return np.array([i for i in range(whole) if not _same(first[i], second[i])], dtype=np.int64)
    except (TypeError, ValueError):
        return nobody


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(np.all((one == other) | ((one != one) & (other != other))))  # NaN is NaN
