"""Hands that help with a request: whoever has nothing else to do makes some of its chunks, and tells what came out.

Chunks go out in bundles. A bundle that nobody began can be taken back; so whoever asks never waits for help that does
not come. What a bundle gives does not depend on who makes it.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets.chunks import Chunk
from hdp_audit.targets.failures import ENDED, LATE
from hdp_audit.targets.leftovers import fresh_generators
from hdp_audit.targets.subject import Known, Subject, here
from hdp_audit.targets.timing import Stopwatch

Floats = NDArray[np.float64]
Made = tuple[Floats, float] | None  # a table and the seconds that it took; None where something was learned


class Crew(Protocol):
    """Hands elsewhere, for one request at a time."""

    def offer(self, opening: bytes, bundles: Sequence[bytes]) -> None:
        """Work to be done: how a subject is opened, and bundles of chunks."""
        ...

    def withdrawn(self) -> int | None:
        """The first bundle that nobody began, which is the caller's from now on; None where there is none."""
        ...

    def finished(self) -> tuple[int, list[Made]]:
        """Wait for a bundle that somebody began, and for what came of it; an empty list where they died."""
        ...

    def dismiss(self) -> None:
        """Whatever is still out there is of no use any more."""
        ...


@dataclass(frozen=True, eq=False)
class Bundle:
    """Chunks, and what whoever makes them has to know."""

    known: Known
    chunks: Sequence[Chunk]

    def made(self, subject: Subject) -> list[Made]:
        """By a subject of one's own."""
        return [made_knowing(subject, chunk, self.known) for chunk in self.chunks]


def made_knowing(subject: Subject, chunk: Chunk, known: Known) -> Made:
    """A table that nothing was learned from, so that whoever asked would have made the same; else None."""
    subject.take(known)
    calls, watch = subject.calls, Stopwatch()
    (table,) = here(subject, [chunk])
    plain = is_plain(table) and subject.known == known and subject.calls == calls
    subject.calls = calls
    subject.take(known)
    return (table, watch.seconds) if plain else None


_one_at_a_time = threading.Lock()  # a worker of a cluster may have several threads, and a mechanism is made for one


def is_plain(table: Floats) -> bool:
    """Whether no call failed by accident: what the system did to one call it need not do to the next."""
    return not np.isin(table[:, -1], (LATE, ENDED)).any()


def helped(opening: bytes, bundle: bytes) -> list[Made]:
    """What a hand does."""
    work: Bundle = pickle.loads(bundle)  # noqa: S301 - from a process of ours
    with _one_at_a_time:
        return work.made(_subject(opening))


@lru_cache(maxsize=1)
def _subject(opening: bytes) -> Subject:
    """Opened once for many bundles; another one takes its place."""
    opened: Callable[[], Subject] = pickle.loads(opening)  # noqa: S301 - from a process of ours
    fresh_generators()
    return opened()
