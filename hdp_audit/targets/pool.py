"""Workers on this machine, watched from outside, that are gone within seconds when they are not needed any more."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

from hdp_audit.targets.beats import Beats
from hdp_audit.targets.fate import Fate
from hdp_audit.targets.made import counter
from hdp_audit.targets.orphans import end_orphans
from hdp_audit.targets.watcher import Watcher
from hdp_audit.targets.worker import prepare

LEAVE = 2.0  # seconds for a worker to end by itself: what a mechanism left behind may hold it up for ever
HURRY = 0.3  # the same where it was told to
SERVER = 0.1  # seconds after which it is known whether a death took the server of the workers along


class Pool:
    """So many processes, started by this method."""

    def __init__(self, jobs: int, method: str) -> None:
        context = multiprocessing.get_context(method)
        beats = Beats(context)
        given = (counter(context), beats)
        self._pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=prepare, initargs=given)
        self._watcher = Watcher(beats)

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[Any]:
        """Work for the next worker who is free."""
        return self._pool.submit(function, *given)

    def fate(self) -> Fate:
        """What ended a worker, as far as can be told."""
        return next(iter(self._watcher.fates()), Fate())

    def closed_broken(self) -> Fate:
        """What ended a worker, once all are gone."""
        fate = self.fate()
        self.close()
        time.sleep(SERVER)
        return fate

    def close(self) -> None:
        """Let all workers go."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        _gone_within(LEAVE)
        end_children()
        self._pool.shutdown()
        self._watcher.stop()
        end_orphans()


def end_children() -> None:
    """All workers of this process, now."""
    for process in multiprocessing.active_children():
        process.terminate()
    _gone_within(HURRY)
    for process in multiprocessing.active_children():
        process.kill()


def _gone_within(seconds: float) -> None:
    until = time.monotonic() + seconds
    while multiprocessing.active_children() and time.monotonic() < until:
        time.sleep(0.005)
