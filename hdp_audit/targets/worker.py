"""A process that works for another one: whole items, or bundles of chunks to help with somebody else's.

It talks through one pipe, and only when it is due: the other side never waits for it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets.beats import Beats, pulse
from hdp_audit.targets.crew import Crew, Made, helped
from hdp_audit.targets.failures import text_of
from hdp_audit.targets.fate import Call, Fate
from hdp_audit.targets.leftovers import fresh_generators
from hdp_audit.targets.made import count_in
from hdp_audit.targets.orphans import adopt
from hdp_audit.targets.pipe import close_all
from hdp_audit.targets.shield import Escaped, shielded
from hdp_audit.targets.silence import silence
from hdp_audit.targets.threads import one_thread_from_now_on

_crew: list[Crew] = []  # of the item that this process works on


def crew_here() -> Crew | None:
    """Who helps this process, if anybody."""
    return _crew[0] if _crew else None


def work(pipe: Connection, made: Any, beats: Beats) -> None:
    """Until the pipe is closed. `made`: where calls are counted; `beats`: where a watcher looks."""
    _prepare(made, beats)
    line = Line(pipe)
    while True:
        match line.heard():
            case ("item", function, item, fatal, alone):
                _crew[:] = [] if alone else [line]
                line.say(*_done(function, item, fatal))
            case ("bundle", opening, bundle):
                _crew.clear()
                line.say(*_helped(opening, bundle))
            case _:  # an answer that came too late for its item
                continue


def _done(function: Any, item: Any, fatal: Mapping[Call, Fate]) -> tuple[Any, ...]:
    fresh_generators()
    try:
        found = shielded(function, item, fatal)
    except Exception as why:
        return "escaped" if isinstance(why, Escaped) else "raised", pickle.dumps(_portable(why))
    try:
        return _packed("done", found)
    except Exception as why:  # a mechanism has changed what this process works with
        return "escaped", pickle.dumps(_portable(why))


def _helped(opening: bytes, bundle: bytes) -> tuple[Any, ...]:
    """Whatever goes wrong here, whoever asked will meet it too."""
    try:
        return _packed("made", shielded(lambda _: helped(opening, bundle), None))
    except Exception:
        return "made", pickle.dumps([])


def _packed(what: str, result: Any) -> tuple[Any, ...]:
    return what, pickle.dumps(result)


def _portable(why: Exception) -> Exception:
    """An exception that the other side can read, be its class there or not."""
    try:
        pickle.loads(pickle.dumps(why))  # noqa: S301 - made here
    except Exception:
        return HdpAuditError(f"{type(why).__name__}: {text_of(why)}")
    return why


@dataclass
class Line:
    """The pipe to whoever gives work; also the crew of the item that is worked on."""

    pipe: Connection
    _own: int = field(default_factory=os.getpid)

    def say(self, *message: Any) -> None:
        """A child that a mechanism forked, and that came back, has nothing to say here."""
        if os.getpid() != self._own:
            os._exit(1)
        try:
            self.pipe.send(message)
        except OSError:
            _leave()

    def heard(self) -> Any:
        """The next message."""
        if os.getpid() != self._own:
            os._exit(1)
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            _leave()

    def offer(self, opening: bytes, bundles: Sequence[bytes]) -> None:
        """See `Crew`."""
        self.say("offer", opening, list(bundles))

    def withdrawn(self) -> int | None:
        """See `Crew`."""
        self.say("withdraw")
        place: int | None = self.heard()[1]
        return place

    def finished(self) -> tuple[int, list[Made]]:
        """See `Crew`."""
        self.say("wait")
        _, place, tables = self.heard()
        return place, pickle.loads(tables)  # noqa: S301 - from a process of ours

    def dismiss(self) -> None:
        """See `Crew`."""
        self.say("dismiss")


def _prepare(made: Any, beats: Beats) -> None:
    """Ctrl-C is the other side's business; a request to end takes the programs under audit along.

    What a mechanism prints is not shown: its process has no terminal.
    """
    silence()
    with contextlib.suppress(OSError, AttributeError):
        os.setsid()
    adopt()
    count_in(made)
    pulse.attend(beats.slot())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    one_thread_from_now_on()
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """A parent that was killed asks nobody to end: nobody would read what this process goes on to compute."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _leave()


def _leave(_signal: int = 0, _frame: FrameType | None = None) -> Any:
    close_all()
    os._exit(143)
