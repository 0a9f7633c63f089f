"""Seconds of processors: a clock lies on a busy machine."""

from __future__ import annotations

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
TIMES = slice(11, 15)  # of /proc/PID/stat behind the name: own ticks, and those of children that were waited for


def spent() -> float:
    """What this process and all below it have used so far, on Linux.

    `os.times` alone would miss processes that a fork server started: they are nobody's children here.
    """
    return _ticks(Path("/proc/self")) / TICKS


def _ticks(process: Path) -> float:
    """Nothing of a process that has just ended: its parent has its time then."""
    try:
        own = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[TIMES]
        children = " ".join(file.read_text(encoding="utf-8") for file in process.glob("task/*/children")).split()
    except OSError:
        return 0.0
    return sum(map(float, own)) + sum(_ticks(Path("/proc", child)) for child in children)
