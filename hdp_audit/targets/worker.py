"""What a worker does before its first work, and how it ends."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from types import FrameType
from typing import Any

from hdp_audit.targets.beats import Beats, pulse
from hdp_audit.targets.made import count_in
from hdp_audit.targets.orphans import adopt
from hdp_audit.targets.pipe import close_all
from hdp_audit.targets.silence import silence
from hdp_audit.targets.threads import one_thread_from_now_on


def prepare(made: Any, beats: Beats) -> None:
    """Ctrl-C is the parent's business; a request to end takes the programs under audit along.

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
        _leave(signal.SIGTERM, None)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    close_all()
    os._exit(143)
