"""Who computes: this process, several on this machine, or a Dask cluster besides. Results come in order, the same."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.cluster import dask
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.preload import prepared
from hdp_audit.targets.requests import Elsewhere
from hdp_audit.targets.workers import Lost, Workers

__all__ = ["Each", "cores", "executor", "prepared"]

Each = Callable[[Callable[[Any], Any], list[Any]], Iterable[Any]]


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def executor(
    text: str,
    jobs: int,
    lost: Lost,
    *,
    apart: bool,
    same: Fingerprint | None = None,
    tell: Callable[[str], object] = len,
) -> Iterator[Each]:
    """A `map` for "local" or "dask[=ADDRESS]"; `lost(item, fate)` is the result of work whose process died.

    Items are worked on by processes of this machine; of a request that takes long, whoever is idle makes a part, and
    so does a cluster. `apart`: even one job runs in a process of its own, because what it calls may take the process
    down. `same`: what workers elsewhere must have in common with this process; by default our code and versions.
    `tell`: who hears that workers are waited for.
    """
    kind, _, address = text.partition("=")
    if kind == "dask":
        known = same or Fingerprint()
        with dask(address or None, jobs, known, tell) as cluster, _local(jobs, lost, cluster) as each:
            yield each
    elif text != "local":
        raise InvalidInput(f"executor = {text!r}; allowed: local, dask, dask=ADDRESS")
    elif jobs == 1 and not apart:
        yield map
    else:
        with _local(jobs, lost) as each:
            yield each


@contextlib.contextmanager
def _local(jobs: int, lost: Lost, elsewhere: Elsewhere | None = None) -> Iterator[Each]:
    workers = Workers(jobs, lost, elsewhere)
    try:
        yield workers
    except BaseException as why:
        if not isinstance(why, Exception):
            workers.wind_up()
        workers.stop()
        raise
    workers.close()
