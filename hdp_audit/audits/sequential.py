"""Judge, confirm, measure: what every test of a claim does, whatever its evidence.

The first test keeps the promise about false alarms. What it refutes is tried once more on fresh draws, which guards
against accidents, and then measured; both beyond the budget, so that only who is about to be accused pays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Seen = TypeVar("Seen")


@dataclass(frozen=True, eq=False)
class Course(Generic[Seen]):
    """What was seen in each phase; nothing after the first where that refutes nothing."""

    judged: Seen
    confirmations: tuple[Seen, ...] = ()
    measured: Seen | None = None

    @property
    def confirmation(self) -> Seen | None:
        """The last one, which confirms the first test or fails to."""
        return self.confirmations[-1] if self.confirmations else None

    @property
    def last(self) -> Seen:
        """What was seen most recently."""
        return self.confirmation or self.judged


def sequential(
    judge: Callable[[], Seen],
    refutes: Callable[[Seen], bool],
    confirm: Sequence[Callable[[Course[Seen]], Seen]],
    measure: Callable[[Course[Seen]], Seen | None] | None = None,
    *,
    falls: Callable[[Seen], bool] = lambda _judged: False,
) -> Course[Seen]:
    """All phases that are due; each may look at those before it, and sees fresh draws.

    `falls`: what else makes the first test one to confirm (a level above the claim's own share).
    """
    course = Course(judge())
    if not refutes(course.judged) and not falls(course.judged):
        return course
    for once_more in confirm:
        course = replace(course, confirmations=(*course.confirmations, once_more(course)))
        if refutes(course.last):
            return course if measure is None else replace(course, measured=measure(course))
    return course


def drawn_until(
    sizes: Iterable[int],
    draw: Callable[[int], Floats],
    evidence: Callable[[Floats], Seen],
    log_wealth: Callable[[Seen], float],
    enough: Callable[[Seen], bool],
    nothing: Floats | None = None,
) -> tuple[Floats, Seen, float]:
    """Draws up to each of these sizes in turn, until what they say is enough, and the largest wealth at any look.

    `nothing`: no draws, in the shape of some; numbers unless given.
    """
    drawn, largest = np.zeros(0) if nothing is None else nothing, 0.0
    seen = evidence(drawn)
    for size in sizes:
        drawn = np.concatenate([drawn, draw(size - len(drawn))])
        seen = evidence(drawn)
        largest = max(largest, log_wealth(seen))
        if enough(seen):
            break
    return drawn, seen, largest


def looks(calls: int, first: int) -> Iterable[int]:
    """`first`, twice as many, and so on; at last all."""
    size = first
    while size < calls:
        yield size
        size *= 2
    yield max(calls, 1)
