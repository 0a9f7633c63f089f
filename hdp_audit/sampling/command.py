"""How a program under audit is started: its arguments, its folder, its limits."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from hdp_audit.errors import InvalidInput


@dataclass(frozen=True)
class Command:
    """How a program is started: no shell, relative to the folder of the spec."""

    arguments: tuple[str, ...]
    folder: Path
    timeout: float = 30.0
    memory_mb: int = 4096

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

    def digest(self) -> str:
        """SHA-256 over the command and every file that it names."""
        whole = hashlib.sha256("\0".join(self.arguments).encode("utf-8", "surrogateescape"))
        for part in self.arguments:
            path = self.folder / part
            if path.is_file():
                whole.update(path.read_bytes())
        return whole.hexdigest()
