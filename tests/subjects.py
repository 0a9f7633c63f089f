"""Subjects, base datasets and pairs in one line, for means and frequencies under pure promises, for benchmarks too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp_audit.api import audit
from hdp_audit.model import AuditReport, PrivacyClaim
from hdp_audit.model.claim import FloatingPoint
from hdp_audit.model.dataset import DatasetTable
from hdp_audit.model.domain import Base
from hdp_audit.model.neighbours import NeighbourPair, Replace, Values
from hdp_audit.model.promise import PureDP
from hdp_audit.model.task import task_of
from hdp_audit.targets.subject import Subject
from mechanisms.broken import PlantedFault


def subject_of(mechanism: Any, epsilon: ArrayLike, categories: int | None = None, name: str = "") -> Subject:
    return Subject(mechanism, PureDP(epsilon), task_of(categories), name)


def audited_fault(
    fault: PlantedFault, budget: int, seed: int = 1, floating_point: FloatingPoint = "off"
) -> AuditReport:
    """A planted fault on its own demands, for privacy; in doubles all of them leak, so bits are looked at if asked."""
    return audit(
        fault,
        epsilon=fault.epsilon,
        task=fault.task,
        categories=fault.categories,
        budget=budget,
        seed=seed,
        privacy=PrivacyClaim(floating_point=floating_point),
    )


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
    return DatasetTable.of(rows, subject.promise)
