"""A dated waiver: the finding stays a failure, is shown with its reason, and counts again when the date has passed."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from hdp_audit.errors import InvalidInput


@dataclass(frozen=True)
class Waiver:
    """`finding` is the id of what is waived, `until` the last day on which it holds."""

    finding: str
    reason: str
    until: dt.date

    def __post_init__(self) -> None:
        if not self.finding or not self.reason.strip():
            raise InvalidInput(f"waiver of {self.finding!r}: give the id of a finding and a reason")

    def holds(self, today: dt.date) -> bool:
        """True up to and including `until`."""
        return today <= self.until
