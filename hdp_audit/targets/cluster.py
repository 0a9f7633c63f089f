"""A Dask cluster, by the extra `dask`, that makes bundles of chunks: only workers with our code, versions and files.

Workers may come and go: a bundle whose worker is gone is made again by another. Where the scheduler is gone, or no
worker has been there for a while, the run ends and says so; `--resume` goes on.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets.crew import helped
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.requests import Request
from hdp_audit.targets.shield import shielded
from hdp_audit.targets.silence import silence

WAITING = 60.0  # seconds for a first worker, and for one to come back
AHEAD = 2  # bundles for each thread of the cluster, so that none waits for the next one to travel
LOOK = 1.0  # seconds between looks at how many there are
NOTHING = pickle.dumps([])


@contextlib.contextmanager
def dask(address: str | None, jobs: int, same: Fingerprint) -> Iterator[Cluster]:
    """The cluster at the address, or one on this machine with so many workers."""
    distributed = _library()
    with _client(distributed, address, jobs) as client:
        _wait_for_workers(client, address)
        _refuse_others(client, same)
        # Workers of a cluster of our own write to our terminal; those at an address have logs of their own.
        with contextlib.closing(Cluster(distributed, client, _Same(same, quiet=address is None))) as cluster:
            yield cluster


@dataclass(frozen=True)
class _Same:
    """A task that looks where it is before it works: workers may join, or be renewed, at any time."""

    same: Fingerprint
    quiet: bool

    def __call__(self, opening: bytes, bundle: bytes) -> bytes | str:
        """Pickled tables, or why there are none: an exception would fill the logs of the cluster."""
        if self.quiet:
            silence()
        differing = self.same.differences()
        if differing:
            return _refusal("a worker that took work", differing)
        return pickle.dumps(shielded(lambda _: helped(opening, bundle), None))


@dataclass(eq=False)
class Cluster:
    """Hands elsewhere. Dask's own thread rings the bell; everything else happens in the thread that asks."""

    distributed: Any
    client: Any
    task: _Same
    bell: Connection = field(init=False)
    _ring: Connection = field(init=False)
    _done: deque[tuple[Request, int, object]] = field(default_factory=deque)
    _out: int = 0
    _room: int = 0
    _looked: float = 0.0
    _seen: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.bell, self._ring = Pipe(duplex=False)

    @property
    def free(self) -> bool:
        """Whether there are fewer bundles out there than its threads can take."""
        now = time.monotonic()
        if now - self._looked > LOOK:
            self._look(now)
        return self._out < AHEAD * self._room

    def begin(self, request: Request, place: int) -> None:
        """Have it made. Dask takes calls for pure unless told otherwise."""
        future = self.client.submit(self.task, request.opening, request.bundles[place], pure=False)
        self._out += 1
        future.add_done_callback(lambda done: self._back(request, place, done))

    def came(self) -> Iterator[tuple[Request, int, bytes]]:
        """What is back; a bundle that nobody there could make is made by whoever asked."""
        while self.bell.poll():
            self.bell.recv_bytes()
            request, place, found = self._done.popleft()
            self._out -= 1
            yield request, place, self._tables(found)

    def close(self) -> None:
        """Nothing of it is needed any more."""
        self.bell.close()
        self._ring.close()

    def _back(self, request: Request, place: int, future: Any) -> None:
        """In Dask's thread, as it takes a while until a result is here."""
        try:
            found = future.result(timeout=WAITING)
        except BaseException as why:
            found = why
        self._done.append((request, place, found))
        with contextlib.suppress(OSError):
            self._ring.send_bytes(b".")

    def _tables(self, found: object) -> bytes:
        """What a worker sent, or nothing: whoever asked makes it then."""
        if isinstance(found, bytes):
            return found
        if isinstance(found, str):
            raise HdpAuditError(found)
        if self.client.status not in ("running", "connecting"):
            raise HdpAuditError(_gone(f"the scheduler is gone ({type(found).__name__})"))
        return NOTHING

    def _look(self, now: float) -> None:
        """How many threads there are. A cluster without any for a while is none."""
        self._looked = now
        with contextlib.suppress(Exception):  # a scheduler that does not answer is asked again
            self._room = 0
            self._room = sum(int(worker["nthreads"]) for worker in _workers(self.client).values())
        if self._room:
            self._seen = now
        elif now - self._seen > WAITING:
            raise HdpAuditError(_gone(f"no worker, or no answer of the scheduler, for {WAITING:g} s"))


def _workers(client: Any) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = client.scheduler_info(n_workers=-1)["workers"]
    except TypeError:  # an older Dask, which tells of all anyway
        found = client.scheduler_info()["workers"]
    return found


def _gone(what: str) -> str:
    return f"executor dask: {what}; what was done is saved, --resume goes on"


def _wait_for_workers(client: Any, address: str | None) -> None:
    try:
        client.wait_for_workers(1, timeout=WAITING)
    except Exception:
        where = address or "this machine"
        raise HdpAuditError(
            f"executor dask: the cluster at {where} has no worker, and none came within {WAITING:g} s; start one with: "
            f"dask worker {where}"
        ) from None


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
