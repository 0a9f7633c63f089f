"""What a check may spend, and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hdp_audit.model.finding import Finding
from hdp_audit.model.subject import UserFigures


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
    trusts_batches: bool = True  # of the check that comes first: whether the others may
    barred: str = ""  # of the same: why nothing else is tried
