"""A command, and what it and all its descendants took: seconds by the clock, of all processors, and memory together."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PAUSE = 0.3  # seconds between two looks at the memory


@dataclass(frozen=True)
class Watched:
    """What a command took. Memory that processes share counts once: the sum of their proportional sets."""

    code: int
    told: str
    seconds: float
    processor_seconds: float
    largest_mib: int


def watched(command: list[str]) -> Watched:
    """Runs it to its end; on an interrupt it is ended, too."""
    with tempfile.TemporaryFile("w+") as told:
        started, largest = time.perf_counter(), 0
        process = subprocess.Popen(command, stdout=told, start_new_session=True)  # noqa: S603
        try:
            while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
                largest = max(largest, sum(map(_proportional, _family(process.pid))))
                time.sleep(PAUSE)
        except BaseException:
            process.terminate()
            raise
        seconds, used = time.perf_counter() - started, ended[2]
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        told.seek(0)
        largest = max(largest, used.ru_maxrss * 1024)  # of one process, which may come and go between two looks
        return Watched(process.returncode, told.read(), seconds, used.ru_utime + used.ru_stime, largest >> 20)


def _family(first: int) -> list[int]:
    """The process, its descendants, and what else is in its session."""
    parents, sessions = {}, {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            parents[int(entry.name)], sessions[int(entry.name)] = int(fields[1]), int(fields[3])
    found = {pid for pid, session in sessions.items() if session == first} | {first}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def _proportional(pid: int) -> int:
    """Bytes of a process, what it shares divided among those who share it."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
