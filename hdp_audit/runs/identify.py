"""What identifies a run: the files that the mechanism consists of, found by loading it in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from hdp_audit.audits.case import Case
from hdp_audit.errors import HdpAuditError
from hdp_audit.runs.environment import below_root, git
from hdp_audit.runs.job import Job
from hdp_audit.targets.executors import executor
from hdp_audit.targets.fate import LATE, Fate
from hdp_audit.targets.sources import File, Sources, changed, combined, packages, sha256
from hdp_audit.targets.subject import replayable


@dataclass(frozen=True)
class Loaded:
    """What a worker knows once it has loaded the mechanism."""

    files: dict[str, File]
    packages: dict[str, str]
    replayable: bool


def identified(job: Job, wanted: Iterable[str] = ()) -> Job:
    """The job with its files and what else it needs to be told from another.

    `wanted`: names of further files, from a journal or a report, whose hashes are needed.
    """
    if job.sources is None:
        return job
    loaded = _loaded(job, job.sources) if job.sources.targets else None
    own = {**job.sources.files(), **(loaded.files if loaded else {})}
    folder = job.sources.folder
    more: dict[str, Any] = {
        "mechanism_sha256": None,
        "git": git(folder),
        "folder": below_root(folder),
        "files": {},
    }
    if own:
        more["files"] = {name: file.sha256 for name, file in own.items()}
        more["mechanism_sha256"] = combined(more["files"])
    if loaded is not None:
        more["packages"] = loaded.packages
    if any(case.source == "python" for case in job.cases):
        more["replayable"] = loaded is not None and loaded.replayable
    others = job.sources.files([name for name in wanted if name not in own])
    return replace(job.noting(**more), files={**others, **own})


def refuse_changes(job: Job, written: Collection[str] = ()) -> None:
    """At the end of a run: the files are what they were when it began, or it was about two mechanisms.

    `written`: by the mechanism itself, which may.
    """
    then = {name: sha for name, sha in job.hashes.items() if name not in written}
    now = {name: sha for name in then if (sha := sha256(job.files[name].path)) is not None}
    lines = changed(then, now)
    if lines:
        raise HdpAuditError(f"while the audit ran, {', '.join(lines)}; run it again")


def _loaded(job: Job, sources: Sources) -> Loaded | None:
    """What a worker found; None where the mechanism ends its process when it is loaded, which the run will tell."""
    with executor("local", 1, _died, apart=True) as each:
        found: list[Loaded | None] = list(each(_load, [(case, sources) for case in job.cases]))
    if any(entry is None and case.pairs is not None for entry, case in zip(found, job.cases, strict=True)):
        raise HdpAuditError("the mechanism or its pairs ended the process that loaded them; neither may exit")
    return found[0]


def _load(work: tuple[Case, Sources]) -> Loaded:
    """In the worker; the pairs are made here first, so that one which exits takes no other process down."""
    case, sources = work
    before = set(sys.modules)
    sources.watch()
    mechanism = case.mechanism()
    _ = case.given
    return Loaded({**sources.files(), **sources.loaded()}, packages(before), replayable(mechanism, case.promise))


def _died(work: tuple[Case, Sources], fate: Fate) -> None:
    """What never comes to an end when it is loaded would only be waited for again."""
    if fate.why == LATE:
        raise HdpAuditError(f"{work[0].name}: loading it {fate.words}; import less, or give a longer timeout")
