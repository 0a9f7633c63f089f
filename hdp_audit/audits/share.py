"""What a check may spend, and what it hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.e_process import goal, p_value
from hdp_audit.model.finding import Finding
from hdp_audit.model.subject import UserFigures

FEW = 1000  # calls: below that nobody is tried alone, and that calls are independent is assumed


@dataclass(frozen=True)
class Share:
    """One check's part of the calls and of the family's false-alarm budget, fixed before the first draw.

    `confidence` is the whole report's, for display: every bound in the report holds at it, all at once.
    """

    calls: int
    significance: float
    confidence: float
    seed: int
    budget: int = 0  # of the whole case, to say what would be enough
    # by finding: at which level a claim falls that other refuted claims left their shares to (step_down.py)
    levels: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def few(self) -> bool:
        """Whether the whole case has too few calls for more than one thing."""
        return 0 < self.budget < FEW

    def falls(self, finding: str, largest: float) -> bool:
        """Whether this wealth, by its logarithm, is enough at the level of a claim that others left their shares to."""
        return finding in self.levels and largest >= goal(self.levels[finding])


@dataclass(frozen=True)
class ClaimTest:
    """One claim, named by its finding, and the e-process against it; its significance was fixed before the first draw.

    `tried`: its wealth was enough, so it was tried once more on new samples; `refuted`: these confirmed it.
    """

    finding: str
    significance: float
    largest: float  # logarithm of the largest wealth at any look
    tried: bool
    refuted: bool

    @property
    def goal(self) -> float:
        """Logarithm of the wealth that refutes it by its own share."""
        return goal(self.significance)

    @property
    def p_value(self) -> float:
        """1 over the largest wealth, at any time; 1 where new samples did not confirm what it says."""
        return 1.0 if self.tried and not self.refuted else p_value(self.largest)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Findings of one check; `figures` and `details` go to the subject's part of the report.

    An accident (a process that died, a program that hung) makes it not `final`: a resumed run tries the check again.
    """

    findings: tuple[Finding, ...]
    calls: int = 0
    figures: UserFigures | None = None
    details: dict[str, Any] = field(default_factory=dict)
    final: bool = True
    tests: tuple[ClaimTest, ...] = ()  # of the claims that have one
    trusts_batches: bool = True  # of the check that comes first: whether the others may
    barred: str = ""  # of the same: why nothing else is tried
    traced: NDArray[np.float64] | None = None  # each user's loss by the draws of the mechanism
    drawn: int = 0  # outputs that were looked at
    seconds: float = 0.0  # that it took, in the process that ran it
    failed: Mapping[str, int] = field(default_factory=dict)  # how many of them were failures, by the finding's id
