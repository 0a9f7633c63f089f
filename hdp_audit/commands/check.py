"""hdp-audit check: is the spec sound, does the mechanism answer, and what would its budget see?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hdp_audit.commands.exits import INCONCLUSIVE, NOT_DONE, REFUTED

if TYPE_CHECKING:
    from hdp_audit.case import Case
    from hdp_audit.commands.job import Job
    from hdp_audit.commands.power import Sight
    from hdp_audit.commands.trial import Remark

FEW = 8


@click.command(short_help="Try a spec: sound? what would its budget see?")
@click.argument("spec", type=click.Path(path_type=Path))
def check(spec: Path) -> None:
    """Validate SPEC, call its mechanism a few times, and say what the budget can see.

    Exit code 1: the calls alone refute a promise; 2: the spec or the mechanism cannot be used; 3: the budget
    lacks the power that the claims ask for.
    """
    from hdp_audit.commands.identify import identified
    from hdp_audit.commands.job import job_of
    from hdp_audit.commands.trial import remarks
    from hdp_audit.render.numbers import printable
    from hdp_audit.sampling.executors import executor

    job = identified(job_of(spec))
    case = job.cases[0]
    title = printable(f"{spec}: {job.titles[case.name]}")
    click.echo(f"{title}, {case.task}, {_users(len(case.demands))}; the spec is sound")
    with executor("local", 1, _died, apart=job.apart) as each:
        found: list[Remark] = next(iter(each(remarks, [case])))
    for remark in found:
        click.echo(printable(f"{remark.level}: {remark.message}"))
    if any(remark.level == "error" for remark in found):
        sys.exit(NOT_DONE)
    if not found:
        click.echo("the mechanism answers, repeats itself for a seed, and carries no state from call to call")
    budget = _budget(job)
    lacking = [case.privacy is not None and _tell_power(job, budget), _tell_others(job, budget)]
    if any(remark.level == "refuted" for remark in found):
        sys.exit(REFUTED)
    if any(lacking):
        sys.exit(INCONCLUSIVE)


def _budget(job: Job) -> int:
    """The calls of the spec, or of its time."""
    from hdp_audit.commands.accidents import lost
    from hdp_audit.commands.budget import fixed_budget
    from hdp_audit.sampling.executors import cores, executor

    if job.run.budget is not None:
        return job.run.budget
    with executor("local", cores(), lost, apart=job.apart) as each:
        return fixed_budget(job.cases, job.run.confidence, job.run.duration or 0.0, each)


def _tell_power(job: Job, budget: int) -> bool:
    """What the budget sees; True where a run of it would be inconclusive."""
    from hdp_audit.commands.power import lacks, sights

    case, run = job.cases[0], job.run
    what = "a pair" if case.task == "custom" else "a whole tier"
    click.echo(f"with {budget:,} calls at confidence {run.confidence:g}, {what} off by this factor is seen:")
    _tell_sights(sights(case, run.confidence, budget))
    _tell_cost(case, run.confidence, budget)
    _tell_single(case, run.confidence, budget)
    return lacks(case, run.confidence, budget)


def _tell_sights(seen: list[Sight]) -> None:
    from hdp_audit.render.numbers import short

    shown = seen if len(seen) <= 2 * FEW else [*seen[:FEW], *seen[-FEW:]]
    for sight in shown:
        seen_as = short(sight.factor) if sight.demand > 0 else f"any loss from {short(sight.loss)} on"
        seen_as = seen_as if sight.loss < float("inf") else "none"
        promised = f"{sight.name} may lose {short(sight.demand)}" if sight.name else f"ε = {short(sight.demand)}"
        click.echo(f"  {promised} ({_users(sight.users)}): {seen_as}")
    if len(shown) < len(seen):
        click.echo(f"  ... and {len(seen) - len(shown)} between")


def _tell_cost(case: Case, confidence: float, budget: int) -> None:
    from hdp_audit.commands.power import cost

    each, otherwise = ("pair", "inconclusive") if case.task == "custom" else ("tier", "reported")
    detect = case.privacy.detect if case.privacy is not None else 2.0
    needed = cost(case, confidence, detect)
    if needed is None:
        click.echo(f"detect = {detect:g} in every {each} is beyond any budget; what cannot be certified is {otherwise}")
    else:
        enough = "which this budget has" if needed <= budget else "which this budget lacks"
        click.echo(f"detect = {detect:g} in every {each} costs about {needed:,} calls, {enough}")


def _tell_single(case: Case, confidence: float, budget: int) -> None:
    from hdp_audit.commands.power import lacks_single, single
    from hdp_audit.render.numbers import short

    found = single(case, confidence, budget)
    if found is None or case.privacy is None:
        return
    enough = "lacks" if lacks_single(case, confidence, budget) else "has"
    seen = f"from {short(found)} times their demand on" if found < float("inf") else "never"
    click.echo(
        f"one user alone is named {seen}; detect_single = {case.privacy.detect_single:g}, which this budget {enough}"
    )


def _tell_others(job: Job, budget: int) -> bool:
    """Whether accuracy and optimality are within this budget; True where one of them would be inconclusive."""
    from hdp_audit.commands.foresee import foresee, sentence
    from hdp_audit.engine import plan
    from hdp_audit.sampling.executors import executor

    planned = plan(job.cases, confidence=job.run.confidence, budget=budget, seed=job.run.seed)
    checks = [check for check in planned if check.name in ("accuracy", "optimality")]
    with executor("local", 1, _nothing, apart=job.apart) as each:
        found = list(each(foresee, checks)) if checks else []
    for check, foreseen in zip(checks, found, strict=True):
        if foreseen is not None:
            click.echo(sentence(check, foreseen, budget))
    return any(foreseen is not None and not foreseen.enough for foreseen in found)


def _nothing(_check: object) -> None:
    """Of a mechanism that ends its process now nothing can be foreseen; the run will say so."""


def _users(count: int) -> str:
    return "1 user" if count == 1 else f"{count:,} users"


def _died(_case: object) -> list[Remark]:
    from hdp_audit.commands.trial import Remark

    return [Remark("error", "the mechanism ended its process; a mechanism must not exit")]
