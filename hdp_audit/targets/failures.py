"""The ways in which a call can fail: each is an output symbol of its own, and a finding in words."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hdp_audit.targets.alarm import at_most
from hdp_audit.targets.beats import pulse, reading
from hdp_audit.targets.call_ends import CallDied, CallTimeout
from hdp_audit.targets.fate import PATIENCE
from hdp_audit.targets.frames import frames_of, place_of
from hdp_audit.targets.interrupts import AskedToEnd
from hdp_audit.targets.spelling import spelled

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
READING = 5.0  # seconds for an object to tell its text
LONGEST = 1000  # letters of what an exception says


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


NO_LIST = "AttributeError: 'numpy.ndarray' object has no attribute"
OF_A_LIST = '; data come as an array, and as a list with input = "records" beside the range or labels in [domain]'


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
    where: str = ""  # the last of them in one line

    @property
    def words(self) -> str:
        """What the mechanism did, without anything that came from it."""
        return WORDS[self.kind]

    @property
    def sentence(self) -> str:
        """A program says itself what it did; of a function it has to be added, with where."""
        where = f" ({self.where})" if self.where else ""
        return self.message if self.says_who else f"{self.words}: {self.message}{where}"

    def told(self, *, private: bool) -> str:
        """The sentence; with the user's own data in play only our words: all that comes from a call may tell data."""
        return f"{self.words}; {KEPT_BACK}" if private else self.sentence


def failure_of(why: BaseException, data: Any) -> Failure:
    """An exception as a failure, whatever its class; only a Ctrl-C goes on."""
    if may_be_ctrl_c(why):
        raise why
    if _is_a(why, WrongShape):
        return Failure(why.kind, str(why), data, why.output)  # type: ignore[attr-defined]
    kind = LATE if _is_a(why, CallTimeout) else ENDED if _is_a(why, ProgramEnded, CallDied) else RAISED
    told, says_who = _is_a(why, ProgramError, CallTimeout, CallDied), _is_a(why, ProgramError, CallDied)
    words = text_of(why) if told else f"{words_of(why)}{_noted(why)}"
    if words.startswith(NO_LIST):
        words += OF_A_LIST
    output, frames = NOTHING if _is_a(why, CallDied) else words, () if told else frames_of(why)
    where = "" if told else place_of(why)
    return Failure(kind, words, data, output, accident=told, says_who=says_who, frames=frames, where=where)


def words_of(why: BaseException) -> str:
    """Its class and its text, whatever either does when it is asked."""
    return f"{class_of(why)}: {text_of(why)}"


def class_of(why: BaseException) -> str:
    """The name of its class, of which the class itself is not asked."""
    return spelled(str(type.__dict__["__name__"].__get__(type(why)))[:LONGEST])


def text_of(why: BaseException) -> str:
    """The text of an exception, which may itself raise one, or take for ever."""
    return _asked(lambda: str(why), "(its text cannot be read)")


def _noted(why: BaseException) -> str:
    """What was added to it (`add_note`)."""
    return _asked(lambda: "".join(f"; {note}" for note in vars(why).get("__notes__", [])), "")


def _asked(ask: Callable[[], str], otherwise: str) -> str:
    """What an object says of itself, in a few letters and a few seconds; it may do anything instead."""
    if pulse.unreadable >= PATIENCE:
        return otherwise
    try:
        with reading(READING), at_most(READING):
            return spelled(str(ask()[:LONGEST]))
    except CallTimeout:
        pulse.unreadable += 1
        return otherwise
    except BaseException as again:
        if may_be_ctrl_c(again):
            raise
        return otherwise


def _is_a(why: BaseException, *kinds: type[BaseException]) -> bool:
    """By its true class: what it says of its class may raise."""
    return issubclass(type(why), kinds)


def may_be_ctrl_c(why: BaseException) -> bool:
    """A KeyboardInterrupt in the main thread of a process that listens to SIGINT: the user's, as far as can be told.

    Workers ignore SIGINT, so there it is the mechanism's own, and a failed call like any other. A request to end is
    heard everywhere: what a shell starts in the background ignores SIGINT, too.
    """
    if _is_a(why, AskedToEnd):
        return True
    if not _is_a(why, KeyboardInterrupt) or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
