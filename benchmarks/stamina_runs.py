"""A run of the program as a user starts it, with all its processes in sight. For Linux.

This process takes over whoever loses its parent, so what a run leaves behind is a descendant of this one.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stamina_specs import CALLS

ADOPTS = 36  # PR_SET_CHILD_SUBREAPER
LONG = 600.0  # seconds after which a run counts as hung
GONE = 15.0  # seconds within which nothing of a run is there any more
OF_TIME = ("date", "seconds_by_check")  # in the environment of a report


def adopt() -> None:
    """From now on whoever loses its parent below this process becomes its child."""
    ctypes.CDLL(None).prctl(ADOPTS, 1)


@dataclass
class Run:
    """`hdp-audit run` on a spec; `out` is where its report goes."""

    spec: Path
    out: Path
    jobs: int = 2
    executor: str = "local"
    suite: bool = False  # the built-in one in the place of the spec
    prepare: Callable[[], None] | None = None  # in the process, before it becomes the program
    said: str = ""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self, *, resume: bool = False) -> None:
        """Begin, or go on."""
        what = "--suite" if self.suite else str(self.spec)
        arguments = ["run", what, "--out", str(self.out), "--quiet", "--jobs", str(self.jobs)]
        arguments += ["--executor", self.executor, *(["--resume"] if resume else [])]
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "hdp_audit", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            preexec_fn=self.prepare or _listening,
        )

    @property
    def pid(self) -> int:
        """Of the process that the user started."""
        assert self._process is not None
        return self._process.pid

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._process is None or self._process.poll() is not None

    def end(self, seconds: float = LONG) -> int | None:
        """Its exit code, once it has ended; None where it hangs."""
        assert self._process is not None
        try:
            self.said, _ = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        return self._process.returncode

    @property
    def calls(self) -> int:
        """How many were made, in all runs on this spec since the file was removed."""
        place = self.spec.with_name(CALLS)
        return place.stat().st_size if place.exists() else 0

    @property
    def report(self) -> dict[str, Any]:
        """Without what two runs must differ in."""
        found = dict(json.loads((self.out / "report.json").read_text(encoding="utf-8")))
        found["totals"].pop("seconds")
        for name in OF_TIME:
            found["environment"].pop(name, None)
        return found


def _listening() -> None:
    """A shell that works in the background lets its children ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def family(first: int) -> dict[int, str]:
    """Descendants of a process that are alive, with their command lines."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found = {first}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return {pid: _line(pid) for pid in sorted(found - {first})}


def _line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def server(run: Run) -> list[int]:
    """The process from which workers are forked."""
    known = family(run.pid)
    return [pid for pid, line in known.items() if "forkserver" in line and _parent(pid) == run.pid]


def workers(run: Run) -> list[int]:
    """Processes that work through checks."""
    return [pid for above in server(run) for pid in family(above) if _parent(pid) == above]


def programs(run: Run, name: str) -> list[int]:
    """External programs under audit."""
    return [pid for pid, line in family(run.pid).items() if name in line and "hdp_audit" not in line]


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def killed(pids: list[int], number: int = signal.SIGKILL) -> bool:
    """Send it to all that are there; whether there was any."""
    hit = False
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
            hit = True
    return hit


def seconds_until_gone(keep: set[int]) -> float | None:
    """Until no process but these is left below this one; None where some stay."""
    started = time.monotonic()
    while True:
        _reap()
        left = set(family(os.getpid())) - keep
        if not left:
            return time.monotonic() - started
        if time.monotonic() - started > GONE:
            killed(sorted(left))
            _reap()
            return None
        time.sleep(0.05)


def _reap() -> None:
    """Orphans that ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
