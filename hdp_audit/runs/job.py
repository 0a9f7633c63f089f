"""What is to be audited, whatever it came from: a spec or the built-in suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdp_audit.audits.case import Case
from hdp_audit.config import Spec, case_of, read_spec
from hdp_audit.config.case import sources_of
from hdp_audit.config.spec import Run
from hdp_audit.model import Waiver
from hdp_audit.model.identity import Identity
from hdp_audit.runs.environment import HASHES, VERSIONS, versions
from hdp_audit.targets.called import digest
from hdp_audit.targets.sources import File, Sources

if TYPE_CHECKING:
    from hdp_audit.suite import Proofs

SUITE = "built-in suite"


@dataclass(frozen=True)
class Job:
    """Cases and the run's numbers; `titles` maps a case's name to what the report calls it.

    `files`: what the mechanism consists of, once `identified` has found out.
    """

    cases: tuple[Case, ...]
    run: Run
    environment: Mapping[str, Any]
    waivers: tuple[Waiver, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    proofs: tuple[Proofs, ...] = ()
    apart: bool = False  # whether what is called may take its process down
    notes: tuple[str, ...] = ()  # of the spec
    sources: Sources | None = None
    files: Mapping[str, File] = field(default_factory=dict)
    identity: Identity = field(default_factory=Identity)

    @property
    def hashes(self) -> dict[str, str]:
        """The files by their hashes."""
        return {name: file.sha256 for name, file in self.files.items()}

    def noting(self, **more: Any) -> Job:
        """The job with this in the environment of its report."""
        return replace(self, environment={**self.environment, **more})

    def header(self, budget: int) -> dict[str, Any]:
        """What a journal must agree on before it is continued."""
        own = {key: self.environment[key] for key in (*VERSIONS, *HASHES)}
        return {**own, "seed": self.run.seed, "confidence": self.run.confidence, "budget": budget}


def job_of(path: Path | None) -> Job:
    """The job of a spec, or of the built-in suite."""
    return _suite() if path is None else spec_job(read_spec(path))


def spec_job(spec: Spec) -> Job:
    """The job of a spec that has been read."""
    case = case_of(spec)
    environment = {
        **versions(),
        "spec": spec.path.name,
        "spec_sha256": spec.digest,
        "demands_sha256": digest(spec.promised),
        "mechanism_sha256": None,
        "data_sha256": digest(spec.data),
    }
    titles, sources = {case.name: spec.mechanism.title}, sources_of(spec)
    return Job(
        (case,),
        spec.run,
        environment,
        spec.waivers,
        titles,
        apart=case.source != "reference",
        notes=spec.notes,
        sources=sources,
        identity=spec.identity,
    )


def _suite() -> Job:
    from hdp_audit.suite import BUDGET, proofs, suite_cases

    cases = suite_cases()
    own = {"demands_sha256": digest(cases[0].demands.values)}
    environment = {**versions(), "spec": SUITE, "built_in": True, **dict.fromkeys(HASHES), **own}
    return Job(tuple(cases), Run(budget=BUDGET), environment, proofs=tuple(proofs()))
