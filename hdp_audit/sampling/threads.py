"""One thread of linear algebra for each check: checks run side by side, and threads that compete cost more."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator

from threadpoolctl import threadpool_limits

# Read by a library when it is loaded; what is loaded already is told by threadpoolctl.
ONE = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "BLIS_NUM_THREADS",
    ),
    "1",
)


class _Limit:
    """Counts who asks for it: a process may run several checks in threads, and the last one restores the limits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limits: threadpool_limits | None = None

    def take(self) -> None:
        """Limit every library that is loaded; the first one notes what was before."""
        with self._lock:
            limits = threadpool_limits(1)
            self._limits = limits if self._limits is None else self._limits
            self._users += 1

    def give(self) -> None:
        """Restore the limits, where nobody else needs them."""
        with self._lock:
            self._users -= 1
            if not self._users and self._limits is not None:
                self._limits.restore_original_limits()
                self._limits = None


_LIMIT = _Limit()


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra of this process on one thread, and afterwards as it was."""
    _LIMIT.take()
    try:
        yield
    finally:
        _LIMIT.give()


@contextlib.contextmanager
def one_thread_for_children() -> Iterator[None]:
    """Processes that are started meanwhile load their libraries with one thread."""
    before = {name: os.environ.get(name) for name in ONE}
    os.environ.update(ONE)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def one_thread_from_now_on() -> None:
    """In a worker: for what is loaded, and for what a mechanism will load."""
    os.environ.update(ONE)
    _LIMIT.take()
