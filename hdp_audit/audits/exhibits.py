"""What a counterexample was made of, kept for somebody who asked: both datasets and the rule, as numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from hdp_audit.distinguishers.plain import Rule
from hdp_audit.model.counterexample import Counterexample
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.model.traced import TracedLoss


@dataclass(frozen=True, eq=False)
class Exhibit:
    """`rule` is None where the event cannot be written in a few lines of numbers."""

    found: Counterexample | TracedLoss
    pair: NeighbourPair
    rule: Rule | None


_kept: ContextVar[list[Exhibit] | None] = ContextVar("kept", default=None)


@contextlib.contextmanager
def keeping() -> Iterator[list[Exhibit]]:
    """All counterexamples that are made while this is open."""
    found: list[Exhibit] = []
    token = _kept.set(found)
    try:
        yield found
    finally:
        _kept.reset(token)


def asked() -> bool:
    """Whether anybody keeps them."""
    return _kept.get() is not None


def keep(exhibit: Exhibit) -> None:
    """For whoever asked."""
    found = _kept.get()
    if found is not None:
        found.append(exhibit)
