"""Tables of chunks on the disk, so that a check which is run again does not make the same calls again.

One file for a check, only ever appended to. It begins with a line that says which version and which run it belongs to,
and each record carries a checksum over itself and the record before. What a kill cut off at the end is dropped; any
other damage is refused. Like the journal's sums these are against accidents and careless edits: no signature.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import struct
import sys
import time
from dataclasses import dataclass, field
from io import RawIOBase
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.targets.plain_files import opened

if sys.platform != "win32":
    import fcntl

Floats = NDArray[np.float64]

VERSION = 1
KEY, SUM = 16, 16  # bytes
HEAD = struct.Struct(f"<4s{KEY}sIHI")  # mark, key, rows, columns, milliseconds that making them took
MARK = b"rows"
SYNC = 1.0  # seconds between writes that reach the disk for certain
SUFFIX = ".tables"
PATIENCE = 10.0  # seconds for the one who wrote before to let go


class BadTables(InvalidInput):
    """A file of tables that cannot be believed."""


@dataclass(frozen=True)
class Folder:
    """Where the tables of a run's checks are; `run` is its number."""

    path: Path
    run: str

    def of(self, check: str) -> Kept:
        """Those of one check."""
        return Kept(self._file(check), self.run)

    def drop(self, check: str) -> None:
        """They are of no use any more, as the outcome is safe."""
        with contextlib.suppress(OSError):
            self._file(check).unlink(missing_ok=True)

    def clear(self) -> None:
        """No check needs any; other files stay."""
        with contextlib.suppress(OSError):
            for file in self.path.glob(f"*{SUFFIX}"):
                file.unlink()
            self.path.rmdir()

    @classmethod
    def clear_all(cls, out: Path) -> None:
        """Of every run that wrote its report into this folder."""
        for path in out.glob(f"*{SUFFIX}"):
            cls(path, "").clear()

    def _file(self, check: str) -> Path:
        return self.path / (hashlib.sha256(check.encode()).hexdigest()[:16] + SUFFIX)


@dataclass
class Kept:
    """The tables of one check; `run` is the number of the run they belong to."""

    path: Path
    run: str
    _places: dict[bytes, tuple[int, int, int]] = field(default_factory=dict)
    _stream: RawIOBase | None = None
    _last: bytes = b""
    _synced: float = 0.0

    def begin(self) -> None:
        """Read what is there; `BadTables` where it is damaged or of another run, `OSError` where that cannot be."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        stream = os.fdopen(opened(self.path, os.O_RDWR | os.O_CREAT), "r+b", buffering=0)
        try:
            _lock(stream, self.path)
            end = self._read(stream)
            stream.truncate(end)
            stream.seek(end)
            if not end:
                self._last = self._head()
                _write(stream, self._last + b"\n")
        except BaseException:
            stream.close()
            raise
        self._stream, self._synced = stream, time.monotonic()

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: bytes) -> Floats | None:
        """The table of this key, if it is there."""
        if self._stream is None or key not in self._places:
            return None
        start, rows, columns = self._places[key]
        end = self._stream.seek(0, os.SEEK_END)
        self._stream.seek(start)
        whole = self._stream.read(rows * columns * 8)
        self._stream.seek(end)
        return np.frombuffer(whole, dtype="<f8").astype(np.float64).reshape(rows, columns)

    def add(self, key: bytes, table: Floats, seconds: float = 0.0) -> None:
        """One more; a disk that is full ends the keeping, not the run."""
        if self._stream is None or key in self._places:
            return
        record, total = _record(self._last, key, table, seconds)
        start = self._stream.tell()
        try:
            _write(self._stream, record)
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._stream.fileno())
                self._synced = time.monotonic()
        except OSError:
            self._give_up(start)
            return
        self._last, self._places[key] = total, (start + HEAD.size, *table.shape)

    def close(self) -> None:
        """Let go of the file."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
        self._stream = None

    def _give_up(self, end: int) -> None:
        """Without half a record, if that can be."""
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(stream.fileno(), end)
            with contextlib.suppress(OSError):
                stream.close()

    def _head(self) -> bytes:
        return f"hdp-audit tables {VERSION} {self.run}".encode()

    def _read(self, stream: RawIOBase) -> int:
        """Where the last whole record ends; 0 where there is none, and no beginning."""
        head = stream.readline(200)
        if not head.endswith(b"\n"):
            return self._torn(head, 0)
        if head[:-1] != self._head():
            raise BadTables(f"{self.path}: belongs to another run or another version; {self._remedy}")
        self._last, end = head[:-1], len(head)
        size = os.fstat(stream.fileno()).st_size
        while len(record := stream.read(HEAD.size)) == HEAD.size:
            mark, key, rows, columns, _ = HEAD.unpack(record)
            due = rows * columns * 8 + SUM
            if mark == MARK and end + HEAD.size + due > size:
                return end
            body = stream.read(due) if mark == MARK else b""
            total = _sum(self._last, record, body[:-SUM])
            if mark != MARK or body[-SUM:] != total:
                whole = HEAD.size + (due if mark == MARK else 0)
                return self._torn(record + body + stream.read(), end, whole)
            self._places[key] = (end + HEAD.size, rows, columns)
            self._last, end = total, end + HEAD.size + len(body)
        return end

    def _torn(self, rest: bytes, end: int, whole: int = 0) -> int:
        """A beginning that was cut off holds nothing; after a power cut a file may also end in zeros within a record.

        `whole`: the bytes of the record that `rest` begins with.
        """
        written = rest.rstrip(b"\0")
        if len(written) < whole or not written or (not end and self._head().startswith(written)):
            return end
        raise BadTables(f"{self.path}: is damaged at byte {end}; {self._remedy}")

    @property
    def _remedy(self) -> str:
        return "remove this file to make its calls again, or start anew without --resume"


def _record(last: bytes, key: bytes, table: Floats, seconds: float) -> tuple[bytes, bytes]:
    rows, columns = table.shape
    head = HEAD.pack(MARK, key, rows, columns, min(int(1000 * seconds), 2**32 - 1))
    body = np.ascontiguousarray(table, dtype="<f8").tobytes()
    total = _sum(last, head, body)
    return head + body + total, total


def _sum(last: bytes, head: bytes, body: bytes) -> bytes:
    whole = hashlib.blake2b(last, digest_size=SUM)
    whole.update(head)
    whole.update(body)
    return whole.digest()


def _write(stream: RawIOBase, whole: bytes) -> None:
    """All of it, or `OSError`."""
    if stream.write(whole) != len(whole):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _lock(stream: RawIOBase, path: Path) -> None:
    """Who was killed a moment ago lets go; who is still there is another run."""
    if sys.platform == "win32":
        return
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise HdpAuditError(f"{path}: another run is writing there; wait for its end") from None
            time.sleep(0.05)
        except OSError:  # some network file systems cannot
            return
        else:
            return
