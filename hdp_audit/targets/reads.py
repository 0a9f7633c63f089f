"""Which files this process opens, by Python's own audit events: what a mechanism reads by itself is a part of it.

Python tells of files that Python code opens; what a library opens in C, or another process, stays unknown.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR
_read: set[str] = set()
_written: set[str] = set()


@cache
def watch() -> None:
    """Note every file from now on; for workers, as an audit hook stays until the process ends."""
    sys.addaudithook(_heard)


def files_read() -> list[Path]:
    """Files that were opened to be read, and never to be written: a mechanism's own notes are not its input."""
    return [Path(name) for name in sorted(_read - _written)]


def files_written() -> list[Path]:
    """Files that were opened to be written, or replaced."""
    return [Path(name) for name in sorted(_written)]


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    """The hook. An exception in it would forbid the call that it hears of, so there is none."""
    if event == "open" and len(arguments) == 3:
        name, _, flags = arguments
        _note(name, _written if isinstance(flags, int) and flags & _WRITING else _read)
    elif event == "os.rename" and len(arguments) > 1:
        _note(arguments[1], _written)


def _note(name: Any, where: set[str]) -> None:
    if not isinstance(name, (str, bytes)):  # a descriptor, whose file was opened before
        return
    try:
        where.add(os.path.realpath(os.fsdecode(name)))  # at once, as the working folder may change
    except (OSError, ValueError):  # no path, or a folder that is no more
        return
