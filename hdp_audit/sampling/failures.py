"""The ways in which a call can fail: each is an output symbol of its own, and a finding in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FINE, RAISED, NOT_FINITE, WRONG_SHAPE, LATE = 0.0, 1.0, 2.0, 3.0, 4.0
WORDS = {
    RAISED: "the mechanism raised an exception",
    NOT_FINITE: "the mechanism returned NaN or infinity",
    WRONG_SHAPE: "the mechanism returned the wrong shape",
    LATE: "the mechanism did not answer in time",
}

NAMES = {RAISED: "raised", NOT_FINITE: "not-finite", WRONG_SHAPE: "wrong-shape", LATE: "late"}


class CallTimeout(Exception):
    """A call that took longer than its limit."""


class ProgramError(Exception):
    """A request that got no usable answer; the message says what the program did, with the end of its stderr."""


class ProgramLate(ProgramError, CallTimeout):
    """A request that got no answer in time."""


class WrongShape(Exception):
    """An output of another shape than the first one had."""

    def __init__(self, message: str, output: Any) -> None:
        super().__init__(message)
        self.output = output


@dataclass(frozen=True)
class Failure:
    """The first offending call of a kind: what happened, what went in, and what came out."""

    kind: float
    message: str
    data: Any
    output: Any
    accident: bool = False  # of a process or of time: it may not happen again

    @property
    def words(self) -> str:
        """What the mechanism did, without anything that came from it."""
        return WORDS[self.kind]

    @property
    def sentence(self) -> str:
        """A program says itself what it did; of a function it has to be added."""
        return self.message if self.message.startswith("the program ") else f"{self.words}: {self.message}"


def failure_of(why: BaseException, data: Any) -> Failure:
    """An exception as a failure."""
    if isinstance(why, WrongShape):
        return Failure(WRONG_SHAPE, str(why), data, why.output)
    kind = LATE if isinstance(why, CallTimeout) else RAISED
    told = isinstance(why, (ProgramError, CallTimeout))
    words = str(why) if told else f"{type(why).__name__}: {why}"
    return Failure(kind, words, data, words, accident=told)
