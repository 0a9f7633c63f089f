"""A single user's claim that falls and is not repeated, or not confirmed, does not vanish: it is inconclusive."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hdp_audit import engine
from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import ClaimTest, Outcome
from hdp_audit.audits.tier import TierCheck
from hdp_audit.audits.users import UsersCheck
from hdp_audit.cli.exits import exit_code
from hdp_audit.model import AuditReport, Finding, PrivacyClaim, PrivacyDemands
from hdp_audit.model.finding import accusing
from hdp_audit.model.task import Mean
from hdp_audit.regressions import compare
from hdp_audit.reporting.report_json import report_json
from tests.trust.formats import FORMATS

USER = 3


def never_called() -> None:
    raise AssertionError("no call is needed")


CASE = Case.of(
    "kept", never_called, PrivacyDemands.from_values([0.2, 0.2, 0.2, 1.0, np.inf]), Mean(), privacy=PrivacyClaim()
)
NAME = f"kept/privacy/user/{USER}"


def stepped(again: Outcome) -> AuditReport:
    """A refuted tier leaves its share to a user who is close to their own; then the check of users finds `again`."""
    checks = engine.plan([CASE], confidence=0.999, budget=10_000, seed=1)
    tier = next(check for check in checks if isinstance(check, TierCheck))
    users = next(check for check in checks if isinstance(check, UsersCheck))
    refuted = ClaimTest(f"kept/privacy/tier/{tier.tier.name}", tier.share.significance, 700.0, True, True)
    own = users.share.significance / 8
    outcomes = {
        tier.id: Outcome((Finding.about("kept", "privacy", f"tier/{tier.tier.name}", "fail", ""),), tests=(refuted,)),
        users.id: Outcome((), calls=100, tests=(close(own),)),
    }
    asked: list[Check] = []

    def each(_function: Callable[[Check], Outcome], due: list[Check]) -> list[Outcome]:
        asked.extend(due)
        return [again] * len(due)

    after = engine.step_down(checks, outcomes, each=each)
    assert [check.id for check in asked] == [users.id]
    return engine.assemble([tier, users], after, 0.0)


def close(significance: float, over: float = 1.02, *, tried: bool = False) -> ClaimTest:
    """Its p-value is 1.02 times its share: not enough by itself, and by what the tier leaves it."""
    return ClaimTest(NAME, significance, float(-np.log(over * significance)), tried, False)


@pytest.mark.parametrize("again", [Outcome(()), Outcome((), tests=(close(1e-5, 1e4),))], ids=["no test", "other draws"])
def test_a_users_claim_that_falls_and_is_not_repeated_is_inconclusive(again: Outcome) -> None:
    report = stepped(again)
    found = {finding.id: finding for finding in report.findings}
    assert found[NAME].verdict == "inconclusive"
    assert (found[NAME].scope, found[NAME].users, found[NAME].claimed) == ("user", (USER,), 1.0)
    assert found[NAME].message.startswith(f"user {USER}: not refuted, but its evidence is past the share")
    assert "did not give the same outputs" in found[NAME].message
    assert [finding.id for finding in report.findings].count(NAME) == 1


def test_without_another_refuted_claim_it_would_decide_the_exit_code() -> None:
    report = stepped(Outcome(()))
    alone = replace(report, findings=tuple(finding for finding in report.findings if finding.id == NAME))
    assert exit_code(alone) == 3


def test_every_format_tells_it() -> None:
    report = stepped(Outcome(()))
    assert [render.__name__ for render in FORMATS if "did not give the same outputs" not in render(report)] == []


def test_a_finding_of_a_user_that_is_gone_is_good_news_whatever_it_was() -> None:
    assert accusing("privacy", "user", "inconclusive")
    old = json.loads(report_json(stepped(Outcome(()))))
    new = {**old, "findings": [finding for finding in old["findings"] if finding["id"] != NAME]}
    compared = compare(old, new)
    assert compared.regressions == ()
    assert compared.improvements == (f"{NAME}: inconclusive before, no longer found",)
