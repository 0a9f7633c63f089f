"""What happens in a run, for whoever listens: the journal, the progress bar, the stopwatch, the list of outcomes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from hdp_audit.audits.share import Outcome

Stages = tuple[tuple[int, int], ...]  # one after the other: how many calls, and how many of them side by side


class Work(Protocol):
    """A piece of work with a name of its own: a check, or a chapter of the ledger."""

    @property
    def id(self) -> str:
        """Unique in a report."""
        ...


@dataclass(frozen=True)
class Began:
    """The run begins; these pieces of work are still to be done."""

    ids: tuple[str, ...]
    stages: Stages = ()  # about how many calls these take, where nothing is refuted
    titles: Mapping[str, str] = field(default_factory=dict)  # what people read, where it is not the id


@dataclass(frozen=True, eq=False)
class Finished:
    """One piece of work has its outcome."""

    work: Work
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class Retried:
    """A check was run again at a larger level, which other refuted claims left it, and has a new outcome."""

    work: Work
    outcome: Outcome


@dataclass(frozen=True)
class Ended:
    """The run is over, be it done or interrupted."""


Event = Began | Finished | Retried | Ended
Listener = Callable[[Event], None]


def unheard(_event: Event) -> None:
    """The listener of a run that nobody watches."""


@contextlib.contextmanager
def announced(
    ids: Iterable[str], emit: Listener, stages: Stages = (), titles: Mapping[str, str] | None = None
) -> Iterator[None]:
    """A run of these pieces of work, of about so many calls, from its beginning to its end, however it ends."""
    emit(Began(tuple(ids), stages, titles or {}))
    try:
        yield
    finally:
        emit(Ended())


def telling(*listeners: Listener) -> Listener:
    """One listener that passes every event on to these, in order."""

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return tell
