"""Where findings point to in a repository: the file of the mechanism and its first line, or the line of a draw."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.titles import subject_of

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport


@dataclass(frozen=True)
class Spot:
    """A file from the top of its repository (of the spec's folder where there is none), and a line of it."""

    path: str
    line: int | None = None


def spot_of(report: AuditReport, finding: Finding) -> Spot | None:
    """Of a traced finding the draw; else the function; where that stands in no file of the spec's, the spec."""
    subject, known = subject_of(report, finding), report.origin(finding)
    if finding.traced is not None and finding.traced.draws:
        draw = finding.traced.draws[0]
        own = subject.file if subject is not None else None
        return Spot(_below(known, _found(draw.file, known, own)), max(draw.line, 1))
    if subject is not None and subject.file:
        return Spot(_below(known, subject.file), subject.line)
    spec = known.get("spec")
    return Spot(_below(known, spec)) if isinstance(spec, str) and spec and not known.get("built_in") else None


def _found(file: str, known: Mapping[str, Any], own: str | None) -> str:
    """The file by its name from the spec: a draw's is told from the working folder, or by its last part alone."""
    files = known.get("files")
    listed: Iterable[str] = [str(name) for name in files] if isinstance(files, Mapping) else []
    names = [*([own] if own else []), *listed]
    ends = [name for name in names if name == file or name.endswith(f"/{file}") or file.endswith(f"/{name}")]
    return ends[0] if ends else file


def _below(known: Mapping[str, Any], path: str) -> str:
    """From the top of the repository; a path out of it stays as the spec has it."""
    folder = known.get("folder")
    if not isinstance(folder, str) and isinstance(known.get("path"), str):  # one of several specs
        folder = posixpath.dirname(known["path"])
    whole = posixpath.normpath(posixpath.join(folder, path)) if isinstance(folder, str) else posixpath.normpath(path)
    return path if whole.startswith("..") else whole
