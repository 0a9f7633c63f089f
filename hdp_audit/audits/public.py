"""Users to whom nothing was promised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hdp_audit.audits import decide
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.targets.subject import Subject


@dataclass(frozen=True, eq=False)
class PublicCheck(Check):
    """Where everybody is public there is nothing else to say of privacy."""

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/public"

    def run(self, subject: Subject) -> Outcome:
        """Calls nothing."""
        return Outcome(tuple(public_findings(subject)))

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One finding."""
        yield "privacy", "public"


def public_findings(subject: Subject) -> Iterator[Finding]:
    """Said, so that nobody misses it."""
    public = np.flatnonzero(np.isinf(subject.epsilon))
    if public.size:
        yield decide.public_finding(subject, public)
