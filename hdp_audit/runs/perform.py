"""Run a job: plan, journal, executor, progress, report."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hdp_audit import engine
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.events import Event, Finished, Retried, announced, telling
from hdp_audit.model import AuditReport
from hdp_audit.runs.accidents import lost
from hdp_audit.runs.budget import fixed_budget
from hdp_audit.runs.finish import finished
from hdp_audit.runs.identify import identified, refuse_changes
from hdp_audit.runs.job import Job
from hdp_audit.runs.journal import NAME, Journal, Restored, is_blank, read
from hdp_audit.runs.saving import Saving
from hdp_audit.runs.waivers import refuse_impossible
from hdp_audit.runs.watched import Watched
from hdp_audit.targets.called import now
from hdp_audit.targets.executors import Each, executor
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.watching.progress import progress
from hdp_audit.watching.time_left import stages

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console


@dataclass(frozen=True)
class RunOptions:
    """Who computes, where the journal goes, what is shown, and how a person is warned at once."""

    console: Console
    out: Path
    warn: Callable[[str], None]
    jobs: int = 1
    executor: str = "local"
    quiet: bool = False
    resume: bool = False
    journal: str = NAME


@dataclass(frozen=True)
class Performed:
    """The report, and whether somebody stopped it before its end."""

    report: AuditReport
    interrupted: bool


class _Stopped(BaseException):
    """Carries the partial report past the executor, which ends its workers."""

    def __init__(self, report: AuditReport) -> None:
        super().__init__()
        self.report = report


def perform(job: Job, how: RunOptions) -> Performed:
    """The report of a job; Ctrl-C ends it early with what there is."""
    try:
        return Performed(_perform(job, how), False)
    except _Stopped as stopped:
        return Performed(stopped.report, True)


def _perform(job: Job, how: RunOptions) -> AuditReport:
    """Everything from the plan to the report."""
    started = time.monotonic()
    restored = _restored(how)
    job = identified(job, restored.files if restored else ())
    refuse_impossible(job)
    same = Fingerprint(sources=job.sources, files=job.hashes)
    with executor(how.executor, how.jobs, lost, apart=job.apart, same=same, tell=how.warn) as each:
        budget = _budget(job, restored, each, how.jobs, time.monotonic() - started)
        run = job.run
        checks = engine.plan(job.cases, confidence=run.confidence, budget=budget, seed=run.seed)
        known = job.hashes
        watched = Watched(each, known, job.sources)
        journal = Journal(how.out / how.journal, job.header(budget), _shares(job, checks), job.hashes)
        saving = Saving(journal, watched.loaded, how.warn)
        outcomes = saving.begin(resume=restored is not None)
        stopped = _run(job, how, checks, outcomes, saving, watched)
        if stopped and not outcomes:
            raise KeyboardInterrupt  # there is nothing to report
        refuse_changes(job, watched.written)
        report = engine.assemble(checks, outcomes, time.monotonic() - started)
        job = job.noting(**asked(job), budget=budget, files=known, date=now(), command=command_of(job, budget))
        done = finished(report, job, checks, outcomes, interrupted=stopped)
        if stopped:
            raise _Stopped(done)
        return done


def _restored(how: RunOptions) -> Restored | None:
    """What an earlier run did; None where there was none, or it ended before its first line was written."""
    path = how.out / how.journal
    if how.resume and is_blank(path):
        how.warn(f"{path}: the run ended before anything was done; it starts anew")
        return None
    return read(path) if how.resume else None


def _shares(job: Job, checks: list[Check]) -> dict[str, Share | None]:
    """What a journal may hold; a proof has no share."""
    return {**{check.id: check.share for check in checks}, **dict.fromkeys((proof.id for proof in job.proofs), None)}


def _run(
    job: Job, how: RunOptions, checks: list[Check], outcomes: dict[str, Outcome], saving: Saving, each: Watched
) -> bool:
    """True where it was interrupted. A listener keeps each outcome as it comes, in the order of the plan."""

    def collect(event: Event) -> None:
        if isinstance(event, Finished | Retried):
            outcomes[event.work.id] = event.outcome

    emit = telling(collect, saving, progress(how.console, how.quiet))
    ids = [check.id for check in checks] + [proof.id for proof in job.proofs]
    try:
        rest = [check for check in checks if check.id not in outcomes]
        titles = {check.id: check.title for check in rest}
        with announced([name for name in ids if name not in outcomes], emit, stages(rest, how.jobs), titles):
            engine.run_checks(checks, done=outcomes, emit=emit, each=each, tables=saving.tables)
            engine.step_down(checks, outcomes, emit=emit, each=each, tables=saving.tables)
            proofs = [proof for proof in job.proofs if proof.id not in outcomes]
            for proof, outcome in zip(proofs, each.plainly(_run_proof, proofs), strict=True):
                emit(Finished(proof, outcome))
    except KeyboardInterrupt:
        return True
    return False


def _run_proof(proof: Any) -> Outcome:
    """A proof whose tool is missing is tried again when the run is resumed."""
    outcome: Outcome = proof.run()
    return replace(outcome, final=all(finding.verdict != "error" for finding in outcome.findings))


def _budget(job: Job, restored: Restored | None, each: Each, jobs: int, spent: float) -> int:
    """The calls of the spec; of the journal, where a duration was asked for and the run goes on; or of a stopwatch."""
    if job.run.budget is not None:
        return job.run.budget
    known = None if restored is None else restored.header.get("budget")
    if isinstance(known, int):
        return known
    left = max((job.run.duration or 0.0) - spent, 0.0)
    return fixed_budget(job.cases, job.run.confidence, left, Watched(each, sources=job.sources), jobs=jobs)


def asked(job: Job) -> dict[str, str]:
    """The duration that stands in the place of a budget."""
    return {} if job.run.budget is not None else {"budget_asked": f"{job.run.duration:g}s"}


def command_of(job: Job, budget: int) -> str:
    """What gives the same numbers again, in the folder of the spec."""
    spec = [] if job.environment.get("built_in") else [str(job.environment["spec"])]
    run = job.run
    numbers = ["--seed", str(run.seed), "--confidence", repr(run.confidence), "--budget", str(budget)]
    return shlex.join(["hdp-audit", "run", *spec, *numbers])


def with_numbers(job: Job, seed: int | None, confidence: float | None, budget: tuple[int | None, float | None]) -> Job:
    """The job with what the command line says instead of the spec."""
    run = job.run
    run = run if seed is None else replace(run, seed=seed)
    run = run if confidence is None else replace(run, confidence=confidence)
    run = run if budget == (None, None) else replace(run, budget=budget[0], duration=budget[1])
    return replace(job, run=run)
