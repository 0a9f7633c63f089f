"""Processes that a mechanism or program leaves behind: on Linux this process takes them over, and ends them.

A process that loses its parent becomes a child of the nearest ancestor that adopts orphans, whatever session or group
it has moved to. Elsewhere only the process groups of programs are ended.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from os import getppid  # by its own name: a mechanism may replace it
from pathlib import Path

DIES, ADOPTS = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER
WAIT = 1.0  # seconds for those that were ended to be gone
STOPPED = "T"  # as the system writes it
KEPT = 32  # processes beside one for each processor that a mechanism may keep between its calls

own: set[int] = set()  # children of this process that it needs still

_adopting = False


def adopt() -> None:
    """Orphans among the descendants of this process are its children from now on."""
    global _adopting
    _adopting = _adopting or _told(ADOPTS, 1)


def die_with_parent() -> None:
    """Not even a call that never returns outlives the process that this one came from."""
    _told(DIES, signal.SIGKILL)


def orphaned() -> bool:
    """In a worker that a server started: whether that died already, so that nobody's death will be told to this one."""
    parent = multiprocessing.parent_process()
    return sys.platform == "linux" and parent is not None and getppid() in (1, parent.pid)


def end_orphans() -> None:
    """End all children that this process does not need, with all that they have started; only where it adopts."""
    until = time.monotonic() + WAIT
    while _adopting and time.monotonic() < until:
        found = set(_children()) - own - _servers()
        if not found:
            return
        for process in found:
            _end(process)
        time.sleep(0.01)


def wake_servers() -> None:
    """A mechanism may stop whoever started it; nobody else could be started then, and nobody's end be told."""
    for server in _servers():
        with contextlib.suppress(OSError):
            os.kill(server, signal.SIGCONT)


def wake(workers: Iterable[int]) -> None:
    """A program may stop the worker that asks it. Only those who come from this process or its servers; on Linux."""
    ours = {os.getpid(), *_servers()}
    for worker in workers:
        with contextlib.suppress(OSError, ValueError):
            state, parent, *_ = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
            if state == STOPPED and int(parent) in ours:
                os.kill(worker, signal.SIGCONT)


def end_crowd() -> None:
    """A mechanism may keep processes that work for it; one that leaves more behind with every call may not."""
    if _adopting and len(set(_children()) - own - _servers()) > KEPT + (os.cpu_count() or 1):
        end_orphans()


def _told(what: int, value: int) -> bool:
    """Whether the system knows such a request."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        return bool(ctypes.CDLL(None).prctl(what, value, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _end(process: int) -> None:
    """What it has started becomes ours, and its turn comes."""
    with contextlib.suppress(OSError):
        os.kill(process, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.waitpid(process, os.WNOHANG)


def _children() -> Iterator[int]:
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            yield from map(int, task.read_text().split())


def _servers() -> set[int]:
    """Those of Python's multiprocessing, which start workers and clear up behind them."""
    from multiprocessing import forkserver, resource_tracker

    places = ((forkserver, "_forkserver", "_forkserver_pid"), (resource_tracker, "_resource_tracker", "_pid"))
    found = {getattr(getattr(module, name, None), number, None) for module, name, number in places}
    return {process for process in found if process is not None}
