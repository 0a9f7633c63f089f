"""Who computes: this process, several on this machine, or a Dask cluster. Results come in order and are the same."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import FrameType
from typing import Any, TypeVar, cast

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.sampling.pipe import close_all
from hdp_audit.sampling.silence import silence

Work = TypeVar("Work")
Result = TypeVar("Result")
Each = Callable[[Callable[[Any], Any], list[Any]], Iterable[Any]]


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def executor(text: str, jobs: int, lost: Callable[[Any], Any], *, apart: bool) -> Iterator[Each]:
    """A `map` for "local" or "dask[=ADDRESS]"; `lost(item)` is the result of work whose process died.

    `apart`: even one job runs in a process of its own, because what it calls may take the process down.
    """
    kind, _, address = text.partition("=")
    if kind == "dask":
        with _dask(address or None, jobs) as each:
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
                futures = [self._running().submit(function, item) for item in rest]
                for future in futures:
                    result = future.result()
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
                return alone.submit(function, item).result()
            except BrokenProcessPool:
                return cast("Result", self.lost(item))


def _pool(jobs: int) -> ProcessPoolExecutor:
    """Workers come from a clean server that has loaded the libraries once; never a fork of this process."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_prepare)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["hdp_audit.engine"])
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_prepare)


def _prepare() -> None:
    """In a worker: Ctrl-C is the parent's business; a request to end takes the programs under audit along.

    What a mechanism prints is not shown.
    """
    silence()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    close_all()
    os._exit(143)


@contextlib.contextmanager
def _dask(address: str | None, jobs: int) -> Iterator[Each]:
    """A Dask cluster, by the extra `dask`; without an address a cluster on this machine."""
    with _client(address, jobs) as client:

        def each(function: Callable[[Any], Any], items: list[Any]) -> Iterator[Any]:
            # Dask treats calls as pure unless told otherwise, and would return one result for equal-looking work.
            # Workers of a cluster of our own write to our terminal; those at an address have logs of their own.
            work = function if address else partial(_silently, function)
            futures = [client.submit(work, item, pure=False) for item in items]
            for future in futures:
                yield future.result()

        yield each


def _silently(function: Callable[[Any], Any], item: Any) -> Any:
    silence()
    return function(item)


def _client(address: str | None, jobs: int) -> Any:
    try:
        distributed = __import__("distributed")
    except ImportError:
        raise HdpAuditError("executor dask needs an extra: pip install 'hdp-audit[dask]'") from None
    try:
        if address is not None:
            return distributed.Client(address, timeout="10s")
        return distributed.Client(n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None)
    except (OSError, ValueError, TypeError) as why:
        raise HdpAuditError(f"executor dask: no cluster at {address or 'this machine'} ({why})") from None
