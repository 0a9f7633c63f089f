"""What a mechanism prints is not shown: it would stand between our lines, may steer a terminal, and may tell data."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator

STREAMS = (1, 2)  # descriptors: whoever writes past sys.stdout and sys.stderr writes to these


def silence() -> None:
    """Nothing that this process or a child of it writes is shown from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in STREAMS:
        os.dup2(nowhere, stream)
    os.close(nowhere)


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Nothing that is written inside is shown; for code of the user that runs in our own process."""
    _flush()
    kept = {stream: os.dup(stream) for stream in STREAMS if _is_open(stream)}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in kept:
            os.dup2(nowhere, stream)
        with contextlib.redirect_stdout(_Nowhere()), contextlib.redirect_stderr(_Nowhere()):
            yield
    finally:
        _flush()  # what waits in a buffer goes nowhere, too
        for stream, copy in kept.items():
            os.dup2(copy, stream)
            os.close(copy)
        os.close(nowhere)


class _Nowhere(io.TextIOBase):
    """Keeps nothing: a logger that holds on to it must not fill the memory."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        return len(text)


def _flush() -> None:
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()


def _is_open(stream: int) -> bool:
    try:
        os.fstat(stream)
    except OSError:
        return False
    return True
