"""How a program under audit is started: its arguments, its folder, its limits."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.imports import module_files

Protocol = Literal["lines", "once"]  # one long-lived process, or one process for each release


@dataclass(frozen=True)
class Command:
    """How a program is started: no shell, relative to the folder of the spec.

    `ignored`: a regular expression; lines of standard output in which it is found are logs, and no answers.
    `restarts`: how often a program that gave no answer is started again.
    """

    arguments: tuple[str, ...]
    folder: Path
    timeout: float = 30.0
    memory_mb: int = 4096
    protocol: Protocol = "lines"
    ignored: str | None = None
    restarts: int = 3

    def __post_init__(self) -> None:
        if os.name != "posix":
            raise InvalidInput("external programs are run on Linux and macOS alone")
        if any("\0" in part for part in self.arguments):
            raise InvalidInput("an argument holds a NUL byte; remove it")
        if self.file() is None:
            raise InvalidInput(f"there is no program {self.arguments[0]!r} that can be run; give its path or its name")

    def file(self) -> Path | None:
        """Where the program lies."""
        first = self.arguments[0]
        if "/" in first:
            path = self.folder / first
            return path if path.is_file() and os.access(path, os.X_OK) else None
        found = shutil.which(first)
        return None if found is None else Path(found)

    def files(self) -> dict[str, Path]:
        """The program, its interpreter and every file that an argument names, by what a report calls them."""
        program = self.file()
        started = [] if program is None else [program, *_interpreter(program)]
        return {self._called(path): path for path in [*started, *self._named()]}

    def scripts(self) -> dict[Path, str]:
        """Those that are Python, whose imports can be read: named files, and the module behind `-m`."""
        python, program = "python" in Path(self.arguments[0]).name, self.file()
        scripts = [path for path in self._named() if python or _is_python(path)]
        scripts += [program] if program is not None and _is_python(program) else []
        found = {path.resolve(): self._called(path) for path in scripts}
        for option, module in pairwise(self.arguments):
            if option == "-m":
                roots = [self.folder.resolve()]
                found.update(module_files(module, roots))
                found.update(module_files(f"{module}.__main__", roots))
        return found

    def _named(self) -> list[Path]:
        """Files in arguments: `file`, or `--option=file`."""
        words = [word for part in self.arguments[1:] for word in (part, part.partition("=")[2]) if word]
        return [place for word in words if _is_file(place := self.folder / word)]

    def _called(self, path: Path) -> str:
        """Below the folder by the path; elsewhere by the name alone, as a machine's paths are nobody's business."""
        whole, folder = path.resolve(), self.folder.resolve()
        return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else path.name


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # an argument may be too long for a path
        return False


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.readline(1000).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _is_python(path: Path) -> bool:
    line = _first_line(path)
    return path.suffix == ".py" or (line.startswith("#!") and "python" in line)


def _interpreter(path: Path) -> list[Path]:
    """What the first line of a script names: `#!/bin/sh`, `#!/usr/bin/env perl`."""
    line = _first_line(path)
    words = line[2:].split() if line.startswith("#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    found = shutil.which(words[0]) if words else None
    return [] if found is None else [Path(found)]
