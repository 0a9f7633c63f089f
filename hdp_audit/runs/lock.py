"""One run at a time in a folder of reports: two would mix their journals."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.runs.journal import NAME, opened

if sys.platform != "win32":
    import fcntl


@contextlib.contextmanager
def alone_in(out: Path, *, resume: bool, warn: Callable[[str], None]) -> Iterator[None]:
    """Hold the journal of a folder; the system lets it go when the process ends, however it ends.

    A journal that is still empty then is of no use to anybody, and is removed.
    """
    path = out / NAME
    descriptor = _journal(path, resume)
    try:
        _lock(descriptor, out, warn)
        try:
            yield
        finally:
            _remove_empty(path)
    finally:
        os.close(descriptor)


def _remove_empty(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.stat().st_size == 0:
            path.unlink()


def _journal(path: Path, resume: bool) -> int:
    if not resume:
        _make(path.parent)
    try:
        return opened(path, os.O_RDWR | (0 if resume else os.O_CREAT))
    except OSError as why:
        if resume and isinstance(why, FileNotFoundError):
            raise InvalidInput(f"{path}: there is no journal to resume; start without --resume") from None
        reason = "it is a link" if path.is_symlink() else why.strerror
        raise HdpAuditError(f"{path}: cannot be written ({reason}); choose another --out") from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        reason = "there is a file of this name" if isinstance(why, FileExistsError) else why.strerror
        raise HdpAuditError(f"--out {folder}: the folder cannot be made ({reason}); choose another --out") from None


def _lock(descriptor: int, out: Path, warn: Callable[[str], None]) -> None:
    if sys.platform == "win32":  # no flock: there two runs in one folder are noticed only when one is resumed
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InvalidInput(f"{out}: another run is writing there; wait for its end, or choose another --out") from None
    except OSError as why:  # some network file systems cannot
        warn(f"{out}: cannot be locked ({why.strerror}); see to it that no other run writes there")
