"""The ways in which a call can fail: each is an output symbol of its own, and a finding in words."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass
from typing import Any

from hdp_audit.targets.frames import frames_of, last_of
from hdp_audit.targets.interrupts import AskedToEnd

FINE, RAISED, NOT_FINITE, WRONG_SHAPE, LATE, WRONG_TYPE, ENDED = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0
WORDS = {
    RAISED: "the mechanism raised an exception",
    NOT_FINITE: "the mechanism returned NaN or infinity",
    WRONG_SHAPE: "the mechanism returned the wrong shape",
    LATE: "the mechanism did not answer in time",
    WRONG_TYPE: "the mechanism returned the wrong type",
    ENDED: "the process ended without an answer",
}

NAMES = {
    RAISED: "raised",
    NOT_FINITE: "not-finite",
    WRONG_SHAPE: "wrong-shape",
    LATE: "late",
    WRONG_TYPE: "wrong-type",
    ENDED: "ended",
}
KEPT_BACK = "what it said is kept back, as it may tell data; call the mechanism by hand on your data to see it"
NOTHING = "none: the process ended"
LONGEST = 1000  # letters of what an exception says


class CallTimeout(Exception):
    """A call that took longer than its limit."""


class CallEndedLate(CallTimeout):
    """One that could be ended only with its process."""


class CallDied(Exception):
    """A call that ended its process."""


class ProgramError(Exception):
    """A request that got no usable answer; the message says what the program did, with the end of its stderr."""


class ProgramLate(ProgramError, CallTimeout):
    """A request that got no answer in time."""


class ProgramEnded(ProgramError):
    """A request during which the program ended."""


class WrongShape(Exception):
    """An output of another shape than was asked for."""

    kind = WRONG_SHAPE

    def __init__(self, message: str, output: Any) -> None:
        super().__init__(message)
        self.output = output


class WrongCount(WrongShape):
    """More or fewer outputs than were asked for: an outcome of all of them, as their number may tell data."""


class WrongType(WrongShape):
    """An output whose type would lose something on its way into a number, or that cannot be told from another."""

    kind = WRONG_TYPE


@dataclass(frozen=True)
class Failure:
    """The first offending call of a kind: what happened, what went in, and what came out."""

    kind: float
    message: str
    data: Any
    output: Any
    accident: bool = False  # of a process or of time: it may not happen again
    says_who: bool = False  # whether the message itself says what the program did
    frames: tuple[str, ...] = ()  # of the exception, the innermost last

    @property
    def words(self) -> str:
        """What the mechanism did, without anything that came from it."""
        return WORDS[self.kind]

    @property
    def sentence(self) -> str:
        """A program says itself what it did; of a function it has to be added, with where."""
        where = f" ({last_of(self.frames)})" if self.frames else ""
        return self.message if self.says_who else f"{self.words}: {self.message}{where}"

    def told(self, *, private: bool) -> str:
        """The sentence; with the user's own data in play only our words: all that comes from a call may tell data."""
        return f"{self.words}; {KEPT_BACK}" if private else self.sentence


def failure_of(why: BaseException, data: Any) -> Failure:
    """An exception as a failure, whatever its class; only a Ctrl-C goes on."""
    if may_be_ctrl_c(why):
        raise why
    if isinstance(why, WrongShape):
        return Failure(why.kind, str(why), data, why.output)
    ended = isinstance(why, (ProgramEnded, CallDied))
    kind = LATE if isinstance(why, CallTimeout) else ENDED if ended else RAISED
    told = isinstance(why, (ProgramError, CallTimeout, CallDied))
    words = text_of(why) if told else f"{words_of(why)}{_noted(why)}"
    frames = () if told else frames_of(why)
    output = NOTHING if isinstance(why, CallDied) else words
    return Failure(
        kind, words, data, output, accident=told, says_who=isinstance(why, (ProgramError, CallDied)), frames=frames
    )


def words_of(why: BaseException) -> str:
    """Its class and its text, whatever either does when it is asked."""
    return f"{class_of(why)}: {text_of(why)}"


def class_of(why: BaseException) -> str:
    """The name of its class, which may raise as well."""
    return str(type.__dict__["__name__"].__get__(type(why)))[:LONGEST]


def text_of(why: BaseException) -> str:
    """The text of an exception, which may itself raise one."""
    try:
        return str(why)[:LONGEST]
    except BaseException as again:
        if may_be_ctrl_c(again):
            raise
        return "(its text cannot be read)"


def _noted(why: BaseException) -> str:
    """What was added to it (`add_note`)."""
    try:
        return "".join(f"; {note}" for note in vars(why).get("__notes__", []))[:LONGEST]
    except Exception:  # an exception may be anything
        return ""


def may_be_ctrl_c(why: BaseException) -> bool:
    """A KeyboardInterrupt in the main thread of a process that listens to SIGINT: the user's, as far as can be told.

    Workers ignore SIGINT, so there it is the mechanism's own, and a failed call like any other. A request to end is
    heard everywhere: what a shell starts in the background ignores SIGINT, too.
    """
    if isinstance(why, AskedToEnd):
        return True
    if not isinstance(why, KeyboardInterrupt) or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
