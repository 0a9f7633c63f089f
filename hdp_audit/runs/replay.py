"""One finding of a report again. The report is data; what is run comes from the spec."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hdp_audit import engine
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.step_down import LEVEL
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model import AuditReport
from hdp_audit.reporting.report_json import read_report, report_json
from hdp_audit.reporting.verdicts import typed
from hdp_audit.runs.differences import differences
from hdp_audit.runs.environment import HASHES, VERSIONS
from hdp_audit.runs.finish import finished
from hdp_audit.runs.identify import identified, refuse_changes
from hdp_audit.runs.job import SUITE, Job, job_of
from hdp_audit.runs.several import entry_of, renamed
from hdp_audit.runs.watched import Watched
from hdp_audit.runs.whose import whose
from hdp_audit.targets.executors import executor
from hdp_audit.targets.fate import Fate
from hdp_audit.targets.sources import changed

HIDDEN = ("waiver", "subject")  # a waiver may be new
ELSEWHERE = ("examined",)  # of errors: whether a claim was decided all the same, which other checks say


@dataclass(frozen=True)
class Replayed:
    """A finding as the report has it, and as it came up again; None where it did not."""

    then: dict[str, Any]
    now: dict[str, Any] | None

    def differences(self) -> list[str]:
        """A line for each entry that is not what it was, where it came up again."""
        hidden = {*HIDDEN, *(ELSEWHERE if self.then.get("verdict") == "error" else ())}
        keys = [key for key in self.then if key not in hidden]
        now = self.now or {}
        return list(differences({key: self.then[key] for key in keys}, {key: now[key] for key in keys if key in now}))


def replayed(report: Path, name: str, spec: Path | None) -> Replayed:
    """The finding of this name, run again with the report's seed, confidence and budget."""
    old = read_report(report)
    if not isinstance(old.get("environment"), dict):
        raise InvalidInput(f"{report}: has no environment; it cannot be replayed")
    if spec is None and old["environment"].get("spec") != SUITE:
        raise InvalidInput("--spec is missing: what is run comes from a spec, never from a report")
    then = named_finding(old, name)
    old, job = _of_spec(old, then, spec)
    found = json.loads(report_json(_rerun(old, job, then["id"])))["findings"]
    return Replayed(then, next((entry for entry in found if entry["id"] == then["id"]), None))


def named_finding(report: dict[str, Any], name: str) -> dict[str, Any]:
    """By its id, or by what a printed command calls it."""
    ids = {entry["id"]: entry for entry in report["findings"]}
    known = {**{typed(str(key)): entry for key, entry in ids.items()}, **ids}
    if name in known:
        return dict(known[name])
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.3)
    known_near = f"; near: {', '.join(near)}" if near else ""
    apart = "`hdp-audit run --out DIR` keeps the reports of several specs apart"
    raise InvalidInput(f"no finding {name!r} in the report, which is of {whose(report)}{known_near}; {apart}")


def _files(report: dict[str, Any]) -> dict[str, str]:
    """The files of the mechanism as the report has them."""
    files = report["environment"].get("files")
    return {str(name): str(sha) for name, sha in files.items()} if isinstance(files, dict) else {}


def _of_spec(report: dict[str, Any], finding: dict[str, Any], spec: Path | None) -> tuple[dict[str, Any], Job]:
    """The part of the report that comes from the finding's spec, and the job of that spec."""
    entry = entry_of(report["environment"], finding["subject"])
    job = job_of(spec)
    if entry is not None:
        report = {**report, "environment": entry, "confidence": entry.get("confidence")}
        job = renamed(job, str(entry.get("name")), str(entry.get("subject")))
    job = identified(job, _files(report))
    _refuse_other(report, job)
    return report, job


def _refuse_other(report: dict[str, Any], job: Job) -> None:
    then, now = report["environment"], job.environment
    keys = [key for key in (*VERSIONS, *HASHES) if then.get(key) != now.get(key)]
    lines = [f"{key}: the report says {then.get(key)}, but this is {now.get(key)}" for key in keys]
    lines += changed(_files(report), job.hashes)
    if lines:
        lines += [f"the finding comes from {then['path']}"] if "path" in then else []
        needed = "a replay needs the same spec, demands, data, mechanism and versions"
        raise InvalidInput("\n".join([*lines, needed]))


def checks_of(report: dict[str, Any], name: str, spec: Path) -> list[Check]:
    """The check that made a finding, and what has to run before it; as the report says they were run."""
    report, job = _of_spec(report, named_finding(report, name), spec)
    found = _chosen(report, job, name)
    return found[0] + found[1]


def _chosen(report: dict[str, Any], job: Job, name: str) -> tuple[list[Check], list[Check]]:
    """The behaviour check, which says how batches are used, and the check that made the finding."""
    checks, maker = _planned(report, job), _maker(report, name)
    wanted = [_at_its_level(check, report, name) for check in checks if check.id == maker]
    before = [c for c in checks if wanted and c.case is wanted[0].case and c.comes_first and c.id != maker]
    return before, wanted


def _rerun(report: dict[str, Any], job: Job, name: str) -> AuditReport:
    """The check that made the finding, and the behaviour check before it, which says how batches are used."""
    maker = _maker(report, name)
    before, wanted = _chosen(report, job, name)
    proofs = [proof for proof in job.proofs if proof.id == maker]
    if not wanted and not proofs:
        raise InvalidInput(f"no check of this spec made {name!r}; an interrupted or foreign report cannot be replayed")
    chosen = [*before, *wanted]
    with executor("local", 1, _died, apart=job.apart) as each:
        watched = Watched(each, job.hashes, job.sources)
        outcomes = engine.run_checks(chosen, each=watched)
    refuse_changes(job, watched.written)
    outcomes.update({proof.id: proof.run() for proof in proofs})
    whole = engine.assemble(chosen or _planned(report, job)[:1], outcomes, 0.0)
    return finished(whole, job, chosen, outcomes)


def _at_its_level(check: Check, report: dict[str, Any], name: str) -> Check:
    """With the level that other claims left it, if the report says so: that took all of its checks to find."""
    witness = next(entry for entry in report["findings"] if entry["id"] == name).get("witness")
    level = witness.get(LEVEL) if isinstance(witness, dict) else None
    if not isinstance(level, float) or not 0.0 < level < 1.0:
        return check
    return replace(check, share=replace(check.share, levels={name: level}))


def _died(check: Check, _fate: Fate) -> Outcome:
    raise HdpAuditError(f"the process died in the check {check.name}, so there are no numbers to compare")


def _planned(report: dict[str, Any], job: Job) -> list[Check]:
    budget, seed, confidence = report["environment"].get("budget"), report.get("seed"), report.get("confidence")
    if not isinstance(budget, int) or not isinstance(seed, int) or not isinstance(confidence, float):
        raise InvalidInput("the report lacks budget, seed or confidence; it cannot be replayed")
    return engine.plan(job.cases, confidence=confidence, budget=budget, seed=seed)


def _maker(report: dict[str, Any], name: str) -> str | None:
    made = report["environment"].get("checks", [])
    entries = [entry for entry in made if isinstance(entry, dict)] if isinstance(made, list) else []
    return next((str(entry.get("check")) for entry in entries if name in (entry.get("findings") or [])), None)
