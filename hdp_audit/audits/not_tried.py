"""What was asked for, and cannot be tried in few calls: left open, so that it does not read as passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.share import FEW, Outcome
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.search.tiers import named_tiers
from hdp_audit.targets.subject import Subject

WHY = f"not tried, as it takes at least {FEW} calls; increase the budget, or do not ask for it"


@dataclass(frozen=True, eq=False)
class NotTried(PrivacyCheck):
    """Single users and secret demands, where they were asked for."""

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/not-tried"

    def run(self, _subject: Subject) -> Outcome:
        """Calls nothing."""
        return Outcome(self.unanswered(WHY))

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """All of them."""
        return tuple(self._open(*what, why) for what in self.possible())

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """Under the names that they have with more calls."""
        if self.claim.detect_single != "report":
            yield "privacy", "single"
        if self.claim.demands == "secret":
            yield from (("privacy", f"demands/{tier.name}") for tier in named_tiers(self.case.promise))
