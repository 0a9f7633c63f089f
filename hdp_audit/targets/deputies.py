"""On a worker of a cluster: processes of its own that make bundles, so that the limits of this machine hold there, too.

A call that takes too long, or dies, ends such a process and never the worker. What it was to make is made by whoever
asked, where such a call is an outcome.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import util
from multiprocessing.connection import wait
from typing import Any

from hdp_audit.targets.crew import Made
from hdp_audit.targets.failures import FINE
from hdp_audit.targets.fate import Fate
from hdp_audit.targets.workers import Hand, Workers

IDLE = 60.0  # seconds after which a process that nobody needs is let go: a worker may outlive many runs
FIRST = 100  # before multiprocessing waits for the children of a process that ends


@dataclass
class Deputies:
    """As many as there are bundles at a time: a worker may have several threads."""

    _idle: list[tuple[Hand, float]] = field(default_factory=list)
    _workers: Workers = field(default_factory=lambda: Workers(1, _nobody))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        util.Finalize(None, self.end, exitpriority=FIRST)
        threading.Thread(target=self._tidy, daemon=True).start()

    def made(self, opening: bytes, bundle: bytes) -> bytes:
        """Pickled tables; none where whoever made them died. A failed call is made again by whoever asked."""
        hand = self._taken()
        hand.tell("bundle", opening, bundle)
        with contextlib.suppress(Exception):  # it is gone, or a mechanism has written into its pipe
            wait([hand.pipe, hand.process.sentinel])
            if hand.pipe.poll():
                _, tables = hand.pipe.recv()
                with self._lock:
                    self._idle.append((hand, time.monotonic()))
                return _faultless(tables)
        with self._lock:
            self._workers.bury(hand)
        return pickle.dumps([])

    @property
    def processes(self) -> list[int]:
        """Those that there are."""
        return [hand.process.pid for hand in self._workers.hands(0)]

    def end(self) -> None:
        """Nobody is needed any more."""
        self._workers.close()
        self._idle.clear()

    def dismiss(self, idle: float) -> None:
        """Let go who has had nothing to do for so many seconds."""
        with self._lock:
            now = time.monotonic()
            gone = [hand for hand, since in self._idle if now - since >= idle]
            self._idle = [(hand, since) for hand, since in self._idle if now - since < idle]
            for hand in gone:
                self._workers.bury(hand)

    def _taken(self) -> Hand:
        """The one that worked last, which knows the subject, or a new one."""
        with self._lock:
            while self._idle:
                hand, _ = self._idle.pop()
                if hand.process.is_alive():
                    return hand
                self._workers.bury(hand)
            with _may_have_children():
                return self._workers.one_more()

    def _tidy(self) -> None:
        while True:
            time.sleep(IDLE / 4)
            self.dismiss(IDLE)


@cache
def deputies() -> Deputies:
    """Those of this process."""
    return Deputies()


def _faultless(tables: bytes) -> bytes:
    """Without tables in which a call failed: a machine may lack what the mechanism needs, which is no outcome of it."""
    found: list[Made] = pickle.loads(tables)  # noqa: S301 - from a process of ours
    return pickle.dumps([None if made is None or (made[0][:, -1] != FINE).any() else made for made in found])


def _nobody(_item: Any, _fate: Fate) -> None:
    """Bundles are never lost: whoever asked makes them."""


@contextlib.contextmanager
def _may_have_children() -> Iterator[None]:
    """Dask makes its workers daemons, which multiprocessing denies children. Ours end with their parent in any case."""
    config: dict[str, Any] = vars(multiprocessing.current_process())["_config"]
    before = config.get("daemon")
    config["daemon"] = False
    try:
        yield
    finally:
        if before is None:
            config.pop("daemon")
        else:
            config["daemon"] = before
