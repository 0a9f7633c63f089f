"""A program that is started for each release: JSON on standard input, its output on standard output."""

from __future__ import annotations

import csv
import json
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from hdp_audit.targets.answers import LOGS, PATIENCE, PER_NUMBER, SEEDS, SPARE, failed_with, ignoring, plain
from hdp_audit.targets.command import Command
from hdp_audit.targets.failures import ProgramEnded, ProgramError, ProgramLate
from hdp_audit.targets.pipe import Broken, Ended, Late, Pipe, without_controls

PRINTED_BY_R = re.compile(r"\s*\[\d+\] ")
DATA, SEED = "{data}", "{seed}"


@dataclass(eq=False)
class Once:
    """The callable. `columns` are names of the promise's columns, each with a placeholder of its own."""

    process: ClassVar[str] = "each"

    command: Command
    width: int = 1
    columns: tuple[str, ...] = ("epsilon",)
    _late: int = 0
    _files: Path | None = field(default=None, repr=False)

    @property
    def __name__(self) -> str:
        """What it is called."""
        return Path(self.command.arguments[0]).name

    @property
    def limit(self) -> float:
        """Seconds that a call may take."""
        return float(self.command.timeout)

    @property
    def given_up(self) -> bool:
        """Whether it is not started any more."""
        return self._late >= PATIENCE

    def __call__(self, data: Any, *given: Any) -> Any:
        """One output, for data, columns of the promise, and a generator."""
        if self.given_up:
            raise ProgramLate(f"the program did not end in time {PATIENCE} times, and is not started any more")
        *columns, rng = given
        asked = {"data": plain(data), **dict(zip(self.columns, map(plain, columns), strict=True))}
        seed = int(rng.integers(SEEDS))
        return self._output(self._written_by(asked, seed, once_more=True))

    def _written_by(self, asked: dict[str, list[Any]], seed: int, *, once_more: bool = False) -> bytes:
        """What it wrote; where somebody else ended it, as far as a signal tells, it is started once more."""
        limit = self.command.memory_mb << 20
        try:
            pipe = Pipe(list(self._arguments(asked, seed)), self.command.folder, limit, brief=True)
        except OSError as why:
            raise ProgramEnded(f"the program cannot be started: {why.strerror}") from None
        try:
            text = json.dumps({**asked, "seed": seed}).encode() + b"\n"
            return pipe.whole(text, self.command.timeout, SPARE + PER_NUMBER * self.width)
        except Broken as why:
            if not (once_more and isinstance(why, Ended) and why.from_outside):
                self._late += isinstance(why, Late)
                raise failed_with(why, pipe.stderr()) from None
        finally:
            pipe.close()
        return self._written_by(asked, seed)

    def _arguments(self, asked: dict[str, list[Any]], seed: int) -> Iterator[str]:
        """With paths of files, and the seed, in the place of `{data}`, `{epsilon}` and `{seed}`."""
        values = {f"{{{name}}}": entries for name, entries in asked.items()}
        told = {SEED: str(seed)}
        for name, entries in values.items():
            if any(name in argument for argument in self.command.arguments):
                told[name] = str(self._written(name, entries))
        for argument in self.command.arguments:
            for name, value in told.items():
                argument = argument.replace(name, value)
            yield argument

    def _written(self, name: str, entries: list[Any]) -> Path:
        """A file with one entry per line, a row's numbers with commas between; anything deeper is JSON."""
        if self._files is None:
            self._files = Path(tempfile.mkdtemp(prefix="hdp-audit-"))
            weakref.finalize(self, shutil.rmtree, self._files, ignore_errors=True)
        path = self._files / (name.strip("{}") + ".txt")
        rows = [entry if isinstance(entry, list) else [entry] for entry in entries]
        if any(isinstance(value, (list, dict)) for row in rows for value in row):
            path.write_text(json.dumps(entries), encoding="utf-8")
            return path
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(rows)
        return path

    def _output(self, written: bytes) -> Any:
        """JSON, or numbers with white space between, on the lines that are no logs."""
        ignored = ignoring(self.command)
        text = b"\n".join(line for line in written.splitlines() if not ignored(line)).decode(errors="replace").strip()
        if not text:
            raise ProgramError("the program wrote no output; it has to print a number or JSON on standard output")
        try:
            return _unwrapped(json.loads(text))
        except (ValueError, RecursionError):
            numbers = _numbers(text)
        if numbers is None:
            raise ProgramError(f"the program wrote no number and no JSON: {_in_one_line(text[:80])}; {LOGS}")
        return numbers[0] if len(numbers) == 1 else numbers


def _in_one_line(text: str) -> str:
    return " | ".join(line for line in without_controls(text).splitlines() if line)


def _numbers(text: str) -> list[float] | None:
    """With white space between; R's print puts the place of a line's first number before it, in brackets."""
    lines = text.splitlines()
    if all(PRINTED_BY_R.match(line) for line in lines):
        lines = [PRINTED_BY_R.sub("", line) for line in lines]
    try:
        return [float(word) for line in lines for word in line.split()]
    except ValueError:
        return None


def _unwrapped(found: Any) -> Any:
    """What {"output": ...} holds; {"error": "why"} is a failure, and everything else the output itself."""
    if isinstance(found, dict) and list(found) == ["error"]:
        raise ProgramError(f"the program says: {without_controls(str(found['error']))[:500]}")
    return found["output"] if isinstance(found, dict) and list(found) == ["output"] else found


def placeholders(arguments: tuple[str, ...], columns: tuple[str, ...]) -> list[str]:
    """Those that stand in arguments."""
    names = [DATA, SEED, *(f"{{{name}}}" for name in columns)]
    return [name for name in names if any(name in argument for argument in arguments)]
