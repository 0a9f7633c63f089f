"""Processes on this machine that work through a list, and help each other when they have nothing else to do.

They are started afresh, so that no state of this one leaks into a result. Who dies takes nobody along: its item is done
again by another process, and once more by one that is alone, before it counts as lost.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from hdp_audit.targets.beats import Beats
from hdp_audit.targets.fate import LATE, PATIENCE, Call, Fate
from hdp_audit.targets.interrupts import deferred
from hdp_audit.targets.made import counter
from hdp_audit.targets.orphans import end_orphans
from hdp_audit.targets.preload import prepared
from hdp_audit.targets.requests import Elsewhere, Request
from hdp_audit.targets.watcher import Watcher
from hdp_audit.targets.worker import work

LEAVE = 2.0  # seconds for a worker to end by itself: what a mechanism left behind may hold it up for ever
SOON = 1.0  # seconds for chunks that were begun when the run was interrupted
SERVER = 0.1  # seconds after which it is known whether a death took the server of the workers along
HURRY = 0.3  # the same where it was told to
LOOK = 1.0  # seconds between looks at whether a cluster is still there
TRIES = 2  # deaths of an item beside others; the next one is alone

NOTHING = pickle.dumps([])
Lost = Callable[[Any, Fate], Any]


@dataclass(eq=False)
class Hand:
    """A process, and what it does: an item by its number, or a bundle of somebody's request."""

    process: Any
    pipe: Connection
    item: int | None = None
    request: Request | None = None  # its own, for its item
    helping: tuple[Request, int] | None = None
    heard: bool = True  # False while it is listened to: who interrupts that leaves half a message in the pipe

    @property
    def idle(self) -> bool:
        """Whether it could begin something."""
        return self.item is None and self.helping is None

    @property
    def still(self) -> bool:
        """Whether waiting for it brings nothing: it helps nobody, and has no request, or waits itself for no one."""
        mine = self.request
        return self.helping is None and (mine is None or (mine.asked and not mine.begun and not mine.back))

    def tell(self, *message: Any) -> None:
        """What cannot be told to a process that died is found out soon."""
        with contextlib.suppress(OSError):
            self.pipe.send(message)


