"""One thread of linear algebra for each check: checks run side by side, and threads that compete cost more."""

from __future__ import annotations

import contextlib
import os
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


def one_thread() -> contextlib.AbstractContextManager[object]:
    """Linear algebra of this process on one thread, and afterwards as it was."""
    limits: contextlib.AbstractContextManager[object] = threadpool_limits(1)
    return limits


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
    threadpool_limits(1)
