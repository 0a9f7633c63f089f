"""Ctrl-C and requests to end, at moments when they would leave half of something behind."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


class AskedToEnd(KeyboardInterrupt):
    """SIGTERM or SIGHUP: nothing but a request to this process, also where it ignores Ctrl-C (`hdp-audit run &`)."""


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """What asks this process to end is heard when the body is done: a worker that is half started says so loudly."""
    met: list[tuple[Any, Any]] = []
    handlers = {number: handler for number in _numbers() if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda *given: met.append(given))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if met:
        handlers[met[0][0]](*met[0])


@contextlib.contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that are started in the body ignore Ctrl-C from their first moment: it is their parent's business."""
    if not _numbers():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def deaf() -> None:
    """This process is about to end: another Ctrl-C changes nothing."""
    if _numbers():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _numbers() -> list[signal.Signals]:
    """Only the main thread may say what a signal does."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [signal.Signals[name] for name in ENDING if hasattr(signal, name)]
