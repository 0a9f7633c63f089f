"""hdp-audit check: can the spec be read, does the mechanism answer, and what would its budget detect?"""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hdp_audit.cli.exits import INCONCLUSIVE, NOT_DONE, PASSED, REFUTED

if TYPE_CHECKING:
    from hdp_audit.audits.case import Case
    from hdp_audit.audits.check import Check
    from hdp_audit.audits.forecast import DetectableLoss, Forecast
    from hdp_audit.runs.job import Job
    from hdp_audit.runs.trial import Remark

FEW = 8
CLOSING = {
    PASSED: "ready: the spec can be audited, and its budget is enough for what it asks",
    REFUTED: "not ready: these few calls alone refute a promise",
    NOT_DONE: "not ready: the mechanism cannot be audited",
    INCONCLUSIVE: "not ready: a run would be inconclusive; increase the budget, or ask for less",
}


@click.command(short_help="Try a spec: does it work? what would its budget detect?")
@click.argument("spec", type=click.Path(path_type=Path))
def check(spec: Path) -> None:
    """Validate SPEC, call its mechanism a few times, and say what the budget can detect.

    Exit code 1: the calls alone refute a promise; 2: the spec or the mechanism cannot be used; 3: the budget
    lacks the power that the claims ask for.
    """
    from hdp_audit.reporting.numbers import printable
    from hdp_audit.runs.identify import identified
    from hdp_audit.runs.job import job_of
    from hdp_audit.runs.waivers import refuse_impossible

    job = identified(job_of(spec))
    case = job.cases[0]
    click.echo(printable(f"{spec}: {job.titles[case.name]}, {case.task.name}, {_users(len(case.demands))}"))
    refuse_impossible(job)
    code = _try_out(job)
    click.echo(f"{CLOSING[code]} (exit code {code})")
    sys.exit(code)


def _try_out(job: Job) -> int:
    """Say everything that a user should know before a run; the exit code."""
    from hdp_audit.reporting.numbers import printable
    from hdp_audit.runs.waivers import expired
    from hdp_audit.targets.executors import executor

    case = job.cases[0]
    for note in (*job.notes, *expired(job, dt.date.today())):
        click.echo(printable(f"note: {note}"))
    with executor("local", 1, _died, apart=job.apart) as each:
        found: list[Remark] = next(iter(each(_remarks, [case])))
    for remark in found:
        click.echo(printable(f"{remark.level}: {remark.message}"))
    if any(remark.level == "error" for remark in found):
        return NOT_DONE
    if case.promises_nothing:
        click.echo("error: every user demands inf, so nothing was promised and nothing can be audited; give a demand")
        return NOT_DONE
    if not found:
        click.echo("the mechanism answers, repeats itself for a seed, and carries no state from call to call")
    budget = _budget(job)
    lacking = [case.privacy is not None and _tell_power(job, budget), _tell_others(job, budget)]
    if any(remark.level == "refuted" for remark in found):
        return REFUTED
    return INCONCLUSIVE if any(lacking) else PASSED


def _remarks(case: Case) -> list[Remark]:
    """What a few calls show; whatever breaks on the way is an error that says no more than it may."""
    from hdp_audit.errors import HdpAuditError
    from hdp_audit.runs.trial import Remark, remarks
    from hdp_audit.targets.failures import KEPT_BACK, text_of

    try:
        return remarks(case)
    except (HdpAuditError, KeyboardInterrupt):
        raise
    except BaseException as why:
        said = KEPT_BACK if case.private else f"{type(why).__name__}: {text_of(why)}"
        return [Remark("error", f"the first calls broke off: {said}")]


def _budget(job: Job) -> int:
    """The calls of the spec, or of its time."""
    from hdp_audit.runs.accidents import lost
    from hdp_audit.runs.budget import fixed_budget
    from hdp_audit.runs.watched import Watched
    from hdp_audit.targets.executors import cores, executor

    if job.run.budget is not None:
        return job.run.budget
    with executor("local", cores(), lost, apart=job.apart) as each:
        return fixed_budget(job.cases, job.run.confidence, job.run.duration or 0.0, Watched(each))


