"""The last strokes on a report: names, waivers, what was left undone, where it ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.model import AuditReport, Finding
from hdp_audit.model.finding import id_of
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
    waivers = {waiver.finding: waiver for waiver in job.waivers}
    findings = [
        replace(f, subject=job.titles.get(f.subject, f.subject), waiver=waivers.get(f.id, f.waiver)) for f in findings
    ]
    subjects = [replace(subject, name=job.titles.get(subject.name, subject.name)) for subject in report.subjects]
    environment = {**job.environment, "checks": _made_by(outcomes)}
    return replace(
        report, subjects=tuple(subjects), findings=tuple(findings), environment=environment, identity=job.identity
    )


def refuse_idle_waivers(report: AuditReport, job: Job) -> None:
    """A waiver that names nothing in the report is a mistake: it would go on waiving when the name comes back."""
    known = {finding.id: finding.kind for finding in report.findings}
    idle = [waiver.finding for waiver in job.waivers if waiver.finding not in known]
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


def _made_by(outcomes: Mapping[str, Outcome]) -> list[dict[str, Any]]:
    """Which check made which findings, for `replay`."""
    return [
        {"check": name, "findings": [finding.id for finding in outcome.findings]}
        for name, outcome in outcomes.items()
        if outcome.findings
    ]
