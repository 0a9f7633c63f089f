"""What was audited: a name, where it came from, its demands, and every user's own figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.telling import TierSummary
from hdp_audit.model.vocabulary import TaskName

Floats = NDArray[np.float64]
Source = Literal["python", "program", "reference"]

LARGEST = 1e12  # no figure says more
ASSUMED = "assumed"  # among the details: what was not tested
UNREPEATED = "unrepeated"  # among them: that the same seed gave other outputs
NOT_TRACED = "not_traced"  # among them: why tracing did not decide


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

    `demand` was promised, `exact` is the loss where the mechanism is known, `estimate` and `error` what coins measured
    of the loss (and its standard error), `detectable_loss_alone` the loss at which this user would have stood out.
    `traced` is the loss that the mechanism's own draws allow at most on the pairs tried.
    `shared_by` counts the users of one coin: 1 where it was their own, else the estimate is the average of so many.
    """

    demand: Floats
    exact: Floats
    estimate: Floats
    error: Floats
    detectable_loss_alone: Floats
    shared_by: Floats
    traced: Floats | None = None

    @classmethod
    def unknown(cls, demand: Floats) -> UserFigures:
        """Of whom nothing was measured."""
        return cls(demand, *(np.full(demand.size, np.nan) for _ in range(5)))

    def average(self, users: NDArray[Any], among: int) -> tuple[float, float] | None:
        """A group's average loss is at least, and its average estimate; None where nothing was measured.

        The lower limits of `among` groups hold together with 99.9%. Estimates limit no loss from above.
        """
        columns = np.stack([self.estimate[users], self.error[users], self.shared_by[users]])
        estimate, error, shared = np.clip(columns[:, np.isfinite(columns).all(axis=0)], -LARGEST, LARGEST)
        if not estimate.size:
            return None
        quantile = NormalDist().inv_cdf(1.0 - 0.001 / among)
        # coins are independent, but all users of one coin are off by the same
        around = quantile * float(np.sqrt((np.maximum(shared, 1.0) * error**2).sum())) / estimate.size
        middle = float(estimate.mean())
        return middle - around, middle


@dataclass(frozen=True)
class PromiseSummary:
    """What was promised: which kind, the symbol of its parameter, and the largest δ, where it has one."""

    kind: str = "pure"
    symbol: str = "ε"
    delta: float | None = None


@dataclass(frozen=True, eq=False)
class SubjectSummary:
    """A mechanism in a report. `details` are plain values for display: hashes, accuracy tables, biases.

    `audited` is False where nothing was promised that could have been refuted; `file` is where the mechanism stands,
    `line` where it begins there. `tiers` say what was promised to whom; `ids` name the users whom findings name;
    `looked_at` are the topics of the checks that were done; `reach` is what a datum may be, where that is a number.
    """

    name: str
    task: TaskName
    source: Source
    demands: DemandSummary
    categories: int | None = None
    figures: UserFigures | None = None
    details: dict[str, Any] = field(default_factory=dict)
    audited: bool = True
    file: str | None = None
    promise: PromiseSummary = PromiseSummary()
    neighbours: str = "replace"
    tiers: tuple[TierSummary, ...] = ()
    ids: Mapping[int, str] = field(default_factory=dict)
    line: int | None = None
    looked_at: tuple[str, ...] = ()
    reach: tuple[float, float] | None = None
