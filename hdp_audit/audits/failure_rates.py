"""How often calls fail: a count over all checks of a case, and an interval for the rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hdp_audit.audits.share import Outcome
from hdp_audit.evidence.proportion import rate_lower, rate_upper
from hdp_audit.model.finding import Finding, id_of, label_of
from hdp_audit.targets.failures import NAMES
from hdp_audit.targets.subject import Subject

SIGNIFICANCE = 0.001  # of an interval, half of it at either end; it decides nothing, so it is no part of the family's


def counts(subject: Subject, *, private: bool) -> dict[str, Any]:
    """What a check counted; nothing where failures may tell the user's own data."""
    if private:
        return {}
    failed = {
        id_of(subject.name, label_of("behaviour", f"call/{name}")): subject.outcomes[kind]
        for kind, name in NAMES.items()
        if subject.outcomes[kind]
    }
    return {"drawn": subject.outcomes.total(), "failed": failed}


def with_rates(findings: list[Finding], outcomes: Iterable[Outcome]) -> list[Finding]:
    """The findings; of calls that failed it is said how many did, and what rates these counts leave possible.

    The interval holds at any time, for the average rate of the calls that were made, whatever the data of each.
    """
    listed = list(outcomes)
    drawn, failed = sum(outcome.drawn for outcome in listed), Counter[str]()
    for outcome in listed:
        failed.update(outcome.failed)
    return [
        replace(finding, message=f"{finding.message}; {rate_words(failed[finding.id], drawn)}")
        if finding.id in failed
        else finding
        for finding in findings
    ]


def rate_words(failed: int, drawn: int) -> str:
    """`212 of 103,000 calls, so 0.17% to 0.25% of such calls (confidence 0.999)`."""
    low, high = rate_lower(failed, drawn, SIGNIFICANCE / 2), rate_upper(failed, drawn, SIGNIFICANCE / 2)
    between = f"{_percent(low)} to {_percent(high)}"
    return f"this happened in {failed:,} of {drawn:,} calls, so in {between} of such calls (confidence 0.999)"


def _percent(rate: float) -> str:
    return f"{100 * rate:.0f}%" if rate >= 0.095 else f"{100 * rate:.2g}%"
