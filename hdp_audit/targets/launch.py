"""Starts a program under limits; run as a script: `launch.py MEMORY_BYTES PROGRAM ARGUMENT...`. Standard library."""

from __future__ import annotations

import os
import resource
import sys


def limits(memory: int) -> list[tuple[int, int]]:
    """What is limited, and to how much; never above what this process may."""
    found = []
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 1 << 30)):
        _soft, hard = resource.getrlimit(what)
        found.append((what, most if hard == resource.RLIM_INFINITY else min(most, hard)))
    return found


def main() -> None:
    """Limit this process, then become the program."""
    memory, command = int(sys.argv[1]), sys.argv[2:]
    for what, value in limits(memory):
        resource.setrlimit(what, (value, value))
    try:
        os.execvp(command[0], command)  # noqa: S606 - no shell is the point
    except OSError as why:
        sys.stderr.write(f"cannot be started: {why.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main()
