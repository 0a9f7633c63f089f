"""What a worker is doing, in memory that it shares with whoever watches it: which call, and until when it may take.

The watcher sits outside (`watcher.py`), so no call can hold it up: not by code in C, nor by catching what is raised.
A call that took its process down is known by its chunk and its number. When the work is done again it is not made
but fails at once: an outcome like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import _exit, getpid  # by their own names: a mechanism may replace os.getpid, or time.monotonic
from time import monotonic_ns
from typing import Any

from hdp_audit.targets.call_ends import CallDied, CallEndedLate
from hdp_audit.targets.fate import LATE, LOADING, PATIENCE, Call, Fate, Why
from hdp_audit.targets.orphans import die_with_parent, orphaned

SLOTS = 256  # workers that one pool starts, with those that take the place of the dead
WIDTH = 6
PROCESS, UNTIL, CHUNK, NUMBER, LOADS, ALLOWED = range(WIDTH)
TIMES, LEAST = 10.0, 20.0  # a call's time, and seconds at least, for loading
OUTSIDE = 0  # the chunk of calls that belong to none


class Beats:
    """Room for all workers of a pool; picklable while they are started."""

    def __init__(self, context: Any) -> None:
        self.cells = context.RawArray("q", SLOTS * WIDTH)
        self._taken = context.Value("q", 0)

    def slot(self) -> memoryview | None:
        """In a worker: one that nobody else has; None where all are taken, and nobody watches."""
        with self._taken.get_lock():
            number = int(self._taken.value)
            self._taken.value += 1
        return None if number >= SLOTS else self._row(number)

    def rows(self) -> Iterator[memoryview]:
        """Of all workers so far."""
        for number in range(min(int(self._taken.value), SLOTS)):
            yield self._row(number)

    def _row(self, number: int) -> memoryview:
        whole = memoryview(self.cells).cast("B").cast("q")
        return whole[number * WIDTH : (number + 1) * WIDTH]


class Pulse:
    """Of this process: where it stands in its work, and which calls of it are not to be made again."""

    def __init__(self) -> None:
        self.slot: memoryview = memoryview(bytearray(8 * WIDTH)).cast("q")
        self.watched = False
        self.fatal: dict[Call, Fate] = {}
        self.met = 0  # of these, since the work began
        self.unreadable = 0  # texts that took for ever
        self._outside = 0

    def attend(self, slot: memoryview | None) -> None:
        """From now on somebody watches."""
        if slot is not None:
            self.slot, self.watched = slot, True
            slot[PROCESS] = getpid()

    def begin(self, fatal: Mapping[Call, Fate]) -> None:
        """Another piece of work."""
        self.fatal, self.met, self._outside = dict(fatal), 0, 0
        self.slot[UNTIL] = self.slot[CHUNK] = self.slot[NUMBER] = 0

    def enter(self, chunk: int) -> None:
        """Calls are numbered within their chunk, as anybody may make it."""
        if self.slot[CHUNK] == OUTSIDE:
            self._outside = self.slot[NUMBER]
        self.slot[CHUNK] = chunk
        self.slot[NUMBER] = self._outside if chunk == OUTSIDE else 0

    @contextmanager
    def within(self, chunk: int) -> Iterator[None]:
        """The body makes this chunk."""
        self.enter(chunk)
        try:
            yield
        finally:
            self.enter(OUTSIDE)

    def call(self, seconds: float) -> None:
        """One begins, which may take so long; it raises at once where it is known to be the end of its process."""
        slot = self.slot
        slot[NUMBER] += 1
        if self.fatal:
            self._refuse(Call(slot[CHUNK], slot[NUMBER]))
        slot[ALLOWED] = allowed = int(seconds * 1e9)
        slot[UNTIL] = monotonic_ns() + allowed

    def rest(self) -> None:
        """It is over."""
        self.slot[UNTIL] = 0

    @property
    def given_up(self) -> bool:
        """Whether so many calls ended their process that none is made any more."""
        return self.met >= PATIENCE

    def _refuse(self, call: Call) -> None:
        fate = self.fatal.get(call)
        if fate is not None:
            self.met += 1
            raise CallEndedLate(fate.words) if fate.why == LATE else CallDied(fate.words)


pulse = Pulse()


@contextmanager
def loading(timeout: float) -> Iterator[None]:
    """The body loads what is audited; where somebody watches, it may take ten times as long as a call."""
    slot, process = pulse.slot, getpid()
    if pulse.watched:
        die_with_parent()
        if orphaned():
            _exit(1)  # else a mechanism that kills its parent would kill the run
    slot[LOADS], slot[ALLOWED] = 1, int(loading_time(timeout) * 1e9)
    slot[UNTIL] = monotonic_ns() + slot[ALLOWED]
    try:
        yield
    finally:
        if getpid() != process:  # it has forked, and both of them came back
            _exit(0)
        slot[UNTIL] = slot[LOADS] = 0


@contextmanager
def reading(seconds: float) -> Iterator[None]:
    """The body asks an output or an exception what it is, which belongs to the call that it came from."""
    slot = pulse.slot
    slot[ALLOWED], before = int(seconds * 1e9), slot[UNTIL]
    slot[UNTIL] = monotonic_ns() + slot[ALLOWED]
    try:
        yield
    finally:
        slot[UNTIL] = before


def loading_time(timeout: float) -> float:
    """Seconds, for libraries that take long."""
    return max(TIMES * timeout, LEAST)


def fate_of(row: memoryview, why: Why) -> Fate:
    """What came to the worker of this row."""
    during = Call(row[CHUNK], row[NUMBER]) if row[LOADS] == 0 else LOADING
    return Fate(why, during if row[UNTIL] else None, row[ALLOWED] / 1e9)
