"""A dated waiver: what it names stays a failure, is shown with its reason, and counts again after the date."""

from __future__ import annotations

import datetime as dt
import fnmatch
from dataclasses import dataclass

from hdp_audit.errors import InvalidInput

WILD = "*?"  # signs of a pattern


@dataclass(frozen=True)
class Waiver:
    """`finding` is the id of what is waived, or a pattern of ids (`*`, `?`); `until` the last day on which it holds."""

    finding: str
    reason: str
    until: dt.date

    def __post_init__(self) -> None:
        if not self.finding or not self.reason.strip():
            raise InvalidInput(f"waiver of {self.finding!r}: give the id of a finding and a reason")

    @property
    def is_pattern(self) -> bool:
        """Whether it may name several findings."""
        return any(sign in self.finding for sign in WILD)

    def names(self, finding: str) -> bool:
        """Whether it is about the finding of this id: an id that is written out is itself, whatever signs it has."""
        return finding == self.finding or (self.is_pattern and fnmatch.fnmatchcase(finding, self.finding))

    def holds(self, today: dt.date) -> bool:
        """True up to and including `until`."""
        return today <= self.until
