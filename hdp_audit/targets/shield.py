"""Work in another process: what would end a process there must not end this one when it comes back as an exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Escaped(Exception):
    """The work raised what ends a process: SystemExit, KeyboardInterrupt, GeneratorExit or a cancellation."""


def shielded(function: Callable[[Any], Any], item: Any) -> Any:
    """The result. A worker ignores Ctrl-C, so an interrupt there is the mechanism's own, not the user's."""
    try:
        return function(item)
    except Exception:
        raise
    except BaseException as why:
        raise Escaped(f"{type(why).__name__}: {why}") from None
