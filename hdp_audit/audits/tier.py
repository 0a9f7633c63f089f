"""A demand tier: some of its users, moved together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from hdp_audit.audits import decide
from hdp_audit.audits.claim_test import claim_test
from hdp_audit.audits.exact import exact_loss
from hdp_audit.audits.forecast import DetectableLoss, Forecast
from hdp_audit.audits.game import opening_of
from hdp_audit.audits.power import detectable
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.share import ClaimTest, Outcome
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.model.neighbours import Users
from hdp_audit.model.promise import Promise
from hdp_audit.search.tiers import MOST_TELLING, Tier, tier_group
from hdp_audit.targets.subject import Subject


@dataclass(frozen=True, eq=False)
class TierCheck(PrivacyCheck):
    """One finding: pass, or which of its users lose more than they demand on average."""

    topic: ClassVar[str] = "tiers"
    told_as_found: ClassVar[bool] = True

    tier: Tier

    @property
    def name(self) -> str:
        """By number: demands may need many digits."""
        return f"privacy/tier/{self.tier.number}"

    def run(self, subject: Subject) -> Outcome:
        """A game on several base datasets, with one wealth."""
        finding, tests = self._found(subject)
        return Outcome((finding,), tests=tests)

    def _found(self, subject: Subject) -> tuple[Finding, tuple[ClaimTest, ...]]:
        claim, tier, share = self.claim, self.tier, self.share
        if not share.significance:  # the plan gives nothing to a tier whose demand so many calls could never refute
            return self._beyond(subject), ()
        members = tier_group(subject.epsilon, tier, share.seed)
        pairs = [subject.pair(base, members) for base in subject.bases(self.case.data)]
        (where,) = self.possible()
        trial = claim_test(subject, pairs, share, f"tier/{tier.number}", where)
        if trial.confirmation is None and self._too_large(subject.promise, members):
            return self._beyond(subject), (trial.test,)
        exact = exact_loss(subject, members)
        return decide.tier_finding(subject, claim, share.confidence, tier, trial, exact), (trial.test,)

    def _beyond(self, subject: Subject) -> Finding:
        """Of so few calls that more are the first thing to try, it is not the demand that could not be examined."""
        exact = exact_loss(subject, self.tier.users)
        found = decide.beyond_finding(subject, self.claim, self.tier, self.share, exact)
        return replace(found, examined=True) if self.share.few else found

    def _too_large(self, promise: Promise, members: Users) -> bool:
        """A demand so large that even `detect` times it could not be told from it in these calls."""
        demand = decide.average(promise.strengths[members])
        detected = detectable(promise.group(members[:1]).at(demand), self.share.calls, self.share.significance)
        told = promise.parameter
        return demand >= MOST_TELLING and told(detected) > self.claim.detect * told(demand)

    def forecast(self) -> Forecast:
        """Demands beyond any proof count as `beyond` says; the exact loss of reference mechanisms is proved."""
        demand, told = decide.average(self.case.promise.strengths[self.tier.users]), self.case.promise.parameter
        found = DetectableLoss(told(demand), int(self.tier.users.size), told(self._detectable()))
        beyond = demand >= MOST_TELLING or found.loss == float("inf")
        binding = self.claim.beyond == "inconclusive" and self.case.source != "reference"
        return Forecast(found.factor <= self.claim.detect or (beyond and not binding), found)

    def _detectable(self) -> float:
        """Of a user in the group that is moved; inf where nothing is tried."""
        promise, share = self.case.promise, self.share
        arms = len(self.case.domain.bases(1)) + (self.case.data is not None)
        judged = judged_calls(share.calls, arms)
        if judged < 1 or share.significance <= 0:
            return float("inf")
        members = tier_group(promise.strengths, self.tier, share.seed)
        return detectable(promise.group(members), judged, share.significance) / members.size

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """The tier is left open."""
        users, promise = self.tier.users, self.case.promise
        demand = promise.parameter(decide.average(promise.strengths[users]))
        more: dict[str, Any] = {"scope": "tier", "users": decide.first_users(users), "claimed": demand}
        return tuple(self._open(*what, why, **more) for what in self.possible())

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """Named by its demands."""
        yield "privacy", f"tier/{self.tier.name}"


def judged_calls(calls: int, arms: int) -> int:
    """The calls of a game that are bet on; the others open its arms."""
    return calls - arms * opening_of(calls, arms)
