"""A Dask cluster, by the extra `dask`, that makes bundles of chunks: only workers with our code, versions and files.

Workers may come and go: a bundle whose worker is gone is made again by another. A cluster that adapts is shown that
there is work, and may let everybody go while there is none. Where the scheduler is gone, or work has been out for a
while without any worker, the run ends and says so; `--resume` goes on.
"""

from __future__ import annotations

import contextlib
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets.cluster_task import Lacks, Task, refusal
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.parcel import Parcel, parcel_of, without_folder
from hdp_audit.targets.requests import Request
from hdp_audit.targets.sources import combined

WAITING = 60.0  # seconds for a first worker, and for one to come back
AHEAD = 2  # bundles for each thread of the cluster, so that none waits for the next one to travel
LOOK = 1.0  # seconds between looks at how many there are
NOTHING = pickle.dumps([])


@contextlib.contextmanager
def dask(address: str | None, jobs: int, same: Fingerprint, tell: Callable[[str], object] = len) -> Iterator[Cluster]:
    """The cluster at the address, or one on this machine with so many workers."""
    distributed, parcel = _library(), parcel_of(same)
    task = Task(same, frozenset(parcel.files), combined(same.files))
    with _client(distributed, address, jobs) as client:
        _wait_for_workers(client, address, tell)
        _refuse_others(client, task)
        with contextlib.closing(Cluster(distributed, client, task, parcel)) as cluster:
            yield cluster


@dataclass(eq=False)
class Cluster:
    """Hands elsewhere. Dask's own thread rings the bell; everything else happens in the thread that asks."""

    distributed: Any
    client: Any
    task: Task
    parcel: Parcel
    bell: Connection = field(init=False)
    _ring: Connection = field(init=False)
    _done: deque[tuple[Request, int, object]] = field(default_factory=deque)
    _out: int = 0
    _room: int = 0
    _looked: float = 0.0
    _seen: float = field(default_factory=time.monotonic)
    _invitation: Any = None  # a task that nobody needs, so that a cluster which adapts starts a worker

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
        """Have it made."""
        self._out += 1
        self._send(request, place)

    def came(self) -> Iterator[tuple[Request, int, bytes]]:
        """What is back; a bundle that nobody there could make is made by whoever asked."""
        while self.bell.poll():
            self.bell.recv_bytes()
            request, place, found = self._done.popleft()
            if isinstance(found, Lacks):
                self._send(request, place, self.parcel, workers=[found.worker], allow_other_workers=True)
                continue
            self._out -= 1
            yield request, place, self._tables(found)

    def close(self) -> None:
        """Nothing of it is needed any more."""
        self.bell.close()
        self._ring.close()

    def _send(self, request: Request, place: int, *parcel: Parcel, **where: Any) -> None:
        """Dask takes calls for pure unless told otherwise."""
        sources = self.task.same.sources
        opening = request.opening if sources is None else without_folder(request.opening, sources.folder)
        future = self.client.submit(self.task, opening, request.bundles[place], *parcel, pure=False, **where)
        future.add_done_callback(lambda done: self._back(request, place, done))

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
        if isinstance(found, Exception) and "No module named" in str(found):  # Dask may tell of it by another class
            raise HdpAuditError(refusal("a worker that took work", [_reason(found)]))
        if self.client.status not in ("running", "connecting"):
            raise HdpAuditError(_gone(f"the scheduler is gone ({type(found).__name__})"))
        return NOTHING

    def _look(self, now: float) -> None:
        """How many threads there are. Work that is out, and no thread for a while: it is no cluster any more."""
        self._looked, answered = now, False
        with contextlib.suppress(Exception):  # a scheduler that does not answer is asked again
            self._room = 0
            self._room = sum(int(worker["nthreads"]) for worker in _workers(self.client).values())
            self._invitation = None if self._room else self._invitation or _invited(self.client)
            answered = self.client.status == "running"
        if self._room or (answered and not self._out):
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


def _invited(client: Any) -> Any:
    """A task for whoever comes: clusters that adapt start a worker when there is something to do."""
    return client.submit(int, pure=False)


def _wait_for_workers(client: Any, address: str | None, tell: Callable[[str], object]) -> None:
    try:
        if not _workers(client):
            tell(f"executor dask: the cluster has no worker yet; waiting for one, {WAITING:g} s at most")
        _invited(client).result(timeout=WAITING)
    except Exception:
        where = address or "this machine"
        raise HdpAuditError(
            f"executor dask: the cluster at {where} has no worker, and none came within {WAITING:g} s; start one with: "
            f"dask worker {where}"
        ) from None


def _refuse_others(client: Any, task: Task) -> None:
    """Before any work is sent: what each worker lacks, all at once."""
    try:
        found: Mapping[str, Any] = client.run(task.differences, on_error="return")
    except Exception as why:
        raise HdpAuditError(f"executor dask: the workers cannot be asked what they have ({why})") from None
    differing = {
        worker: [_reason(lines)] if isinstance(lines, BaseException) else lines
        for worker, lines in found.items()
        if not isinstance(lines, OSError)  # it has left meanwhile; if it comes back it looks again before it works
    }
    refused = [refusal(f"worker {worker}", lines) for worker, lines in differing.items() if lines]
    if refused:
        raise HdpAuditError("\n".join(refused))


def _reason(why: BaseException) -> str:
    """Why a worker cannot even look."""
    return f"no answer: {type(why).__name__}: {why}"


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