@dataclass(eq=False)
class Workers:
    """`lost(item, fate)` is the result of an item whose process dies whenever it is worked on."""

    jobs: int
    lost: Lost
    elsewhere: Elsewhere | None = None
    _hands: list[Hand] = field(default_factory=list)
    _beats: Beats | None = None
    _watcher: Watcher | None = None
    _shift: _Shift | None = None

    def __call__(self, function: Callable[[Any], Any], items: list[Any]) -> Iterator[Any]:
        """Results in order."""
        self._shift = shift = _Shift(self, function, items)
        for number in range(len(items)):
            yield shift.result(number)

    def close(self) -> None:
        """Let the processes go, which have nothing to do."""
        for hand in self._hands:
            hand.pipe.close()
        self._end(LEAVE)

    def wind_up(self) -> None:
        """Somebody interrupts: what was begun is kept where it takes a moment; another Ctrl-C ends the waiting."""
        with contextlib.suppress(KeyboardInterrupt):
            if self._shift is not None:
                self._shift.wind_up(self._hands)

    def stop(self) -> None:
        """End them now: an interrupted run does not wait for checks that nobody will read."""
        for process in multiprocessing.active_children():  # one may have begun that is no hand yet
            process.terminate()
        self._end(HURRY)
        for process in multiprocessing.active_children():
            process.kill()
            process.join()

    def _end(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        for hand in self._hands:
            hand.process.join(max(until - time.monotonic(), 0.0))
            if hand.process.is_alive():
                hand.process.kill()
                hand.process.join()
            hand.pipe.close()
        self._hands.clear()
        if self._watcher is not None:
            self._watcher.stop()
        self._watcher = self._beats = None
        end_orphans()

    def hands(self, most: int) -> list[Hand]:
        """As many as there are jobs, or things to do."""
        while len(self._hands) < min(self.jobs, most):
            self.one_more()
        return self._hands

    def bury(self, hand: Hand) -> Fate:
        """One that died, and of what; one that only seems to, as the server that knows of it died, ends now."""
        with contextlib.suppress(OSError):
            os.kill(hand.process.pid, signal.SIGKILL)
        hand.process.join()
        time.sleep(SERVER)
        hand.pipe.close()
        self._hands.remove(hand)
        return Fate() if self._watcher is None else self._watcher.fate(hand.process.pid)

    def one_more(self) -> Hand:
        """From a clean server that has loaded the libraries once; never a fork of this process."""
        context: Any = multiprocessing.get_context("forkserver" if prepared() else "spawn")
        if self._beats is None:
            self._beats = Beats(context)
            self._watcher = Watcher(self._beats)
        ours, theirs = context.Pipe()
        with deferred():
            process = context.Process(target=work, args=(theirs, counter(context), self._beats))
            process.start()
        theirs.close()
        self._hands.append(Hand(process, ours))
        return self._hands[-1]


@dataclass
class Past:
    """How often processes died while they worked on an item, and the calls of it that are not to be made again."""

    deaths: int = 0
    fatal: dict[Call, Fate] = field(default_factory=dict)
    _last: Call | None = None

    def goes_on(self, fate: Fate) -> bool:
        """Whether it is worth another process: another one may have been killed from outside, but not time and again.

        A call that was ended as it took too long, or in which a process died twice, is an outcome from now on.
        """
        self.deaths += 1
        if fate.why == LATE and not fate.by_a_call:
            return False  # loading would take as long again
        during = fate.during if fate.by_a_call else None
        again, self._last = during is not None and during == self._last, during
        if during is not None and during not in self.fatal and (again or fate.why == LATE):
            self.fatal[during] = fate
            self._last = None
            return len(self.fatal) <= PATIENCE + 1
        return self.deaths <= TRIES + 2 * len(self.fatal)


class _Shift:
    """One list of items from its beginning to its end."""

    def __init__(self, workers: Workers, function: Callable[[Any], Any], items: list[Any]) -> None:
        self._workers, self._function, self._items = workers, function, items
        self._waiting = deque(range(len(items)))
        self._alone: deque[int] = deque()  # items to be done when nobody else does anything
        self._past = [Past() for _ in items]
        self._results: dict[int, Callable[[], Any]] = {}
        self._over = False

    def result(self, number: int) -> Any:
        """Of one item; whatever comes meanwhile is dealt with."""
        while number not in self._results:
            self._give()
            self._listen(self._hands, LOOK)
        return self._results.pop(number)()

    def wind_up(self, hands: list[Hand]) -> None:
        """Nothing is begun any more; whoever asked for help gets what is done, and keeps it."""
        self._over, until = True, time.monotonic() + SOON
        known = [hand for hand in hands if hand.heard]
        for hand in known:
            if hand.request is not None:
                hand.request.open.clear()
                self._answer(hand)
        while not all(hand.still for hand in known if hand in hands) and (left := until - time.monotonic()) > 0:
            self._listen([hand for hand in known if hand in hands], left)

    @property
    def _hands(self) -> list[Hand]:
        return self._workers.hands(len(self._items) if self._workers.jobs == 1 else self._workers.jobs)

    def _give(self) -> None:
        """Items first, then help for those who asked."""
        for hand in self._hands:
            if hand.idle and self._waiting:
                self._begin(hand, self._waiting.popleft(), alone=False)
        if self._alone and not self._waiting and all(hand.idle for hand in self._hands):
            self._begin(self._hands[0], self._alone.popleft(), alone=True)
        for hand in self._hands:
            if hand.idle and (due := self._due()):
                hand.helping = due
                hand.tell("bundle", due[0].opening, due[0].bundles[due[1]])
        elsewhere = self._workers.elsewhere
        while elsewhere is not None and elsewhere.free and (due := self._due()):
            elsewhere.begin(*due)

    def _begin(self, hand: Hand, number: int, *, alone: bool) -> None:
        hand.item = number
        alone = alone or (self._workers.jobs == 1 and self._workers.elsewhere is None)
        hand.tell("item", self._function, self._items[number], self._past[number].fatal, alone)

    def _due(self) -> tuple[Request, int] | None:
        """The last bundle that nobody began: whoever asked works from the front."""
        for hand in self._hands:
            if hand.request is not None and hand.request.open:
                place = hand.request.open.pop()
                hand.request.begun.add(place)
                return hand.request, place
        return None

    def _listen(self, listed: list[Hand], seconds: float) -> None:
        """To all who may say something, or die; for so long where not everybody can ring."""
        hands, elsewhere = list(listed), self._workers.elsewhere
        bells = [] if elsewhere is None else [elsewhere.bell]
        pipes, sentinels = [hand.pipe for hand in hands], [hand.process.sentinel for hand in hands]
        patience = None if elsewhere is None and not self._over else seconds
        ready = set(wait([*pipes, *sentinels, *bells], patience))
        for hand in hands:
            if hand.pipe in ready or hand.process.sentinel in ready:
                self._hear(hand)
        if elsewhere is not None and elsewhere.bell in ready:
            for request, place, tables in elsewhere.came():
                self._back(request, place, tables)

    def _hear(self, hand: Hand) -> None:
        hand.heard = False
        try:
            while hand.pipe.poll():
                self._heard(hand, hand.pipe.recv())
            dead = not hand.process.is_alive() and not hand.pipe.poll()
        except Exception:  # it is gone, or a mechanism has written into its pipe
            hand.process.kill()
            dead = True
        hand.heard = True
        if dead:
            self._died(hand)

    def _heard(self, hand: Hand, message: tuple[Any, ...]) -> None:
        match message:
            case ("offer", opening, bundles):
                hand.request = Request(opening, bundles, deque(() if self._over else range(len(bundles))))
            case ("withdraw",):
                request = hand.request
                hand.tell("yours", request.open.popleft() if request is not None and request.open else None)
            case ("wait",):
                self._answer(hand, asked=True)
            case ("dismiss",):
                hand.request = None
            case ("made", tables):
                helping, hand.helping = hand.helping, None
                if helping is not None:
                    self._back(*helping, tables)
            case (kind, whole) if hand.item is not None:
                self._results[hand.item] = self._outcome(hand.item, kind, whole)  # raises where it cannot be read
                hand.item = hand.request = None

    def _outcome(self, number: int, kind: str, whole: bytes) -> Callable[[], Any]:
        if kind == "escaped":
            return lambda: self._workers.lost(self._items[number], Fate())
        found = pickle.loads(whole)  # noqa: S301 - from a process of ours
        return lambda: _raised(found) if kind == "raised" else found

    def _back(self, request: Request, place: int, tables: bytes) -> None:
        """A bundle is done, or whoever began it died."""
        request.begun.discard(place)
        request.back.append((place, tables))
        for hand in self._hands:
            if hand.request is request:
                self._answer(hand)

    def _answer(self, hand: Hand, *, asked: bool = False) -> None:
        """To one who waits, once there is something to tell."""
        request = hand.request
        if request is None:
            return
        request.asked = request.asked or asked
        if request.asked and request.back:
            request.asked = False
            hand.tell("made", *request.back.popleft())

    def _died(self, hand: Hand) -> None:
        fate = self._workers.bury(hand)
        if hand.helping is not None:
            self._back(*hand.helping, NOTHING)
        number = hand.item
        if number is None:
            return
        past = self._past[number]
        if not past.goes_on(fate):
            self._results[number] = lambda: self._workers.lost(self._items[number], fate)
        elif past.deaths >= TRIES:
            self._alone.append(number)
        else:
            self._waiting.appendleft(number)


def _raised(why: Exception) -> Any:
    raise why
