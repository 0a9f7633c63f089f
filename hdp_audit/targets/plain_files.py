"""Files of our own that other processes could have put something else in the place of."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hdp_audit.errors import HdpAuditError


def opened(path: Path, flags: int) -> int:
    """A descriptor of a plain file: no link is followed, and a pipe or device is no file of ours."""
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise HdpAuditError(f"{path}: is no plain file; remove it, or choose another --out")
    return descriptor
