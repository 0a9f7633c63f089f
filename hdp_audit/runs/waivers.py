"""Which waivers of a spec can name a finding, and which have expired, before anything is audited."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.config.problems import InvalidSpec
from hdp_audit.reporting.verdicts import ONLY_WHERE_WRONG
from hdp_audit.search.pairs import named_tiers
from hdp_audit.targets.failures import NAMES

if TYPE_CHECKING:
    from hdp_audit.case import Case
    from hdp_audit.model import PrivacyClaim
    from hdp_audit.runs.job import Job


BEHAVIOUR = tuple(f"behaviour/{what}" for what in ("independence", "drift", "forms", "state", "memoised", "inert"))


def tier_labels(case: Case) -> list[str]:
    """What stands behind privacy/tier/ in the ids of a case's findings; the only place here that knows it."""
    epsilon = case.demands.values
    return [tier.name for tier in named_tiers(epsilon)]


def possible_findings(case: Case) -> set[str]:
    """The ids of all findings that an audit of the case can make, but for those of single users."""
    found = {*BEHAVIOUR, "interrupted", *(f"behaviour/call/{name}" for name in NAMES.values())}
    if case.privacy is not None:
        found.update(ONLY_WHERE_WRONG)
        found.update(_of_pairs(case) if case.task == "custom" else _of_tiers(case, case.privacy))
    if case.accuracy is not None:
        found.add(f"accuracy/{case.accuracy.setting}/{case.accuracy.metric}")
    if case.optimality is not None:
        everybody = bool(np.isinf(case.demands.values).all())
        metrics = [""] if everybody else ["/pac", "/mse"]
        found.update(f"optimality/correlated{metric}" for metric in metrics)
    return {f"{case.name}/{what}" for what in found}


def can_name(case: Case, finding: str) -> bool:
    """Whether an audit of the case can make a finding with this id."""
    if finding in possible_findings(case) or finding.startswith((f"{case.name}/behaviour/died/", _broken(case))):
        return True
    number = finding.removeprefix(f"{case.name}/privacy/user/")
    if number == finding or not number.isdecimal() or case.privacy is None or case.task == "custom":
        return False
    demands = case.demands.values
    return str(int(number)) == number and int(number) < demands.size and bool(np.isfinite(demands[int(number)]))


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


def near(finding: str, known: Collection[str]) -> str:
    """The ids that are most like this one; else what ids look like."""
    found = difflib.get_close_matches(finding, known, n=3)
    if found:
        return f"did you mean {' or '.join(repr(name) for name in found)}?"
    return f"give an id as report.json has it, such as {min(known, key=_commonest)!r}"


def _guess(case: Case, finding: str) -> str:
    if finding.startswith(f"{case.name}/privacy/user/") and case.privacy is not None and case.task != "custom":
        return f"users are numbered from 0 to {len(case.demands) - 1}, and public ones (inf) are promised nothing"
    return near(finding, sorted(possible_findings(case)))


def _commonest(finding: str) -> tuple[bool, str]:
    return "/privacy/" not in finding, finding


def expired(job: Job, today: dt.date) -> Iterator[str]:
    """A sentence for each waiver whose date has passed."""
    for waiver in job.waivers:
        if not waiver.holds(today):
            yield f"the waiver of {waiver.finding} expired on {waiver.until}: a failure of it counts again"


def _of_pairs(case: Case) -> Iterator[str]:
    return (f"privacy/pair/{number}" for number in range(len(case.neighbours)))


def _of_tiers(case: Case, claim: PrivacyClaim) -> Iterator[str]:
    demands, labels = case.demands.values, tier_labels(case)
    yield from (f"privacy/tier/{label}" for label in labels)
    if np.isinf(demands).any():
        yield "privacy/public"
    if labels and claim.floating_point != "off":
        yield "float/bits"
    if claim.detect_single != "report" and (np.isfinite(demands) & (demands > 0)).any():
        yield "privacy/single"


def _broken(case: Case) -> str:
    """Checks that broke off, by whatever name they have."""
    return f"{case.name}/behaviour/audit/"
