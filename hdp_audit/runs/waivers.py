"""Which waivers of a spec can name a finding, and which have expired, before anything is audited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from hdp_audit.audits.plan import plan
from hdp_audit.audits.share import FEW
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.model.finding import Kind, id_of, label_of
from hdp_audit.runs.accidents import accidents
from hdp_audit.runs.finish import INTERRUPTED
from hdp_audit.runs.near import near

if TYPE_CHECKING:
    from hdp_audit.audits.case import Case
    from hdp_audit.audits.check import Check
    from hdp_audit.runs.job import Job

COMPARED = 1000  # users whose ids are compared with a misspelt one


def possible_findings(case: Case) -> dict[str, Kind]:
    """The ids of all findings that an audit of the case can make, but for those of single users, and their kinds."""
    possible = [what for check in _checks(case) for what in check.possible()]
    listed: dict[str, Kind] = {id_of(case.name, label_of(kind, what)): kind for kind, what in possible}
    return {**listed, id_of(case.name, INTERRUPTED): "behaviour"}


def can_name(case: Case, finding: str, names: Callable[[str], bool] | None = None) -> bool:
    """Whether an audit of the case can make a finding with this id, or one that a pattern names."""
    if names is not None:
        return any(map(names, chain(possible_findings(case), _of_users(case), _of_accidents(case))))
    return finding in possible_findings(case) or finding in _of_users(case) or finding in _of_accidents(case)


def _of_users(case: Case) -> Iterator[str]:
    """The ids of findings about single users: too many to be shown."""
    return (id_of(case.name, label_of(*what)) for check in _checks(case) for what in check.possible_alone())


def _of_accidents(case: Case) -> Iterator[str]:
    """The ids of findings about checks that came to no end."""
    return (id_of(case.name, label_of(*what)) for check in _checks(case) for what in accidents(check))


def _checks(case: Case) -> list[Check]:
    """What is planned does not depend on the budget, but for how much each may spend and for budgets of few calls."""
    return [check for budget in (FEW, FEW - 1) for check in plan([case], confidence=0.5, budget=budget, seed=1)]


def refuse_impossible(job: Job) -> None:
    """A waiver that names nothing which this spec can find is a mistake, and would be one when the run has ended."""
    if not job.waivers:
        return
    (case,) = job.cases
    lines = [*_of_several_kinds(job, possible_findings(case))]
    lines += [
        f"{job.environment['spec']}: [[waive]] finding = {waiver.finding!r} names nothing that an audit of this spec "
        f"can find; {_guess(case, waiver.finding)}"
        for waiver in job.waivers
        if not can_name(case, waiver.finding, waiver.names if waiver.is_pattern else None)
    ]
    if lines:
        raise InvalidSpec("\n".join(lines))


def _of_several_kinds(job: Job, possible: dict[str, Kind]) -> Iterator[str]:
    """A sentence for each pattern that would waive what nobody has seen, such as `release/*`."""
    for waiver in job.waivers:
        kinds = {kind for id_, kind in possible.items() if waiver.is_pattern and waiver.names(id_)}
        if len(kinds) > 1:
            yield (
                f"{job.environment['spec']}: [[waive]] finding = {waiver.finding!r} would waive findings of the kinds "
                f"{', '.join(sorted(kinds))}; name one kind in a pattern, such as */float/*"
            )


def _guess(case: Case, finding: str) -> str:
    users = list(islice(_of_users(case), COMPARED))
    guess = near(finding, possible_findings(case), users)
    numbers = f"users are numbered from 0 to {len(case.demands) - 1}; public ones are promised nothing"
    return f"{guess} ({numbers})" if users else guess


def expired(job: Job, today: dt.date) -> Iterator[str]:
    """A sentence for each waiver whose date has passed."""
    for waiver in job.waivers:
        if not waiver.holds(today):
            yield f"the waiver of {waiver.finding} expired on {waiver.until}: a failure of it counts again"