def _tell_power(job: Job, budget: int) -> bool:
    """What the budget detects; True where a run of it would be inconclusive."""
    from hdp_audit.audits.enough import forecasts

    case, run = job.cases[0], job.run
    each = case.task.unit
    click.echo(
        f"smallest violation detected with 80% power, in times the promise, per {each} "
        f"({budget:,} calls, confidence {run.confidence:g}):"
    )
    found = [forecast for _, forecast in forecasts(case, run.confidence, budget)]
    _tell_losses([forecast.detectable for forecast in found if forecast.detectable is not None])
    _tell_cost(case, run.confidence, budget)
    for forecast in found:
        if forecast.sentence:
            click.echo(forecast.sentence)
    return not all(forecast.enough for forecast in found)


def _tell_losses(seen: list[DetectableLoss]) -> None:
    from hdp_audit.reporting.numbers import short

    shown = seen if len(seen) <= 2 * FEW else [*seen[:FEW], *seen[-FEW:]]
    for one in shown:
        seen_as = short(one.factor) if one.demand > 0 else f"any loss of {short(one.loss)} or more"
        seen_as = seen_as if one.loss < float("inf") else "none"
        promised = f"{one.name} may lose {short(one.demand)}" if one.name else f"ε = {short(one.demand)}"
        click.echo(f"  {promised} ({_users(one.users)}): {seen_as}")
    if len(shown) < len(seen):
        click.echo(f"  ... and {len(seen) - len(shown)} between")


def _tell_cost(case: Case, confidence: float, budget: int) -> None:
    from hdp_audit.audits.enough import cost
    from hdp_audit.model import PrivacyClaim

    claim, each = case.privacy or PrivacyClaim(), case.task.unit
    binding = case.pairs is not None or (claim.beyond == "inconclusive" and case.source != "reference")
    detect, needed = claim.detect, cost(case, confidence, claim.detect)
    if needed is None:
        otherwise = "inconclusive" if binding else "reported, and does not decide"
        click.echo(
            f"detect = {detect:g} in every {each} takes more calls than any budget; what cannot be certified is "
            f"{otherwise}"
        )
    else:
        enough = "which this budget has" if needed <= budget else "which this budget lacks"
        click.echo(f"detect = {detect:g} in every {each} costs about {needed:,} calls, {enough}")


def _tell_others(job: Job, budget: int) -> bool:
    """Whether what takes calls to foresee is within this budget; True where a claim would be inconclusive."""
    from hdp_audit.engine import plan
    from hdp_audit.targets.executors import executor

    planned = plan(job.cases, confidence=job.run.confidence, budget=budget, seed=job.run.seed)
    checks = [check for check in planned if check.forecast_calls]
    with executor("local", 1, _nothing, apart=job.apart) as each:
        found = list(each(_foreseen, checks)) if checks else []
    for check, foreseen in zip(checks, found, strict=True):
        broken = f"{check.name}: nothing can be foreseen, as the calls broke off; the run will say why"
        click.echo(broken if foreseen is None else foreseen.sentence)
    return any(foreseen is None or not foreseen.enough for foreseen in found)


def _foreseen(check: Check) -> Forecast | None:
    """With the user's own data in play what breaks here must not speak; the run will say that it broke."""
    from hdp_audit.errors import HdpAuditError

    try:
        return check.forecast()
    except Exception as why:
        if isinstance(why, HdpAuditError) or not check.case.private:
            raise
        return None


def _nothing(_check: object) -> None:
    """Of a mechanism that ends its process now nothing can be foreseen; the run will say so."""


def _users(count: int) -> str:
    return "1 user" if count == 1 else f"{count:,} users"


def _died(_case: object) -> list[Remark]:
    from hdp_audit.runs.trial import Remark

    return [Remark("error", "the mechanism ended its process; a mechanism must not exit")]
