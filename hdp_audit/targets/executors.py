"""Who computes: this process, several on this machine, or a Dask cluster. Results come in order and are the same."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import FrameType
from typing import Any, TypeVar, cast

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.cluster import dask
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.interrupts import deaf_children, deferred
from hdp_audit.targets.made import count_in, counter
from hdp_audit.targets.pipe import close_all
from hdp_audit.targets.shield import Escaped, shielded
from hdp_audit.targets.silence import silence
from hdp_audit.targets.threads import one_thread_for_children, one_thread_from_now_on

Work = TypeVar("Work")
Result = TypeVar("Result")
Each = Callable[[Callable[[Any], Any], list[Any]], Iterable[Any]]

LOADED = ("hdp_audit.engine", "scipy.optimize")  # once, for all workers


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def executor(
    text: str, jobs: int, lost: Callable[[Any], Any], *, apart: bool, same: Fingerprint | None = None
) -> Iterator[Each]:
    """A `map` for "local" or "dask[=ADDRESS]"; `lost(item)` is the result of work whose process died.

    `apart`: even one job runs in a process of its own, because what it calls may take the process down.
    `same`: what workers elsewhere must have in common with this process; by default our code and versions.
    """
    kind, _, address = text.partition("=")
    if kind == "dask":
        with dask(address or None, jobs, lost, same or Fingerprint()) as each:
            yield each
    elif text != "local":
        raise InvalidInput(f"executor = {text!r}; allowed: local, dask, dask=ADDRESS")
    elif jobs == 1 and not apart:
        yield map
    else:
        local = _Local(jobs, lost)
        try:
            yield local
        except BaseException:
            local.stop()
            raise
        local.close()


class _Local:
    """Processes on this machine, started afresh, so that no state of this one leaks into a result."""

    def __init__(self, jobs: int, lost: Callable[[Any], Any]) -> None:
        self.jobs = jobs
        self.lost = lost
        self._pool: ProcessPoolExecutor | None = None

    def __call__(self, function: Callable[[Work], Result], items: list[Work]) -> Iterator[Result]:
        """Results in order. A death takes all running work down: the first unfinished item is tried alone."""
        rest = list(items)
        while rest:
            try:
                with deferred():
                    futures = [self._running().submit(shielded, function, item) for item in rest]
                for future in futures:
                    result = self._result(future.result, rest[0])
                    rest.pop(0)
                    yield result
            except BrokenProcessPool:
                self.close()
                yield self._alone(function, rest.pop(0))

    def close(self) -> None:
        """Wait for the workers and let them go."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def stop(self) -> None:
        """End the workers now: an interrupted run does not wait for checks nobody will read."""
        for process in multiprocessing.active_children():
            process.terminate()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = _pool(self.jobs)
        return self._pool

    def _alone(self, function: Callable[[Work], Result], item: Work) -> Result:
        with _pool(1) as alone:
            try:
                with deferred():
                    future = alone.submit(shielded, function, item)
                return cast("Result", self._result(future.result, item))
            except BrokenProcessPool:
                return cast("Result", self.lost(item))

    def _result(self, result: Callable[[], Any], item: Any) -> Any:
        """What the work gave; what wanted to end its process counts as dead."""
        try:
            return result()
        except Escaped:
            return self.lost(item)


def _pool(jobs: int) -> ProcessPoolExecutor:
    """Workers come from a clean server that has loaded the libraries once; never a fork of this process."""
    method = "forkserver" if prepared() else "spawn"
    context = multiprocessing.get_context(method)
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_prepare, initargs=(counter(context),))


def prepared(*more: str) -> bool:
    """Start the server now, so that it loads the libraries (and `more`) while this process does; False without one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return False
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([*LOADED, *more])
    with one_thread_for_children(), deaf_children():
        forkserver.ensure_running()
    return True


def _prepare(made: Any) -> None:
    """In a worker: Ctrl-C is the parent's business; a request to end takes the programs under audit along.

    What a mechanism prints is not shown.
    """
    silence()
    count_in(made)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    one_thread_from_now_on()
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """A parent that was killed asks nobody to end: nobody would read what this process goes on to compute."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _leave(signal.SIGTERM, None)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    close_all()
    os._exit(143)
