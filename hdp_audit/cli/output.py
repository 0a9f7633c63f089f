"""Standard output and error whose reader may go away: the job is done all the same, and its exit code says how."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO


class _Patient(io.FileIO):
    """Writes to a descriptor until that fails, then to nowhere. `why`: what failed, unless a pipe was closed."""

    why: OSError | None = None

    def write(self, data: Any) -> int:
        """All of it, or the pretence of it."""
        try:
            return super().write(data)
        except OSError as why:
            self.why = None if isinstance(why, BrokenPipeError) else why
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


class Output:
    """Both streams while a command runs."""

    def __init__(self) -> None:
        self._raw: list[_Patient] = []

    def why(self) -> str | None:
        """Why something that was said reached nobody; None where it did, or where nobody wanted to hear it."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        return next((raw.why.strerror for raw in self._raw if raw.why is not None), None)

    def patient(self, stream: TextIO | None) -> TextIO | None:
        """The same stream; one that is no file of the system (a test's, a notebook's) stays as it is."""
        real = stream is not None and (stream is sys.__stdout__ or stream is sys.__stderr__)
        if os.name != "posix" or stream is None or not real:
            return stream
        stream.flush()
        raw = _Patient(stream.fileno(), "wb", closefd=False)
        self._raw.append(raw)
        lines = bool(getattr(stream, "line_buffering", False))
        return io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=stream.encoding, errors="replace", line_buffering=lines
        )


@contextlib.contextmanager
def patient_output() -> Iterator[Output]:
    """`sys.stdout` and `sys.stderr` that never raise because nobody reads them."""
    before = sys.stdout, sys.stderr
    output = Output()
    try:
        sys.stdout, sys.stderr = (output.patient(stream) for stream in before)
        yield output
    finally:
        output.why()
        sys.stdout, sys.stderr = before
