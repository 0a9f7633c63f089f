"""What is audited in a benchmark: a mechanism of a mean or of frequencies, under pure promises."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.model.promise import PureDP
from hdp_audit.model.task import Mean, task_of
from hdp_audit.targets.subject import Subject


def subject_of(mechanism: Any, epsilon: ArrayLike, categories: int | None = None, name: str = "") -> Subject:
    return Subject(mechanism, PureDP(epsilon), task_of(categories), name)


def zero_or_one(epsilon: float) -> NeighbourPair:
    """One user at 0, and at 1."""
    subject = Subject(lambda data, _epsilon, _rng: data[0], PureDP([epsilon]), Mean(), "one user")
    return subject.pair(subject.bases()[0], np.array([0]))
