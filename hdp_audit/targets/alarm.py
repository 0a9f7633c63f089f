"""A limit on time from inside: cheap, and enough for whatever runs as Python and lets itself be stopped."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from hdp_audit.targets.call_ends import CallTimeout


@contextlib.contextmanager
def at_most(limit: float) -> Iterator[None]:
    """Raises `CallTimeout` in the body, and behind it where the body caught that and went on.

    Where there are no alarm signals (another thread), nothing is limited.
    """
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    said = f"took longer than {limit:g} s"
    rang = False

    def late(_signal: int, _frame: FrameType | None) -> None:
        nonlocal rang
        rang = True
        raise CallTimeout(said)

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if rang:
        raise CallTimeout(said)
