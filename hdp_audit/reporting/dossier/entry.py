"""What a dossier is made of: reports with the bytes they were read from, and what all of them say together."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.reporting.decision.paragraph import GO, NO_DECISION, NO_GO, UNLESS, decided

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport


@dataclass(frozen=True)
class Entry:
    """A report, and the file under which it lies in the dossier."""

    report: AuditReport
    content: bytes
    file: str


def together(entries: Sequence[Entry]) -> float:
    """The confidence of everything in all reports together: by the union bound their error probabilities add up."""
    return max(1.0 - math.fsum(1.0 - entry.report.confidence for entry in entries), 0.0)


def word(entries: Sequence[Entry], today: dt.date | None = None) -> str:
    """The worst of all words: go only where every report says so."""
    words = [decided(entry.report, today) for entry in entries]
    order = (NO_GO, NO_DECISION, UNLESS)
    return next((bad for bad in order if bad in words), next((each for each in words if each != GO), GO))
