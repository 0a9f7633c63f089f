"""Chunks of a check, by whoever has time, and none of them twice: kept tables, idle hands elsewhere, and this process.

Which table comes out is fixed by the request. Time decides two things only: who makes it, and whether it is kept.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets.chunks import Chunk
from hdp_audit.targets.crew import Bundle, Crew, Made, is_plain, made_knowing
from hdp_audit.targets.kept import Kept
from hdp_audit.targets.keys import Keys
from hdp_audit.targets.subject import Known, Subject, here
from hdp_audit.targets.timing import Stopwatch

Floats = NDArray[np.float64]

SLOW = 0.05  # seconds of work that are worth the words to hand it over
BUNDLE = 0.03  # seconds of work in a bundle, unless one chunk takes longer
WRITING = 2e7  # bytes a second: a table is kept if making it took longer than writing it
RECORD = 1000  # bytes that every record costs, whatever its table


@dataclass(frozen=True)
class Opened:
    """How a subject is opened, and then put in other terms."""

    opened: Callable[[], Subject]
    terms: Callable[[Subject], Subject]

    def __call__(self) -> Subject:
        """Anew."""
        return self.terms(self.opened())


@dataclass
class Shared:
    """A maker of tables. `kept`: where they are kept, if anywhere. `crew`: who helps, if anybody."""

    opened: Callable[[], Subject]  # how whoever helps gets a subject like this one
    kept: Kept | None = None
    crew: Crew | None = None
    _keys: Keys = field(default_factory=Keys)
    _pace: dict[object, float] = field(default_factory=dict)  # seconds for a call, by the way of calling
    _opening: bytes | None = None

    def __call__(self, subject: Subject, chunks: Sequence[Chunk]) -> Iterator[Floats]:
        """Their tables in order."""
        deal: Deal | None = None
        try:
            for number, chunk in enumerate(chunks):
                table = self._known(subject, chunk)
                if table is None and deal is None and self.crew is not None and number + 1 < len(chunks):
                    deal = self._dealt(self.crew, subject, chunks, number)
                if table is None and deal is not None:
                    table = deal.table(number, subject)
                yield self._made(subject, chunk) if table is None else table
        finally:
            if deal is not None:
                deal.crew.dismiss()

    def beside(self, terms: Callable[[Subject], Subject]) -> Shared:
        """For a subject in other terms."""
        return replace(self, opened=Opened(self.opened, terms), _opening=None)

    def alone(self) -> Shared:
        """Without help."""
        return replace(self, crew=None)

    def keep(self, chunk: Chunk, known: Known, table: Floats, seconds: float) -> None:
        """If making it took longer than writing it does."""
        if self.kept is None or seconds * WRITING < table.nbytes + RECORD:
            return
        key = self._keys(chunk, known)
        if key is not None:
            self.kept.add(key, table, seconds)

    def _known(self, subject: Subject, chunk: Chunk) -> Floats | None:
        """What an earlier run made of it."""
        if not self.kept:
            return None
        key = self._keys(chunk, subject.known)
        return None if key is None else self.kept.get(key)

    def _made(self, subject: Subject, chunk: Chunk) -> Floats:
        """Here and now, with whatever is learned from it."""
        known, calls, watch = subject.known, subject.calls, Stopwatch()
        (table,) = here(subject, [chunk])
        seconds = watch.seconds
        self._pace[_way(subject, chunk)] = seconds / max(chunk.size, 1)
        if is_plain(table) and subject.known == known and subject.calls == calls:
            self.keep(chunk, known, table, seconds)
        return table

    def _dealt(self, crew: Crew, subject: Subject, chunks: Sequence[Chunk], first: int) -> Deal | None:
        """The rest of a request offered to others, where it takes long enough."""
        pace = self._pace.get(_way(subject, chunks[first]))
        rest = [number for number in range(first, len(chunks)) if self._known(subject, chunks[number]) is None]
        if pace is None or pace * sum(chunks[number].size for number in rest) < SLOW:
            return None
        known, bundles = subject.known, list(_bundles(chunks, rest, pace))
        try:
            if self._opening is None:
                self._opening = pickle.dumps(self.opened)
            packed = [pickle.dumps(Bundle(known, [chunks[number] for number in some])) for some in bundles]
        except Exception:  # data of any kind, which need not fit through a pipe
            self.crew = None
            return None
        crew.offer(self._opening, packed)
        return Deal(crew, self, known, chunks, bundles)


@contextlib.contextmanager
def in_order(subject: Subject) -> Iterator[None]:
    """All calls by this process, one after the other; where each call is a process of its own, nothing is changed."""
    maker = subject.maker
    if isinstance(maker, Shared) and subject.process != "each":
        subject.maker = maker.alone()
    try:
        yield
    finally:
        subject.maker = maker


@dataclass
class Deal:
    """A request of which others may make a part."""

    crew: Crew
    maker: Shared
    known: Known
    chunks: Sequence[Chunk]
    bundles: list[list[int]]
    _found: dict[int, Floats] = field(default_factory=dict)
    _left: set[int] = field(default_factory=set)  # numbers of bundles that are out there

    def __post_init__(self) -> None:
        self._left = set(range(len(self.bundles)))

    def table(self, number: int, subject: Subject) -> Floats | None:
        """Wait for it, and work meanwhile; None where it is to be made here."""
        if not subject.known.allows(self.known):
            return None
        while number not in self._found and any(number in self.bundles[place] for place in self._left):
            own = self.crew.withdrawn()
            if own is None:
                self._heard(*self.crew.finished())
                continue
            self._left.discard(own)
            if number not in self.bundles[own]:  # its turn comes later
                for other in self.bundles[own]:
                    self._note(other, made_knowing(subject, self.chunks[other], subject.known))
        return self._found.pop(number, None)

    def _heard(self, place: int, tables: list[Made]) -> None:
        self._left.discard(place)
        for number, made in zip(self.bundles[place], tables, strict=False):
            self._note(number, made)

    def _note(self, number: int, made: Made) -> None:
        if made is not None:
            self._found[number] = made[0]
            self.maker.keep(self.chunks[number], self.known, *made)


def _bundles(chunks: Sequence[Chunk], numbers: list[int], pace: float) -> Iterator[list[int]]:
    """Neighbours together, until they take long enough."""
    some: list[int] = []
    for number in numbers:
        some.append(number)
        if pace * sum(chunks[one].size for one in some) >= BUNDLE:
            yield some
            some = []
    if some:
        yield some


def _way(subject: Subject, chunk: Chunk) -> object:
    return type(chunk), subject.has_batches, subject.has_tables
