"""How many calls this process and its workers have made so far, for whoever shows progress."""

from __future__ import annotations

from typing import Any

_own = 0
_theirs: list[Any] = []  # counters of workers, in memory that they share with this process
_shared: Any = None  # in a worker: where it counts


def count(calls: int) -> None:
    """So many more."""
    global _own
    if _shared is None:
        _own += calls
        return
    with _shared.get_lock():
        _shared.value += calls


def counter(context: Any) -> Any:
    """One more counter, for workers of this context; None where there is no room for what is shared."""
    try:
        made = context.Value("q", 0)
    except OSError:
        return None
    _theirs.append(made)
    return made


def count_in(shared: Any) -> None:
    """From now on, in a worker."""
    global _shared
    _shared = shared


def calls_made() -> int:
    """By this process and by all workers that it had."""
    return _own + sum(int(made.value) for made in _theirs)
