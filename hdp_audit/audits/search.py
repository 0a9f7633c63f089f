"""A search for who loses too much, and on which datasets: single users, values inside the domain, counts, the null.

Many pairs of datasets are tried in few calls, and the ones that promise most race for the rest. Its calls come on top
of the budget, so what a tier's pass is worth does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hdp_audit.audits import decide
from hdp_audit.audits.claim_test import claim_test
from hdp_audit.audits.exact import exact_loss
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.race import race
from hdp_audit.audits.share import Outcome
from hdp_audit.model.finding import Finding, Kind, id_of, label_of
from hdp_audit.search.exploring import Exploration, explore
from hdp_audit.targets.subject import Subject

WHERE: tuple[Kind, str] = ("privacy", "search")
NOTHING = "nothing: there are too few calls to try more than one pair of datasets, or nobody to whom less was promised"


@dataclass(frozen=True, eq=False)
class SearchCheck(PrivacyCheck):
    """One finding, where somebody is found; else what was tried is told."""

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/search"

    def run(self, subject: Subject) -> Outcome:
        """Explore, race, confirm."""
        finalists, explored = explore(subject, self.share.calls, self.share.seed, self.case.data)
        if not finalists:
            return Outcome((), details={"searched": NOTHING})
        told = {"searched": _told(explored)}
        own = replace(self.share, significance=self.share.significance / len(finalists))
        left = max(self.share.calls - explored.calls, 1)
        judge = partial(race, subject, finalists, left, own.significance, own.seed, "search")
        trial = claim_test(subject, [], own, "search", WHERE, judge=judge)
        if trial.confirmation is None:
            return Outcome((), details=told, tests=(trial.test,))
        exact = exact_loss(subject, trial.game.pair.users)
        finding = decide.search_finding(subject, self.share.confidence, trial, exact)
        return Outcome((finding,), details=told, tests=(trial.test,))

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """Of whoever was found."""
        if np.isfinite(self.case.promise.strengths).any():
            yield WHERE

    def left_open(self, finding: str, why: str) -> Finding | None:
        """Before somebody is found nothing is said."""
        what = label_of(*WHERE)
        if finding != id_of(self.case.name, what):
            return None
        more: dict[str, Any] = {"scope": "user"}
        return self._open(*WHERE, f"search: {why}", **more)


def _told(explored: Exploration) -> str:
    users = {tuple(each.proposal.users.tolist()) for each in explored.tried}
    alone = sum(len(each) == 1 for each in users)
    groups = len(users) - alone
    return (
        f"{len(explored.tried)} pairs of datasets in {explored.calls} calls, of {alone} single "
        f"{'user' if alone == 1 else 'users'} and {groups} {'group' if groups == 1 else 'groups'}"
    )
