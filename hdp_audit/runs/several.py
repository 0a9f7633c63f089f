"""Several specs as one report: each runs as a job of its own, in processes of its own, with its share of the errors.

A job is run as its spec alone would be at the confidence that is its share, so modules of two folders that have one
name never meet, and a finding can be replayed by its own spec.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hdp_audit.config.problems import InvalidSpec
from hdp_audit.config.several import read_all, short_names
from hdp_audit.config.spec import Run, Spec
from hdp_audit.errors import InvalidInput
from hdp_audit.model import Waiver
from hdp_audit.model.finding import id_of
from hdp_audit.model.report import refuse_twins
from hdp_audit.runs.job import Job, spec_job
from hdp_audit.targets.python import Target


def jobs_of(paths: Sequence[Path], seed: int | None, confidence: float | None) -> tuple[list[Job], float]:
    """A job for each spec, under names of their own, and the confidence of all together."""
    specs, names = read_all(paths), short_names(paths)
    _refuse_unlike(paths, specs, seed, confidence)
    _refuse_together(paths, specs)
    whole = specs[0].run.confidence if confidence is None else confidence
    jobs = [spec_job(spec) for spec in specs]
    own = [next(iter(job.titles.items())) for job in jobs]
    found = []
    for job, name, (short, title) in zip(jobs, names, own, strict=True):
        twins = sum(other == short for other, _ in own) > 1
        alike = sum(other == title for _, other in own) > 1
        called = (f"{short}@{name}" if twins else short, f"{title} ({name})" if alike else title)
        run = replace(job.run, confidence=share_of(whole, len(jobs)), seed=job.run.seed if seed is None else seed)
        found.append(replace(renamed(job, *called), run=run).noting(path=name))
    refuse_twins("subject", [next(iter(job.titles.values())) for job in found])
    return found, whole


def share_of(confidence: float, parts: int) -> float:
    """That of each of so many reports which together have this one; never less than it has to be."""
    share = math.nextafter(1.0 - (1.0 - confidence) / parts, 1.0)
    if share >= 1.0:
        raise InvalidInput(f"confidence = {confidence!r} cannot be shared by {parts} specs; give a smaller one")
    return share


def with_budget(jobs: Sequence[Job], calls: int | None, seconds: float | None) -> list[Job]:
    """So many calls for each, or one duration for all together; each spec's own where neither is given."""
    if calls is None and seconds is None:
        return list(jobs)
    each = None if seconds is None else seconds / len(jobs)
    return [replace(job, run=replace(job.run, budget=calls, duration=each)) for job in jobs]


def renamed(job: Job, name: str, title: str) -> Job:
    """The job of one spec under other names; its waivers go on naming the same findings."""
    (case,) = job.cases
    waivers = tuple(_renamed(waiver, id_of(case.name, ""), id_of(name, "")) for waiver in job.waivers)
    return replace(job, cases=(replace(case, name=name),), titles={name: title}, waivers=waivers)


def _renamed(waiver: Waiver, old: str, new: str) -> Waiver:
    own = waiver.finding.startswith(old)
    return replace(waiver, finding=new + waiver.finding.removeprefix(old)) if own else waiver


def _refuse_unlike(paths: Sequence[Path], specs: Sequence[Spec], seed: int | None, confidence: float | None) -> None:
    """One report has one seed, one confidence and one identity."""
    lines = []
    for path, spec in zip(paths[1:], specs[1:], strict=True):
        lines += _unlike("seed", paths[0], specs[0].run, path, spec.run) if seed is None else []
        lines += _unlike("confidence", paths[0], specs[0].run, path, spec.run) if confidence is None else []
        if spec.identity.to_json() != specs[0].identity.to_json():
            lines.append(
                f"{path} and {paths[0]} differ in [report], and this is one report; give both the same, or none"
            )
    if lines:
        raise InvalidSpec("\n".join(lines))


def _unlike(key: str, first: Path, then: Run, path: Path, now: Run) -> list[str]:
    one, other = getattr(then, key), getattr(now, key)
    told = f"{first} has {key} = {one!r}, {path} has {other!r}; make them agree, or give --{key}"
    return [] if one == other else [told]


def _refuse_together(paths: Sequence[Path], specs: Sequence[Spec]) -> None:
    """Pairs and strategies are loaded into this process too: modules of two folders could take each other's place."""
    known: dict[frozenset[Path], Path] = {}
    for path, spec in zip(paths, specs, strict=True):
        targets = [target for target in (spec.mechanism.pairs, spec.strategy) if target is not None]
        if targets:
            known.setdefault(_folders(spec, targets), path)
    if len(known) > 1:
        first, second = list(known.values())[:2]
        raise InvalidSpec(
            f"{first} and {second}: both load pairs or a strategy, from different folders, where modules of one name "
            "could take each other's place; audit them in runs of their own"
        )


def _folders(spec: Spec, targets: Sequence[Target]) -> frozenset[Path]:
    files = [target.file.resolve().parent for target in targets if target.file is not None]
    return frozenset((spec.path.resolve().parent, *files))


def entry_of(environment: dict[str, Any], subject: str) -> dict[str, Any] | None:
    """What the environment of a report of several specs says of a subject's; None in other reports."""
    listed = environment.get("specs")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return next((entry for entry in entries if entry.get("subject") == subject), None)
