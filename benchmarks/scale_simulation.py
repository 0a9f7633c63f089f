"""What cannot be had here: a thousand workers, simulated event by event, and a billion users, extrapolated.

The requests of a real audit are recorded: of each check, how many calls come in which chunks, and the seconds that the
check itself takes between two requests. Owners run the checks, one at a time each; of a request that is worth it any
worker makes bundles of chunks, which are handed out one after the other. As in `hdp_audit.targets.sharing`.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hdp_audit import engine
from hdp_audit.audits.case import Case
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.named_tasks import named_task
from hdp_audit.targets.chunks import Chunk
from hdp_audit.targets.sharing import BUNDLE, SLOW, Shared
from hdp_audit.targets.subject import Subject, here

Row = dict[str, Any]
Request = tuple[float, list[int]]  # seconds before it, and the calls of its chunks

WORKERS = (1, 2, 10, 100, 1_000)
OWNERS = 8  # processes of the machine where the audit runs
HANDING = 1.5e-3  # seconds to hand out a bundle, where they are not measured
TASKS = 500  # by which they are measured
BILLION = 10**9


def mean(data: Any, epsilon: Any, rng: np.random.Generator) -> float:
    """A single call of next to no time."""
    return round(float(data.mean() + rng.laplace(0.0, 1.0 / (data.size * epsilon.min()))), 6)


def opened() -> Any:
    return mean


@dataclass
class Recorder:
    """The requests of the checks of one stage after another."""

    stages: list[list[list[Request]]] = field(default_factory=list)
    last: float = 0.0

    def __call__(self, subject: Subject, chunks: Sequence[Chunk]) -> Iterator[Any]:
        """In the place of whoever makes tables."""
        self.stages[-1][-1].append((time.process_time() - self.last, [chunk.size for chunk in chunks]))
        yield from here(subject, chunks)
        self.last = time.process_time()

    def each(self, run: Any, checks: Sequence[Any]) -> Iterator[Any]:
        """In the place of an executor."""
        self.stages.append([])
        for check in checks:
            self.stages[-1].append([])
            self.last = time.process_time()
            yield run(check)
            self.stages[-1][-1].append((time.process_time() - self.last, []))


def recorded(budget: int = 100_000, users: int = 40) -> list[list[list[Request]]]:
    """Stages of checks of requests, of an audit with four tiers of demands."""
    demands = PrivacyDemands.from_values(np.resize([0.1, 0.5, 1.0, 2.0], users))
    task, claim = named_task("mean", None, None), PrivacyClaim()
    case = Case.of(name="mean", opened=opened, demands=demands, task=task, privacy=claim)
    recorder, before = Recorder(), Shared.__call__
    Shared.__call__ = lambda _shared, *given: recorder(*given)  # type: ignore[method-assign]
    try:
        checks = engine.plan([case], confidence=0.95, budget=budget, seed=1)
        engine.run_checks(checks, each=recorder.each)
    finally:
        Shared.__call__ = before  # type: ignore[method-assign]
    return recorder.stages


@dataclass
class Simulation:
    """One stage, from when its first check begins to when its last one ends."""

    workers: int
    owners: int
    call: float  # seconds
    handing: float
    clock: float = 0.0
    desk: float = 0.0  # when the next bundle can be handed out
    busy: float = 0.0  # seconds of all workers in calls
    _events: list[tuple[float, int, Any]] = field(default_factory=list)
    _number: Iterator[int] = field(default_factory=itertools.count)
    _open: deque[tuple[Any, float]] = field(default_factory=deque)
    _idle: int = 0

    def run(self, checks: Sequence[Sequence[Request]]) -> float:
        """Its end; owners take one check after another."""
        self._idle = max(self.workers - self.owners, 0)
        waiting = deque(checks)
        for _ in range(min(self.owners, self.workers, len(checks))):
            self._go_on(self._owner(waiting))
        self._idle += max(min(self.owners, self.workers) - len(checks), 0)
        while self._events:
            self.clock, _, event = heapq.heappop(self._events)
            event()
        return self.clock

    def _owner(self, waiting: deque[Sequence[Request]]) -> Iterator[Any]:
        """Yields seconds to be away, or a request to be waited for."""
        while waiting:
            for before, chunks in waiting.popleft():
                yield before
                bundles = [self.call * calls for calls in self._bundles(chunks)]
                self.busy += sum(bundles)
                if len(bundles) < 2 or sum(bundles) < SLOW:
                    yield sum(bundles)
                    continue
                left = Left(len(bundles))
                self._open.extend((left, seconds) for seconds in bundles)
                self._hand_out()
                while left.count:
                    own = next((entry for entry in self._open if entry[0] is left), None)
                    if own is not None:
                        self._open.remove(own)
                        yield own[1]
                        left.count -= 1
                    else:
                        yield left
        self._idle += 1
        self._hand_out()

    def _bundles(self, chunks: Sequence[int]) -> Iterator[int]:
        some = 0
        for calls in chunks:
            some += calls
            if some * self.call >= BUNDLE:
                yield some
                some = 0
        if some:
            yield some

    def _hand_out(self) -> None:
        while self._idle and self._open:
            self._idle -= 1
            left, seconds = self._open.popleft()
            self.desk = max(self.clock, self.desk) + self.handing
            self._at(self.desk + seconds, lambda left=left: self._back(left))

    def _back(self, left: Left) -> None:
        self._idle += 1
        left.count -= 1
        if not left.count and left.owner is not None:
            self._go_on(left.owner)
        self._hand_out()

    def _go_on(self, owner: Iterator[Any]) -> None:
        told = next(owner, None)
        if isinstance(told, Left):
            told.owner = owner
        elif told is not None:
            self._at(self.clock + told, lambda: self._go_on(owner))

    def _at(self, when: float, event: Any) -> None:
        heapq.heappush(self._events, (when, next(self._number), event))


@dataclass(eq=False)
class Left:
    """Bundles of a request that are not back, and who waits for them."""

    count: int
    owner: Iterator[Any] | None = None


def simulated(seconds_a_call: float) -> Row:
    """The same audit with more and more workers."""
    stages, handing = recorded(), handing_out()
    split = [[[(before, [1] * sum(chunks)) for before, chunks in check] for check in stage] for stage in stages]
    rows: list[Row] = []
    alone = 0.0
    for workers in WORKERS:
        runs = [Simulation(workers, OWNERS, seconds_a_call, handing) for _ in stages]
        whole = sum(run.run(stage) for run, stage in zip(runs, stages, strict=True))
        busy = sum(run.busy for run in runs)
        single = sum(Simulation(workers, OWNERS, seconds_a_call, handing).run(stage) for stage in split)
        alone = alone or whole
        rows.append(
            {
                "workers": f"{workers:,}",
                "seconds simulated": round(whole, 2),
                "times as fast as one": round(alone / whole, 1),
                "of all workers' time in calls": f"{busy / whole / workers:.0%}",
                "were chunks single calls": round(alone / single, 1),
                "ms to hand out a bundle": round(1e3 * handing, 2),
            }
        )
    return {"rows": rows}


def handing_out() -> float:
    """Seconds for each of many tasks that do nothing, on a Dask cluster of this machine."""
    try:
        from distributed import Client
    except ImportError:
        return HANDING
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        client.submit(int, 0).result()
        started = time.perf_counter()
        client.gather(client.map(float, range(TASKS), pure=False))
        return (time.perf_counter() - started) / TASKS


def extrapolated(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    """From what the last users cost, seconds and bytes each: a billion."""
    found = []
    for kind in dict.fromkeys((row["command"], row["source"]) for row in rows):
        points = sorted((row["users"], row) for row in rows if (row["command"], row["source"]) == kind)
        points = [(users, row) for users, row in points if "processor" in row]
        if len(points) < 2:
            continue
        (few, small), (many, large) = points[-2:]
        each = max(large["processor"] - small["processor"], 0.0) / (many - few)
        room = max(large["memory, MiB"] - small["memory, MiB"], 0) / (many - few)
        found.append(
            {
                "command": kind[0],
                "source": kind[1],
                "µs a user": round(1e6 * each, 2),
                "bytes a user": round(room * 2**20),
                "minutes for a billion": round((large["processor"] + each * (BILLION - many)) / 60, 1),
                "GiB for a billion": round((large["memory, MiB"] + room * (BILLION - many)) / 1024, 1),
            }
        )
    return found


SIMULATED = {"simulated": simulated}
