"""Which waivers of a spec can name a finding, and which have expired, before anything is audited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hdp_audit.audits.enough import LEAST_CALLS
from hdp_audit.audits.plan import plan
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.model.finding import id_of, label_of
from hdp_audit.runs.accidents import accidents
from hdp_audit.runs.finish import INTERRUPTED
from hdp_audit.runs.near import near

if TYPE_CHECKING:
    from hdp_audit.audits.case import Case
    from hdp_audit.audits.check import Check
    from hdp_audit.runs.job import Job


def possible_findings(case: Case) -> set[str]:
    """The ids of all findings that an audit of the case can make, but for those of single users."""
    labels = [label_of(*what) for check in _checks(case) for what in check.possible()]
    return {id_of(case.name, label) for label in (*labels, INTERRUPTED)}


def can_name(case: Case, finding: str) -> bool:
    """Whether an audit of the case can make a finding with this id."""
    return finding in possible_findings(case) or finding in _unlisted(case)


def _unlisted(case: Case) -> Iterator[str]:
    """The ids of findings that are too many to be shown: of single users, and of checks that came to no end."""
    for check in _checks(case):
        labels = (label_of(*what) for what in (*accidents(check), *check.possible_alone()))
        yield from (id_of(case.name, label) for label in labels)


def _checks(case: Case) -> list[Check]:
    """What is planned does not depend on the budget, but for how much each may spend."""
    return plan([case], confidence=0.5, budget=LEAST_CALLS, seed=1)


def refuse_impossible(job: Job) -> None:
    """A waiver that names nothing which this spec can find is a mistake, and would be one when the run has ended."""
    if not job.waivers:
        return
    (case,) = job.cases
    lines = [
        f"{job.environment['spec']}: [[waive]] finding = {waiver.finding!r} names nothing that an audit of this spec "
        f"can find; {_guess(case, waiver.finding)}"
        for waiver in job.waivers
        if not can_name(case, waiver.finding)
    ]
    if lines:
        raise InvalidSpec("\n".join(lines))


def _guess(case: Case, finding: str) -> str:
    of_users = any(next(check.possible_alone(), None) is not None for check in _checks(case))
    if of_users and finding.startswith(id_of(case.name, label_of("privacy", "user/"))):  # a hint, no more
        return f"users are numbered from 0 to {len(case.demands) - 1}, and public ones (inf) are promised nothing"
    return near(finding, sorted(possible_findings(case)))


def expired(job: Job, today: dt.date) -> Iterator[str]:
    """A sentence for each waiver whose date has passed."""
    for waiver in job.waivers:
        if not waiver.holds(today):
            yield f"the waiver of {waiver.finding} expired on {waiver.until}: a failure of it counts again"
