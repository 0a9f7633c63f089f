"""Work on a Dask cluster, by the extra `dask`: only by workers that have our code, our versions and the same files."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets.fate import Fate
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.shield import Escaped, shielded
from hdp_audit.targets.silence import silence

Lost = Callable[[Any, Fate], Any]
Each = Callable[[Callable[[Any], Any], list[Any]], Iterator[Any]]


@contextlib.contextmanager
def dask(address: str | None, jobs: int, lost: Lost, same: Fingerprint) -> Iterator[Each]:
    """A `map` over the cluster at the address, or over one on this machine."""
    distributed = _library()
    with _client(distributed, address, jobs) as client:
        _refuse_others(client, same)

        def each(function: Callable[[Any], Any], items: list[Any]) -> Iterator[Any]:
            # Dask treats calls as pure unless told otherwise, and would return one result for equal-looking work.
            # Workers of a cluster of our own write to our terminal; those at an address have logs of their own.
            work = _Same(function, same, quiet=address is None)
            futures = [client.submit(work, item, pure=False) for item in items]
            for future, item in zip(futures, items, strict=True):
                yield _result(distributed, future, lost, item)

        yield each


@dataclass(frozen=True)
class _Same:
    """A task that looks where it is before it works: workers may join, or be renewed, at any time."""

    function: Callable[[Any], Any]
    same: Fingerprint
    quiet: bool

    def __call__(self, item: Any) -> Any:
        if self.quiet:
            silence()
        differing = self.same.differences()
        if differing:
            raise HdpAuditError(_refusal("a worker that took work", differing))
        return shielded(self.function, item)


def _result(distributed: Any, future: Any, lost: Lost, item: Any) -> Any:
    try:
        return future.result()
    except (Escaped, distributed.scheduler.KilledWorker):
        return lost(item, Fate())
    except (CancelledError, asyncio.CancelledError) as why:
        raise HdpAuditError(f"executor dask: the cluster gave the work up ({why}); --resume goes on") from None


def _refuse_others(client: Any, same: Fingerprint) -> None:
    """Before any work is sent: what each worker lacks, all at once."""
    try:
        found: Mapping[str, Any] = client.run(same.differences, on_error="return")
    except Exception as why:
        raise HdpAuditError(f"executor dask: the workers cannot be asked what they have ({why})") from None
    differing = {
        worker: [f"no answer: {type(lines).__name__}: {lines}"] if isinstance(lines, BaseException) else lines
        for worker, lines in found.items()
    }
    refused = [_refusal(f"worker {worker}", lines) for worker, lines in differing.items() if lines]
    if refused:
        raise HdpAuditError("\n".join(refused))


def _refusal(who: str, differing: list[str]) -> str:
    return (
        f"executor dask: {who} differs ({'; '.join(differing)}); "
        "give every worker the same hdp-audit, the same packages and the same files"
    )


def _library() -> Any:
    try:
        return __import__("distributed")
    except ImportError:
        raise HdpAuditError("executor dask needs an extra: pip install 'hdp-audit[dask]'") from None


def _client(distributed: Any, address: str | None, jobs: int) -> Any:
    try:
        if address is not None:
            return distributed.Client(address, timeout="10s")
        return distributed.Client(n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0")
    except (OSError, ValueError, TypeError) as why:
        raise HdpAuditError(f"executor dask: no cluster at {address or 'this machine'} ({why})") from None
