"""Run a job: plan, journal, executor, progress, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hdp_audit import engine
from hdp_audit.auditors.share import Outcome
from hdp_audit.case import Case
from hdp_audit.commands.budget import fixed_budget
from hdp_audit.commands.fatal import fatal_input
from hdp_audit.commands.finish import finished
from hdp_audit.commands.job import Job
from hdp_audit.commands.progress import progress
from hdp_audit.errors import HdpAuditError
from hdp_audit.journal import NAME, Journal, read
from hdp_audit.model import AuditReport, Finding
from hdp_audit.sampling.executors import Each, executor
from hdp_audit.sampling.failures import KEPT_BACK, text_of
from hdp_audit.sampling.subject import takes_rng

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console


@dataclass(frozen=True)
class How:
    """Who computes, where the journal goes, and what is shown."""

    console: Console
    out: Path
    jobs: int = 1
    executor: str = "local"
    quiet: bool = False
    resume: bool = False


@dataclass(frozen=True)
class Performed:
    """The report, and whether somebody stopped it before its end."""

    report: AuditReport
    interrupted: bool


def _perform(job: Job, how: How) -> AuditReport:
    """Everything from the plan to the report."""
    started = time.monotonic()
    with executor(how.executor, how.jobs, lost, apart=job.apart) as each:
        if job.apart:
            job.environment["replayable"] = next(iter(each(replayable, list(job.cases)))) is True  # no death
        budget = _budget(job, how, each)
        run = job.run
        checks = engine.plan(job.cases, confidence=run.confidence, budget=budget, seed=run.seed)
        journal = Journal(how.out / NAME, job.header(budget))
        outcomes = journal.resume() if how.resume else {}
        if not how.resume:
            journal.start()
        stopped = _run(job, how, checks, outcomes, journal, each)
        report = engine.assemble(checks, outcomes, time.monotonic() - started)
        job.environment["budget"] = budget
        done = finished(report, job, checks, outcomes)
        if stopped:
            raise _Stopped(done)
        return done


class _Stopped(BaseException):
    """Carries the partial report past the executor, which ends its workers."""

    def __init__(self, report: AuditReport) -> None:
        super().__init__()
        self.report = report


def perform(job: Job, how: How) -> Performed:
    """The report of a job; Ctrl-C ends it early with what there is."""
    try:
        return Performed(_perform(job, how), False)
    except _Stopped as stopped:
        return Performed(stopped.report, True)


def _run(
    job: Job, how: How, checks: list[engine.Check], outcomes: dict[str, Outcome], journal: Journal, each: Each
) -> bool:
    """Fills `outcomes`; True where it was interrupted."""
    ids = [check.id for check in checks] + [proof.id for proof in job.proofs]
    with progress([name for name in ids if name not in outcomes], how.console, how.quiet) as told:

        def done(work: Any, outcome: Outcome) -> None:
            outcomes[work.id] = outcome
            journal.add(work.id, outcome)
            told.done(work.id, outcome)

        try:
            engine.run_checks(checks, done=outcomes, told=done, each=partial(guarded_each, each))
            rest = [proof for proof in job.proofs if proof.id not in outcomes]
            for proof, outcome in zip(rest, each(_run_proof, rest), strict=True):
                done(proof, outcome)
        except KeyboardInterrupt:
            return True
    return False


def guarded_each(
    each: Each, function: Callable[[engine.Check], Outcome], checks: list[engine.Check]
) -> Iterable[Outcome]:
    """`each` over checks that may break."""
    return each(partial(_guarded, function), checks)


def _guarded(function: Callable[[engine.Check], Outcome], check: engine.Check) -> Outcome:
    """A check that breaks does not take the others with it."""
    try:
        return function(check)
    except (HdpAuditError, KeyboardInterrupt):
        raise
    except BaseException as why:
        said = KEPT_BACK if check.case.private else f"{type(why).__name__}: {text_of(why)}"
        return _error(check, "audit", f"the check {check.name} broke off: {said}")


def lost(work: Any) -> Outcome:
    """The outcome of work whose process died."""
    where = f" in the check {work.name}" if isinstance(work, engine.Check) else ""
    first = isinstance(work, engine.Check) and work.name == engine.BEHAVIOUR
    witness = fatal_input(work.case) if first else {}
    return _error(work, "died", f"the process died{where}: the mechanism ended it, or memory ran out", witness)


def _error(work: Any, what: str, message: str, witness: dict[str, object] | None = None) -> Outcome:
    name = work.case.name if isinstance(work, engine.Check) else str(getattr(work, "name", "mechanism"))
    where = f"/{work.name}" if isinstance(work, engine.Check) else ""
    found = f"{name}/behaviour/{what}{where}"
    return Outcome((Finding(found, name, "behaviour", "error", "tested", message, facts=witness or {}),))


def replayable(case: Case) -> bool:
    """A mechanism that draws from elsewhere gives other numbers each time; the report says so."""
    return takes_rng(case.opened())


def _run_proof(proof: Any) -> Outcome:
    outcome: Outcome = proof.run()
    return outcome


def _budget(job: Job, how: How, each: Each) -> int:
    """The calls of the spec; of the journal, where a duration was asked for and the run goes on; or of a stopwatch."""
    if job.run.budget is not None:
        return job.run.budget
    job.environment["budget_asked"] = f"{job.run.duration:g}s"
    if how.resume:
        header, _ = read(how.out / NAME)
        known = header.get("budget")
        if isinstance(known, int):
            return known
    return fixed_budget(job.cases, job.run.confidence, job.run.duration or 0.0, partial(guarded_each, each))


def with_numbers(job: Job, seed: int | None, confidence: float | None, budget: tuple[int | None, float | None]) -> Job:
    """The job with what the command line says instead of the spec."""
    run = job.run
    run = run if seed is None else replace(run, seed=seed)
    run = run if confidence is None else replace(run, confidence=confidence)
    run = run if budget == (None, None) else replace(run, budget=budget[0], duration=budget[1])
    return replace(job, run=run)
