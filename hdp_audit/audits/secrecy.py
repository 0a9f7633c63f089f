"""Whether an output tells what a user demands: the same data, one demand changed to another one that somebody has.

A demand is secret if (x, ε) and nothing at all are neighbours, so that a user who leaves takes their demand along. Then
a change from ε to ε′ is a removal and an addition, and costs what both promises allow together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hdp_audit.audits import decide
from hdp_audit.audits.claim_test import claim_test
from hdp_audit.audits.counterexamples import counterexample_of
from hdp_audit.audits.encoded import as_read
from hdp_audit.audits.forecast import DetectableLoss, Forecast
from hdp_audit.audits.power import detectable
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.tier import judged_calls
from hdp_audit.model.bound import Bound
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.model.promise import Promise
from hdp_audit.search.tiers import Tier
from hdp_audit.targets.subject import Subject

ALONE = "everybody demands the same, so no other demand could be tried: whether outputs tell demands was not tested"


@dataclass(frozen=True, eq=False)
class SecrecyCheck(PrivacyCheck):
    """One finding: what an output tells about the demand of a tier's first user."""

    topic: ClassVar[str] = "demands"
    told_as_found: ClassVar[bool] = True

    tier: Tier

    @property
    def name(self) -> str:
        """By number: demands may need many digits."""
        return f"privacy/demands/{self.tier.number}"

    def run(self, subject: Subject) -> Outcome:
        """A game on the same base datasets as a tier's."""
        user, other = self._users(subject.promise)
        if other is None:
            return Outcome(self.unanswered(ALONE))
        pairs = [changed(subject.promise, base, user, other) for base in subject.bases(self.case.data)]
        (where,) = self.possible()
        trial = claim_test(subject, pairs, self.share, self.name, where)
        told, limit = subject.promise.parameter, trial.game.pair.limit
        lower = trial.lower(self.share.confidence)
        shown = Bound.lower(told(lower.value), lower.method, self.share.confidence)
        words = f"demands of user {user}: {trial.game.pair.before}, or {trial.game.pair.after}"
        accusation = f"{words}; outputs tell at least {shown.value:.3g} where {limit.shown:.3g} may be told"
        found = told(trial.detectable)
        verdict, message = trial.decided(words, accusation, found, self.claim.detect * limit.shown)
        verdict, message, unread = as_read(subject, trial, words, verdict, message)
        finding = Finding.about(
            subject.name,
            *where,
            verdict,
            message,
            scope="pair",
            users=(user,),
            claimed=limit.shown,
            lower=shown,
            detectable=found,
            calls=trial.calls,
            counterexample=counterexample_of(subject, trial),
            facts=decide.facts_of(trial) | unread | {"about": "demands"},
        )
        return Outcome((finding,), tests=(trial.test,))

    def forecast(self) -> Forecast | None:
        """What its calls would detect."""
        promise, judged = self.case.promise, judged_calls(self.share.calls, len(self.case.bases()))
        user, other = self._users(promise)
        if other is None or judged < 1:
            return Forecast(False, sentence=ALONE if other is None else "too few calls to test demands")
        limit, told = promise.exchanged(user, other), promise.parameter
        loss = told(detectable(limit, judged, self.share.significance))
        found = DetectableLoss(limit.shown, 1, loss, f"a change of the demand of user {user}")
        return Forecast(found.factor <= self.claim.detect, found)

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """Left open."""
        user = int(self.tier.users[0])
        more: dict[str, Any] = {"scope": "pair", "users": (user,), "claimed": None}
        return tuple(self._open(*what, why, **more) for what in self.possible())

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """Named by its demands."""
        yield "privacy", f"demands/{self.tier.name}"

    def _users(self, promise: Promise) -> tuple[int, int | None]:
        """The first of the tier, and the one whose demand is farthest from theirs; None where all are equal."""
        user, strengths = int(self.tier.users[0]), promise.strengths
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.abs(np.log(strengths / strengths[user]))
        far = np.where(np.isfinite(strengths), np.nan_to_num(far, nan=0.0, posinf=1e300), -1.0)
        other = int(np.argmax(far))
        return user, other if strengths[other] != strengths[user] else None


def changed(promise: Promise, base: Base, user: int, other: int) -> NeighbourPair:
    """The base with the user at its second value, demanding what they do, and what the other one does."""
    data, places = base.data.copy(), np.arange(len(promise))
    data[user], places[user] = base.second, other
    demands = [promise.parameter(float(promise.strengths[who])) for who in (user, other)]
    before, after = (f"demanding {promise.symbol} = {demand:g}" for demand in demands)
    return NeighbourPair(
        base.name,
        np.array([user]),
        Dataset(data, promise),
        Dataset(data, promise.keeping(places)),
        promise.exchanged(user, other),
        before,
        after,
        private=base.private,
    )
