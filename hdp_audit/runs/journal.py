"""What was done so far, one JSON object a line, so that an interrupted run can go on. Nothing is unpickled.

Each line carries a SHA-256 over its bytes and the line before, so that lines which were edited, moved, removed, doubled
or taken from another run are noticed. This is against accidents and careless edits: it is no signature, and whoever
computes the sums anew can write what they like. The file is only ever appended to; a line that was cut off by a kill is
the last one, lacks its end, and is removed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdp_audit.audits.share import Outcome, Share
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.runs.arrays import Arrays
from hdp_audit.runs.outcomes import outcome_from_json, outcome_to_json
from hdp_audit.targets.kept import SUFFIX, Folder
from hdp_audit.targets.plain_files import opened
from hdp_audit.targets.sources import changed

__all__ = [
    "NAME",
    "BadJournal",
    "Journal",
    "Restored",
    "is_blank",
    "opened",
    "outcome_from_json",
    "outcome_to_json",
    "read",
    "removed_if_empty",
]

NAME = "journal.jsonl"
VERSION = 2
BEFORE, BEHIND = b'{"sum": "', b'", '
SUM = 64
ANEW = "start anew without --resume"


class BadJournal(InvalidInput):
    """A journal that cannot be continued: damaged, or of another run."""


@dataclass(frozen=True)
class Entry:
    """One finished check: its share, and the files that it loaded beside those in the header."""

    outcome: Outcome
    share: dict[str, Any] | None
    files: dict[str, str]


@dataclass(frozen=True)
class Restored:
    """A journal whose sums agree; `size` are the bytes up to the end of the last whole line, `last` is its sum."""

    header: dict[str, Any]
    entries: dict[str, Entry]
    size: int
    last: str

    @property
    def files(self) -> dict[str, str]:
        """All files of the run, by their hashes."""
        found = dict(self.header.get("files") or {})
        for entry in self.entries.values():
            found.update(entry.files)
        return found


class Journal:
    """Appends outcomes to a file. The header says what they belong to; another header is refused.

    `planned`: the shares of the checks to be done, by id; what else a journal holds is refused. `files`: the hashes of
    the mechanism's files as they are now.
    """

    def __init__(
        self,
        path: Path,
        header: Mapping[str, Any],
        planned: Mapping[str, Share | None] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> None:
        self._path = path
        self._header = dict(header)
        self._planned = planned
        self._files = dict(files or {})
        self._run = ""
        self._last = ""

    @property
    def tables(self) -> Folder:
        """Where draws of checks are kept that are not done yet."""
        return Folder(self._path.with_suffix(SUFFIX), self._run)

    def start(self) -> None:
        """Begin anew; `OSError` where nothing can be written."""
        self._run, self._last = secrets.token_hex(16), ""
        self.tables.clear()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        os.close(opened(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
        Arrays(self._path, opened).start()
        self._append({"journal": VERSION, "run": self._run, **self._header, "files": self._files})

    def add(self, name: str, outcome: Outcome, files: Mapping[str, str] | None = None) -> None:
        """One finished check, on the disk when this returns; `OSError` where it cannot be written."""
        share = None if self._planned is None else _plain(self._planned[name])
        late = {key: sha for key, sha in (files or {}).items() if self._files.get(key) != sha}
        told = outcome_to_json(outcome, Arrays(self._path, opened).kept)
        content = {"run": self._run, "check": name, "share": share, "outcome": told}
        self._append({**content, "files": late} if late else content)

    def resume(self) -> dict[str, Outcome]:
        """Outcomes by check; a last line that was cut off is dropped, from the file too."""
        found = read(self._path)
        self._refuse_others(found)
        for name, entry in found.entries.items():
            self._refuse_unplanned(name, entry)
        descriptor = opened(self._path, os.O_RDWR)
        try:
            os.ftruncate(descriptor, found.size)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._run, self._last = found.header["run"], found.last
        return {name: entry.outcome for name, entry in found.entries.items()}

    def _append(self, content: dict[str, Any]) -> None:
        line, total = _line(self._last, content)
        with os.fdopen(opened(self._path, os.O_WRONLY | os.O_APPEND), "ab") as stream:
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
        self._last = total

    def _refuse_others(self, found: Restored) -> None:
        then = found.header
        differing = [key for key, value in self._header.items() if then.get(key) != value]
        lines = [f"{key}: {then.get(key)!r} then, {self._header[key]!r} now" for key in differing]
        lines += changed(found.files, self._files)
        if lines:
            raise BadJournal(f"{self._path} belongs to another run ({'; '.join(lines)}); {ANEW}")

    def _refuse_unplanned(self, name: str, entry: Entry) -> None:
        if self._planned is None:
            return
        if name not in self._planned:
            raise BadJournal(f"{self._path}: holds the check {name!r}, which this run does not have; {ANEW}")
        if entry.share != _plain(self._planned[name]):
            raise BadJournal(f"{self._path}: {name} was done with another share of the calls; {ANEW}")


def read(path: Path) -> Restored:
    """Everything that a journal holds, if its sums agree."""
    whole = _bytes(path)
    size = whole.rfind(b"\n") + 1  # what follows was cut off
    header: dict[str, Any] | None = None
    entries: dict[str, Entry] = {}
    last = ""
    for number, line in enumerate(whole[:size].split(b"\n")[:-1], start=1):
        content, last = _content(path, number, line, last)
        if header is None:
            header = _header(path, content)
            continue
        name, entry = _entry(path, number, content, header["run"])
        if name in entries:
            raise _damaged(path, number, f"{name} was there before")
        entries[name] = entry
    if header is None:
        raise BadJournal(f"{path}: line 1 is no journal's header; {ANEW}")
    return Restored(header, entries, size, last)


def is_blank(path: Path) -> bool:
    """Whether a journal was cut off in its header, so that nothing of value is in it; another file is not blank."""
    whole = _bytes(path)
    return b"\n" not in whole and whole[: len(BEFORE)] == BEFORE[: len(whole)]


def removed_if_empty(path: Path) -> bool:
    """Remove a journal that holds no check, as it is of no use to anybody; another file stays."""
    try:
        empty = not read(path).entries
    except HdpAuditError:
        return False
    if empty:
        path.unlink(missing_ok=True)
    return empty


def _bytes(path: Path) -> bytes:
    try:
        with os.fdopen(opened(path, os.O_RDONLY), "rb") as stream:
            return stream.read()
    except OSError:
        raise BadJournal(f"{path}: there is no journal to resume; start without --resume") from None


def _line(before: str, content: Mapping[str, Any]) -> tuple[bytes, str]:
    """A line and its sum."""
    body = json.dumps(content).encode()
    total = _sum(before, body)
    return BEFORE + total.encode() + BEHIND + body[1:] + b"\n", total


def _sum(before: str, body: bytes) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()


def _content(path: Path, number: int, line: bytes, before: str) -> tuple[dict[str, Any], str]:
    """What a line says, and its sum."""
    start = len(BEFORE)
    total, body = line[start : start + SUM], b"{" + line[start + SUM + len(BEHIND) :]
    framed = line.startswith(BEFORE) and line[start + SUM :].startswith(BEHIND)
    if not framed or _sum(before, body).encode() != total:
        if number == 1:
            raise BadJournal(f"{path}: line 1 is no journal's header; {ANEW}")
        raise _damaged(path, number, "it is not as it was written, or not in its place")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as why:
        raise _damaged(path, number, str(why)) from None
    return content, total.decode()


def _header(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    files = content.get("files")
    if content.get("journal") != VERSION or not isinstance(content.get("run"), str) or not isinstance(files, dict):
        raise BadJournal(f"{path}: line 1 is no journal's header; {ANEW}")
    return content


def _entry(path: Path, number: int, content: dict[str, Any], run: str) -> tuple[str, Entry]:
    try:
        if content["run"] != run:
            raise ValueError("it belongs to another run")
        entry = Entry(
            outcome_from_json(content["outcome"], Arrays(path, opened).found),
            content["share"],
            dict(content.get("files") or {}),
        )
        return str(content["check"]), entry
    except (KeyError, ValueError, TypeError, AttributeError, HdpAuditError) as why:
        raise _damaged(path, number, str(why)) from None


def _damaged(path: Path, number: int, why: str) -> BadJournal:
    return BadJournal(f"{path} line {number}: is damaged ({why}); {ANEW}")


def _plain(share: Share | None) -> dict[str, Any] | None:
    return None if share is None else dataclasses.asdict(share)
