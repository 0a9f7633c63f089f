"""What was audited: a name, where it came from, its demands, and every user's own figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Source = Literal["python", "program", "reference"]
TaskName = Literal["mean", "frequency", "custom"]


@dataclass(frozen=True)
class DemandSummary:
    """Demands in five numbers."""

    users: int
    smallest: float
    largest: float
    public: int
    zero: int

    @classmethod
    def of(cls, epsilon: Floats) -> DemandSummary:
        """The summary of a vector of demands."""
        return cls(
            int(epsilon.size),
            float(epsilon.min()),
            float(epsilon.max()),
            int(np.isinf(epsilon).sum()),
            int((epsilon == 0).sum()),
        )


@dataclass(frozen=True, eq=False)
class UserFigures:
    """One number a user in each array; NaN where nothing is known.

    `demand` was promised, `exact` is the loss where the mechanism is known, `estimate` and `error` what everybody's own
    coin measured (and its standard error), `nameable` the loss at which this user would have stood out.
    """

    demand: Floats
    exact: Floats
    estimate: Floats
    error: Floats
    nameable: Floats


@dataclass(frozen=True, eq=False)
class SubjectSummary:
    """A mechanism in a report. `details` are plain values for display: hashes, accuracy tables, biases."""

    name: str
    task: TaskName
    source: Source
    demands: DemandSummary
    categories: int | None = None
    figures: UserFigures | None = None
    details: dict[str, Any] = field(default_factory=dict)
