"""Jobs one after the other, and their reports as one."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hdp_audit.config.problems import InvalidSpec
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model import AuditReport, Finding
from hdp_audit.model.finding import id_of
from hdp_audit.runs.environment import VERSIONS
from hdp_audit.runs.finish import INTERRUPTED
from hdp_audit.runs.job import Job, job_of
from hdp_audit.runs.journal import NAME, BadJournal
from hdp_audit.runs.perform import Performed, RunOptions, asked, perform, with_numbers
from hdp_audit.runs.several import jobs_of, with_budget
from hdp_audit.runs.waivers import refuse_impossible
from hdp_audit.targets.called import now
from hdp_audit.targets.failures import KEPT_BACK

NOT_AUDITED = "not-audited"
FURTHER = "journal-{}.jsonl"  # of the second spec and those after it


@dataclass(frozen=True)
class Work:
    """Jobs of one report; `confidence` of all together."""

    jobs: tuple[Job, ...]
    confidence: float

    def perform(self, how: RunOptions) -> Performed:
        """The report."""
        return perform(self.jobs[0], how) if len(self.jobs) == 1 else perform_all(self.jobs, how, self.confidence)


def work_of(
    specs: Sequence[Path], seed: int | None, confidence: float | None, budget: tuple[int | None, float | None]
) -> Work:
    """Of specs, or of the built-in suite where there are none; the numbers of the command line go first."""
    if len(specs) < 2:
        job = with_numbers(job_of(specs[0] if specs else None), seed, confidence, budget)
        return Work((job,), job.run.confidence)
    jobs, whole = jobs_of(specs, seed, confidence)
    return Work(tuple(with_budget(jobs, *budget)), whole)


def perform_all(jobs: Sequence[Job], how: RunOptions, confidence: float) -> Performed:
    """One report; a spec that could not be audited, or was not yet when somebody stopped the run, stands in it."""
    if how.executor != "local":
        raise InvalidInput("several specs need --executor local: other workers would keep what an earlier spec loaded")
    for job in jobs:
        if job.cases[0].pairs is None:  # which are loaded in a process of their own first
            refuse_impossible(job)
    if not how.resume:
        for old in how.out.glob(FURTHER.format("*")):
            old.unlink()
    reports: list[AuditReport] = []
    stopped = False
    for number, job in enumerate(jobs):
        if stopped:
            reports.append(_left(job))
            continue
        try:
            done = _performed(job, how, number)
            reports.append(done.report)
            stopped = done.interrupted
        except KeyboardInterrupt:
            if not reports:
                raise
            reports.append(_left(job))
            stopped = True
    return Performed(merged(jobs, reports, confidence), stopped)


def _performed(job: Job, how: RunOptions, number: int) -> Performed:
    """One job; what cannot be done is an error in the report, so that it hides nothing that others found."""
    journal = NAME if number == 0 else FURTHER.format(number + 1)
    resume = how.resume and (how.out / journal).exists()
    if not how.quiet:
        how.console.print(f"{job.environment['path']}:", markup=False, soft_wrap=True)
    try:
        return perform(job, replace(how, journal=journal, resume=resume))
    except (InvalidSpec, BadJournal):
        raise
    except HdpAuditError as why:
        how.warn(f"{job.environment['path']}: {why}")
        said = KEPT_BACK if job.cases[0].private else str(why)
        return Performed(_without(job, NOT_AUDITED, "error", f"not audited: {said}"), False)


def _left(job: Job) -> AuditReport:
    return _without(job, INTERRUPTED, "inconclusive", "interrupted: nothing of this spec was done; --resume goes on")


def _without(job: Job, what: str, verdict: Any, message: str) -> AuditReport:
    """A report of nothing but why there is nothing."""
    (case,) = job.cases
    title = job.titles[case.name]
    finding = Finding(id_of(case.name, what), title, "behaviour", verdict, "tested", message, what)
    known = {**job.environment, **asked(job), "budget": job.run.budget}
    return AuditReport((), (finding,), job.run.confidence, job.run.seed, 0, 0.0, known, job.identity)


def merged(jobs: Sequence[Job], reports: Sequence[AuditReport], confidence: float) -> AuditReport:
    """Everything of all of them; `specs` in the environment says of each where its part comes from."""
    entries = [_entry(job, report) for job, report in zip(jobs, reports, strict=True)]
    return AuditReport(
        tuple(subject for report in reports for subject in report.subjects),
        tuple(finding for report in reports for finding in report.findings),
        confidence,
        jobs[0].run.seed,
        sum(report.calls for report in reports),
        math.fsum(report.seconds for report in reports),
        _environment(jobs, entries, confidence),
        jobs[0].identity,
    )


def _entry(job: Job, report: AuditReport) -> dict[str, Any]:
    ((name, title),) = job.titles.items()
    return {**report.environment, "name": name, "subject": title, "confidence": job.run.confidence}


def _environment(jobs: Sequence[Job], entries: list[dict[str, Any]], confidence: float) -> dict[str, Any]:
    first = entries[0]
    return {
        **{key: first[key] for key in (*VERSIONS, "platform")},
        "packages": {name: version for entry in entries for name, version in entry["packages"].items()},
        "spec": ", ".join(entry["path"] for entry in entries),
        "git": _git([entry.get("git") for entry in entries]),
        **_asked_for(jobs),
        "date": now(),
        "command": _command(jobs, entries, confidence),
        "checks": [made for entry in entries for made in entry.get("checks", [])],
        "seconds_by_check": {k: s for entry in entries for k, s in entry.get("seconds_by_check", {}).items()},
        "specs": entries,
    }


def _git(states: list[dict[str, Any] | None]) -> dict[str, Any] | None:
    """One commit where it is one; all of them where specs come from several repositories, or from none."""
    known = [state for state in states if state is not None]
    if not known:
        return None
    commits = dict.fromkeys("none" if state is None else str(state["commit"]) for state in states)
    return {"commit": ", ".join(commits), "dirty": any(state["dirty"] for state in known)}


def _asked_for(jobs: Sequence[Job]) -> dict[str, Any]:
    """The calls of each, or the duration of all together, where they share it."""
    found = {(job.run.budget, job.run.duration) for job in jobs}
    calls, seconds = found.pop() if len(found) == 1 else (None, None)
    return {"budget": calls} if seconds is None else {"budget": None, "budget_asked": f"{seconds * len(jobs):.12g}s"}


def _command(jobs: Sequence[Job], entries: list[dict[str, Any]], confidence: float) -> str:
    """From the folder that the specs have in common."""
    numbers = _asked_for(jobs)
    budget = numbers["budget"] or numbers.get("budget_asked")
    words = ["hdp-audit", "run", *(entry["path"] for entry in entries), "--seed", str(jobs[0].run.seed)]
    return shlex.join([*words, "--confidence", repr(confidence), *(["--budget", str(budget)] if budget else [])])
