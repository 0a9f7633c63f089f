"""Who computes: this process, several on this machine, or a Dask cluster. Results come in order and are the same."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar, cast

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.cluster import Lost, dask
from hdp_audit.targets.fate import PATIENCE, Call, Fate
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.interrupts import deaf_children, deferred
from hdp_audit.targets.pool import Pool, end_children
from hdp_audit.targets.shield import Escaped, shielded
from hdp_audit.targets.threads import one_thread_for_children

Work = TypeVar("Work")
Result = TypeVar("Result")
Each = Callable[[Callable[[Any], Any], list[Any]], Iterable[Any]]

LOADED = ("hdp_audit.engine", "scipy.optimize")  # once, for all workers


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def executor(text: str, jobs: int, lost: Lost, *, apart: bool, same: Fingerprint | None = None) -> Iterator[Each]:
    """A `map` for "local" or "dask[=ADDRESS]"; `lost(item, fate)` is the result of work whose process died.

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

    def __init__(self, jobs: int, lost: Lost) -> None:
        self.jobs = jobs
        self.lost = lost
        self._pool: Pool | None = None

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
                self._running().closed_broken()
                self._pool = None
                yield self._alone(function, rest.pop(0))

    def close(self) -> None:
        """Let the workers go; one that does not leave is ended."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def stop(self) -> None:
        """End the workers now: an interrupted run does not wait for checks nobody will read."""
        end_children()
        self.close()

    def _running(self) -> Pool:
        if self._pool is None:
            self._pool = Pool(self.jobs, _method())
        return self._pool

    def _alone(self, function: Callable[[Work], Result], item: Work) -> Result:
        """Again and again, each time without the call that ended the last process."""
        fatal: dict[Call, Fate] = {}
        while True:
            alone = Pool(1, _method())
            try:
                with deferred():
                    future = alone.submit(shielded, function, item, fatal)
                return cast("Result", self._result(future.result, item))
            except BrokenProcessPool:
                fate = alone.closed_broken()
                if not fate.by_a_call or fate.during in fatal or len(fatal) > PATIENCE:
                    return cast("Result", self.lost(item, fate))
                fatal[cast("Call", fate.during)] = fate
            finally:
                alone.close()

    def _result(self, result: Callable[[], Any], item: Any) -> Any:
        """What the work gave; what wanted to end its process counts as dead."""
        try:
            return result()
        except Escaped:
            return self.lost(item, Fate())


def _method() -> str:
    """Workers come from a clean server that has loaded the libraries once; never a fork of this process."""
    return "forkserver" if prepared() else "spawn"


def prepared(*more: str) -> bool:
    """Start the server now, so that it loads the libraries (and `more`) while this process does; False without one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return False
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([*LOADED, *more])
    with one_thread_for_children(), deaf_children():
        forkserver.ensure_running()
    return True
