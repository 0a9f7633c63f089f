"""A pair of datasets that the user gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hdp_audit.audits import decide
from hdp_audit.audits.claim_test import claim_test
from hdp_audit.audits.forecast import DetectableLoss, Forecast
from hdp_audit.audits.game import Game
from hdp_audit.audits.power import detectable
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.tier import judged_calls
from hdp_audit.audits.trial import Trial
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.subject import Subject


@dataclass(frozen=True, eq=False)
class PairCheck(PrivacyCheck):
    """One finding: what the users in whom the two datasets differ may lose together."""

    topic: ClassVar[str] = "pairs"

    number: int

    @property
    def name(self) -> str:
        """By number, as the user gave them."""
        return f"privacy/pair/{self.number}"

    @property
    def pair(self) -> NeighbourPair:
        """Made anew wherever the check runs: a user's datasets need not travel."""
        return self.case.given[self.number]

    def run(self, subject: Subject) -> Outcome:
        """A game on this pair alone."""
        trial = self.tried(subject)
        return Outcome((self.found(subject, trial),), tests=(trial.test,))

    def tried(self, subject: Subject, judge: Callable[[], Game] | None = None) -> Trial:
        """The test of its claim; `judge` plays the first game in another way."""
        (where,) = self.possible()
        return claim_test(subject, [self.pair], self.share, f"pair/{self.number}", where, judge=judge)

    def found(self, subject: Subject, trial: Trial) -> Finding:
        """What that says."""
        return decide.pair_finding(subject, self.share.confidence, self.number, trial, self.claim.detect)

    def forecast(self) -> Forecast:
        """A pair was asked for by name, so it always counts."""
        told, judged = self.case.promise.parameter, judged_calls(self.share.calls, 1)
        loss = detectable(self.pair.limit, judged, self.share.significance) if judged > 0 else float("inf")
        found = DetectableLoss(told(self.pair.claimed), int(self.pair.users.size), told(loss), self.pair.base)
        return Forecast(found.factor <= self.claim.detect, found)

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """The pair is left open."""
        users = decide.first_users(self.pair.users)
        more: dict[str, Any] = {
            "scope": "pair",
            "users": users,
            "claimed": self.case.promise.parameter(self.pair.claimed),
        }
        return tuple(self._open(*what, f"{self.pair.base}: {why}", **more) for what in self.possible())

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """Named by its number."""
        yield "privacy", f"pair/{self.number}"
