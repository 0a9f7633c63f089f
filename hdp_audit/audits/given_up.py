"""What is said of the claims of a mechanism that was given up."""

from __future__ import annotations

from dataclasses import replace

from hdp_audit.audits.share import Outcome

GIVEN_UP = "the mechanism was given up before the end, so its other calls were not made; see the behaviour finding"


def given_up(outcome: Outcome) -> Outcome:
    """Errors of calls that were never made neither refute nor confirm."""
    found = (replace(finding, verdict="inconclusive", message=GIVEN_UP) for finding in outcome.findings)
    tests = (replace(test, tried=True, refuted=False) for test in outcome.tests)
    return replace(outcome, findings=tuple(found), tests=tuple(tests))
