"""The last strokes on a report: names, waivers, what was left undone, where it ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.model import AuditReport, Finding, Waiver
from hdp_audit.model.finding import FAILED_CALLS, id_of
from hdp_audit.runs.job import Job
from hdp_audit.runs.near import near

INTERRUPTED = "interrupted"


def finished(
    report: AuditReport, job: Job, checks: list[Check], outcomes: Mapping[str, Outcome], *, interrupted: bool = False
) -> AuditReport:
    """The report as it is written."""
    proofs = [finding for proof in job.proofs if proof.id in outcomes for finding in outcomes[proof.id].findings]
    work = [*((check.id, check.case.name) for check in checks), *((proof.id, proof.subject) for proof in job.proofs)]
    undone = [entry for entry in work if entry[0] not in outcomes]
    findings = [*report.findings, *proofs]
    findings += _interrupted(undone, checks[0].case.name) if interrupted or undone else []
    findings = [
        replace(f, subject=job.titles.get(f.subject, f.subject), waiver=waiver_of(f, job.waivers)) for f in findings
    ]
    subjects = [replace(subject, name=job.titles.get(subject.name, subject.name)) for subject in report.subjects]
    environment = {**job.environment, "checks": _made_by(outcomes), "seconds_by_check": _seconds(outcomes)}
    return replace(
        report, subjects=tuple(subjects), findings=tuple(findings), environment=environment, identity=job.identity
    )


def waiver_of(finding: Finding, waivers: Iterable[Waiver]) -> Waiver | None:
    """By its id first; else by a pattern, which is shown where there is something to waive."""
    exact = (waiver for waiver in waivers if waiver.finding == finding.id)
    pattern = (waiver for waiver in waivers if waiver.names(finding.id) and finding.verdict != "pass")
    return next(exact, next(pattern, finding.waiver))


def refuse_idle_waivers(report: AuditReport, job: Job, *, alone: bool = True) -> None:
    """A waiver that names nothing in the report is a mistake: it would go on waiving when the name comes back.

    Whether calls fail that fail now and then is chance: a waiver of these may name nothing. Unless the job
    is `alone` in the report, its waivers are about its own subject.
    """
    own = set(job.titles.values())
    known = {finding.id: finding.kind for finding in report.findings if alone or finding.subject in own}
    lasting = [waiver for waiver in job.waivers if FAILED_CALLS not in waiver.finding]
    idle = [waiver.finding for waiver in lasting if not any(map(waiver.names, known))]
    if idle:
        spec = job.environment["spec"]
        lines = [
            f"{spec}: [[waive]] finding = {name!r} names no finding of the report; {near(name, known)}" for name in idle
        ]
        raise InvalidSpec("\n".join([*lines, "give the id of a finding, as report.json has it, or remove the waiver"]))


def _interrupted(undone: list[tuple[str, str]], subject: str) -> list[Finding]:
    """What an interrupt left undone (checks and their subjects) is inconclusive, not passed."""
    shown = ", ".join(name for name, _ in undone[:5]) + (", ..." if len(undone) > 5 else "")
    left = "shares of refuted claims were not yet left to the others"
    what = f"{len(undone)} checks were not done ({shown})" if undone else left
    message = f"interrupted: {what}; --resume goes on"
    subject = undone[0][1] if undone else subject
    name = id_of(subject, INTERRUPTED)
    return [Finding(name, subject, "behaviour", "inconclusive", "tested", message, INTERRUPTED)]


def _seconds(outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    """How long each check took, in the process that ran it."""
    return {name: round(outcome.seconds, 3) for name, outcome in outcomes.items() if outcome.findings}


def _made_by(outcomes: Mapping[str, Outcome]) -> list[dict[str, Any]]:
    """Which check made which findings, for `replay`."""
    return [
        {"check": name, "findings": [finding.id for finding in outcome.findings]}
        for name, outcome in outcomes.items()
        if outcome.findings
    ]
