"""Subjects, base datasets and pairs in one line, for means and frequencies under pure promises."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp_audit.model.dataset import DatasetTable
from hdp_audit.model.domain import Base
from hdp_audit.model.neighbours import NeighbourPair, Replace, Values
from hdp_audit.model.promise import PureDP
from hdp_audit.model.task import task_of
from hdp_audit.targets.subject import Subject


def subject_of(mechanism: Any, epsilon: ArrayLike, categories: int | None = None, name: str = "") -> Subject:
    return Subject(mechanism, PureDP(epsilon), task_of(categories), name)


def bases(users: int, categories: int | None, own: Any = None) -> list[Base]:
    return task_of(categories).domain.bases(users, own)


def pair(base: Base, users: ArrayLike, epsilon: ArrayLike, categories: int | None = None) -> NeighbourPair:
    return Replace().pair(task_of(categories).domain, base, np.asarray(users), PureDP(epsilon))


def between(first: Any, second: Any, epsilon: ArrayLike) -> Values:
    """Everybody by a coin between these two values."""
    return Values(first, second, PureDP(epsilon))


def zero_or_one(epsilon: float) -> NeighbourPair:
    """One user at 0, and at 1."""
    return pair(bases(1, None)[0], [0], [epsilon])


def table(subject: Subject, rows: Any) -> DatasetTable:
    return DatasetTable(rows, subject.promise)
