"""What checks of privacy have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hdp_audit.audits.check import Check
from hdp_audit.model.claim import PrivacyClaim


@dataclass(frozen=True, eq=False)
class PrivacyCheck(Check):
    """A check of what users lose."""

    @property
    def claim(self) -> PrivacyClaim:
        """What is asked of it."""
        claim = self.case.privacy or PrivacyClaim()
        return replace(claim, beyond="inconclusive") if self.share.few else claim  # more calls might have refuted it
