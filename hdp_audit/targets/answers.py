"""What both protocols of programs share: data as JSON, lines that are logs, failures in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets.command import Command
from hdp_audit.targets.failures import ProgramEnded, ProgramError, ProgramLate
from hdp_audit.targets.pipe import Broken, Ended, Late

TRACEBACK = "Traceback (most recent call last):"
PATIENCE = 3  # requests without an answer in time, after which nothing is asked
SPARE = 1 << 20  # bytes of an answer beside its numbers
LOGS = "name lines that are logs by a regular expression, ignore_stdout = '^INFO', or write them to standard error"
PER_NUMBER = 64  # bytes of a number in an answer
SEEDS = 2**53  # a whole number in any language's doubles


def plain(values: NDArray[Any]) -> list[Any]:
    """An array as JSON; infinity is the string "inf"."""
    listed = np.asarray(values).tolist()
    return ["inf" if entry == float("inf") else entry for entry in listed]


def ignoring(command: Command) -> Callable[[bytes], bool]:
    """Whether a line of standard output is a log."""
    if command.ignored is None:
        return lambda _line: False
    expression = re.compile(command.ignored)
    return lambda line: expression.search(line.decode("utf-8", errors="replace").rstrip("\r\n")) is not None


def failed_with(why: Broken, said: str) -> ProgramError:
    """What a program did, with the end of its standard error."""
    kind = ProgramLate if isinstance(why, Late) else ProgramEnded if isinstance(why, Ended) else ProgramError
    return kind(f"the program {why}" + (f"; its stderr ends: {_brief(said)[-500:]}" if said else ""))


def _brief(said: str) -> str:
    """Of Python's traceback only what was raised: the rest is for whoever wrote the program."""
    before, found, frames = said.partition(TRACEBACK)
    if not found:
        return said
    return f"{before}{frames.strip().splitlines()[-1].strip()}" if frames.strip() else before
