"""How a worker came to its end, and during what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Why = Literal["late", "died"]
LATE: Why = "late"
DIED: Why = "died"
ENDED_IT = "the mechanism ended it, or memory ran out"
PATIENCE = 3  # calls that end their process, after which no more are made


class Call(NamedTuple):
    """By its place in its work: the chunk, and the number in the chunk."""

    chunk: int
    number: int


LOADING = Call(0, 0)


@dataclass(frozen=True)
class Fate:
    """Why a worker ended; `during`: a call, the loading of what is audited, or None between calls."""

    why: Why = DIED
    during: Call | None = None
    seconds: float = 0.0  # that it might have taken

    @property
    def words(self) -> str:
        """What happened in a call, for a finding."""
        if self.why == LATE:
            return f"took longer than {self.seconds:g} s and did not stop when it was told to, so its process was ended"
        return f"the process died: {ENDED_IT}"

    @property
    def by_a_call(self) -> bool:
        """Whether the work may be done again without the call that ended it."""
        return self.during is not None and self.during != LOADING
