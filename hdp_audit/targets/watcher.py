"""Somebody outside who sees to it that no call takes longer than it may, whatever it does."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from time import monotonic_ns

from hdp_audit.targets.beats import PROCESS, UNTIL, Beats, fate_of
from hdp_audit.targets.fate import DIED, LATE, Fate
from hdp_audit.targets.orphans import wake, wake_servers

EVERY = 0.1  # seconds between looks
GRACE = 1_000_000_000  # ns beyond its time, in which a call may still be stopped from inside


def is_late(row: memoryview, now: int) -> bool:
    """Whether a call goes on that should have ended; looked at once, as it may end between two looks."""
    until = row[UNTIL]
    return 0 < until < now - GRACE


class Watcher:
    """Of the workers of one pool. Only children of this process are ever ended."""

    def __init__(self, beats: Beats) -> None:
        self._beats = beats
        self._ended: dict[int, Fate] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Nobody is left to be watched."""
        self._over.set()
        self._thread.join()

    def fate(self, process: int) -> Fate:
        """What ended a worker, as far as can be told: it was in a call, or it loaded, or it did neither."""
        if process in self._ended:
            return self._ended[process]
        rows = (row for row in self._beats.rows() if row[PROCESS] == process and row[UNTIL])
        return next((fate_of(row, DIED) for row in rows), Fate())

    def _watch(self) -> None:
        while not self._over.wait(EVERY):
            wake_servers()
            wake(row[PROCESS] for row in self._beats.rows() if row[PROCESS])
            now = monotonic_ns()
            for row in self._beats.rows():
                if is_late(row, now):
                    self._end(row)

    def _end(self, row: memoryview) -> None:
        process = row[PROCESS]
        if process in self._ended or process not in {child.pid for child in multiprocessing.active_children()}:
            return
        self._ended[process] = fate_of(row, LATE)
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)
