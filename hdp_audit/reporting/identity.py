"""Whose report it is and where it comes from, as names and words, the same in every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.verdicts import shown

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport

STATED = "stated by the owner, not examined"
OWN_WORDS = {
    "title": "title",
    "owner": "owner",
    "system": "system",
    "release": "release",
    "unit_of_privacy": "unit of privacy",
    "contact": "contact",
    "notes": "notes",
}
VERSIONS = {"hdp_audit": "hdp-audit", "python": "Python", "numpy": "numpy", "scipy": "scipy", "platform": "machine"}
HASHES = {
    "spec_sha256": "what the spec claims (SHA-256)",
    "demands_sha256": "demands (SHA-256)",
    "data_sha256": "data (SHA-256)",
    "mechanism_sha256": "all files of the mechanism together (SHA-256)",
    "hdp_audit_sha256": "hdp-audit's own files (SHA-256)",
}


def stated_lines(report: AuditReport) -> list[tuple[str, str]]:
    """What the owner calls it; nothing that was left empty."""
    told = report.identity.to_json()
    return [(words, told[name]) for name, words in OWN_WORDS.items() if name in told]


def provenance_lines(report: AuditReport) -> list[tuple[str, str]]:
    """The day, what ran and on what, the commit, how to get the same numbers: all from the run."""
    known = report.environment
    versions = [f"{words} {shown(str(known[key]), 60)}" for key, words in VERSIONS.items() if key in known]
    return [
        ("date", _text(known, "date") or "not recorded"),
        ("run by", ", ".join(versions) or "not recorded"),
        ("commit of the spec's folder", commit_words(known)),
        ("command", _text(known, "command") or "called from Python"),
        ("seed", str(report.seed)),
        ("confidence of everything together", f"{report.confidence:g}"),
    ]


def hash_lines(report: AuditReport) -> list[tuple[str, str]]:
    """Of data, demands and every file of the user's own."""
    specs = report.environment.get("specs")
    if not isinstance(specs, list):
        return [*_hashes(report.environment), *_files(report.environment)]
    parts = [part for part in specs if isinstance(part, Mapping)]
    return [
        (f"{_text(part, 'path')}: {words}", sha) for part in parts for words, sha in (*_hashes(part), *_files(part))
    ]


def _hashes(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, words in HASHES.items():
        if isinstance(known.get(key), str):
            yield words, shown(str(known[key]), 100)


def _files(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    files = known.get("files")
    for name, sha in files.items() if isinstance(files, Mapping) else ():
        yield f"file {shown(str(name), 200)}", shown(str(sha), 100)


def commit_words(known: Mapping[str, Any]) -> str:
    """The commit, and whether files differed from it; where there is none, that."""
    git = known.get("git")
    if not isinstance(git, Mapping) or not isinstance(git.get("commit"), str):
        return "none: the files were not under version control, or it was not looked at"
    changes = "with changes that are not committed" if git.get("dirty") else "without other changes to tracked files"
    return f"{shown(git['commit'], 80)}, {changes}"


def _text(known: Mapping[str, Any], key: str) -> str:
    value = known.get(key)
    return shown(value, 500) if isinstance(value, str) else ""
