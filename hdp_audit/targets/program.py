"""A program in any language as a mechanism: one JSON object a line, requests in, outputs back.

Each start that is not followed by an answer is one start in a row; `restarts` says how many a program may need that has
never answered. One that answers, on zeros at least, and ends now and then has an outcome for each end, and many starts.
Where somebody else ended it, as far as a signal tells, it is asked the same once more.
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.promise import Promise
from hdp_audit.targets.answers import LOGS, PATIENCE, PER_NUMBER, SEEDS, SPARE, failed_with, ignoring, plain
from hdp_audit.targets.command import Command
from hdp_audit.targets.failures import ProgramEnded, ProgramError, ProgramLate, WrongCount
from hdp_audit.targets.once import Once
from hdp_audit.targets.pipe import Broken, Ended, Late, Pipe, without_controls

Floats = NDArray[np.float64]

AGAIN = 200  # times `restarts`: starts in a row, of a program that has answered before; requests stand alone
OUTPUTS = 10_000  # of one request
NUMBERS = 200_000  # of the datasets of one request
BRIEF = 2  # requests of one output that show a program's pace


@dataclass(frozen=True, eq=False)
class OpenedProgram:
    """Makes the mechanism; picklable, so that every worker starts a process of its own.

    `promise` is for a first request on zeros, which shows whether the program takes datasets; None where zeros are no
    data (custom tasks). `columns` are the names of its columns.
    """

    command: Command
    promise: Promise | None
    width: int = 1
    columns: tuple[str, ...] = ("epsilon",)

    @property
    def process(self) -> str:
        """How it is started."""
        return Once.process if self.command.protocol == "once" else Program.process

    def __call__(self) -> Program | Once:
        """A program, started at the first call, or for each."""
        if self.command.protocol == "once":
            return Once(self.command, self.width, self.columns)
        return Program(self)


class Program:
    """The callable; `many` is there only if the program said that it takes datasets."""

    process: ClassVar[str] = "one"

    def __init__(self, opened: OpenedProgram) -> None:
        self.__name__ = Path(opened.command.arguments[0]).name
        self._opened = opened
        self._pipe: Pipe | None = None
        self._starts = self._asked = self._answered = self._late = 0  # `_starts`: since the last answer
        self._warm = False
        self._ignored = ignoring(opened.command)
        self._pace = 0.0  # seconds for an output, the quickest seen
        self._datasets: bool | None = None
        self._why = ""  # what it did last that it must not do

    def __call__(self, *given: Any) -> Any:
        """One output, for data, columns of the promise, and a generator."""
        return self.batch(*given, 1)[0]

    def batch(self, data: NDArray[Any], *given: Any) -> list[Any]:
        """As many outputs for one dataset as the last argument says, in requests of at most 10,000."""
        *columns, rng, size = given
        if size > 1 and not self._warm:
            self._warm_up(data, columns)
        outputs: list[Any] = []
        body = {"data": plain(data), **self._promised(columns)}
        while len(outputs) < size:
            part = min(OUTPUTS, size - len(outputs))
            outputs += self._request({**body, "size": part}, part, f"size = {part}", rng)
        return outputs

    def _warm_up(self, data: NDArray[Any], columns: list[Floats]) -> None:
        """Outputs that nobody uses show its pace: how a request is cut must not depend on what was asked before."""
        self._warm = True
        if self._answered >= BRIEF or self._starts:
            return
        if self._opened.promise is not None:
            self._greet(self._opened.promise, BRIEF)
            return
        rng = np.random.default_rng(0)
        with contextlib.suppress(ProgramError, WrongCount):
            for _ in range(BRIEF):
                self.batch(data, *columns, rng, 1)

    @property
    def limit(self) -> float:
        """Seconds that a call may take."""
        return float(self._opened.command.timeout)

    @property
    def given_up(self) -> bool:
        """Whether it is not asked any more."""
        return self._late >= PATIENCE or (self._pipe is None and self._starts > self._most_starts)

    @property
    def _most_starts(self) -> int:
        return self._opened.command.restarts * (AGAIN if self._answered else 1)

    def __getattr__(self, name: str) -> Any:
        if name == "many" and self._takes_datasets():
            return self._many
        raise AttributeError(name)

    def close(self) -> None:
        """End the process."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    def _promised(self, columns: list[Floats]) -> dict[str, Any]:
        """Columns by their names."""
        return {name: plain(column) for name, column in zip(self._opened.columns, columns, strict=True)}

    def _many(self, datasets: NDArray[Any], *given: Any) -> list[Any]:
        *columns, rng = given
        rows = max(1, NUMBERS // max(datasets.shape[1], 1))
        outputs: list[Any] = []
        for start in range(0, datasets.shape[0], rows):
            part = datasets[start : start + rows]
            asked = {"datasets": plain(part), **self._promised(columns)}
            outputs += self._request(asked, len(part), f"{len(part)} datasets", rng)
        return outputs

    def _takes_datasets(self) -> bool:
        """Known from the program's first line, which comes with the first answer at the latest."""
        promise = self._opened.promise
        if self._datasets is None and self._starts == 0 and promise is not None:
            self._greet(promise, BRIEF)
        return bool(self._datasets)

    def _greet(self, promise: Promise, size: int) -> None:
        zeros = np.zeros(len(promise), dtype=np.int64)
        rng = np.random.default_rng(0)
        with contextlib.suppress(ProgramError, WrongCount):
            for _ in range(size):
                self.batch(zeros, *promise.columns.values(), rng, 1)

    def _request(self, body: dict[str, Any], outputs: int, due: str, rng: np.random.Generator) -> list[Any]:
        """As many outputs as are due; `WrongCount` where more or fewer came."""
        self._asked += 1
        request = {"id": self._asked, **body, "seed": int(rng.integers(SEEDS))}
        started = time.monotonic()
        try:
            found = self._found(request, outputs)
        except Broken as why:
            failed = failed_with(why, "" if self._pipe is None else self._pipe.stderr())
            self.close()
            self._late += isinstance(why, Late)
            self._why = str(failed)
            if self._starts == 1 and not self._answered and self._opened.promise is not None:
                self._greet(self._opened.promise, 1)  # data may end it that are not these
            raise failed from None
        self._starts = 0
        if len(found) != outputs:
            raise WrongCount(f"outputs has {_entries(len(found))} for {due}", _entries(len(found)))
        pace = (time.monotonic() - started) / outputs
        self._pace = min(self._pace, pace) if self._answered else pace
        self._answered += 1
        return found

    def _found(self, request: dict[str, Any], outputs: int) -> list[Any]:
        """Its outputs; somebody may end it, and what it would have said does not depend on that."""
        line = json.dumps(request).encode() + b"\n"
        try:
            return _outputs(self._answer(self._running(), line, outputs), request["id"])
        except Ended as why:
            if not why.from_outside or not self._answered:
                raise
            self.close()
            return _outputs(self._answer(self._running(), line, outputs), request["id"])

    def _running(self) -> Pipe:
        if self._pipe is None:
            if self._late >= PATIENCE:
                raise ProgramLate(f"{self._why}; after {self._late} such requests it is not asked any more")
            if self._starts > self._most_starts:
                raise ProgramEnded(f"{self._why}; after {self._starts} starts it is not asked any more")
            self._starts += 1
            command = self._opened.command
            self._pipe = Pipe(command.arguments, command.folder, command.memory_mb << 20)
            self._fresh = True
        return self._pipe

    def _answer(self, pipe: Pipe, line: bytes, outputs: int) -> dict[str, Any]:
        """The next object from the program; a hello may come before the first one."""
        seconds = self._opened.command.timeout + 10.0 * self._pace * outputs
        most = SPARE + PER_NUMBER * outputs * self._opened.width
        answer = self._object(pipe, line, seconds, most)
        if self._fresh:
            self._fresh = False
            self._datasets = answer.get("datasets") is True
            if "hello" in answer:
                answer = self._object(pipe, b"", seconds, most)
        return answer

    def _object(self, pipe: Pipe, line: bytes, seconds: float, most: int) -> dict[str, Any]:
        """The next line that is no log, as an object."""
        until = time.monotonic() + seconds
        found = pipe.ask(line, seconds, most)
        while self._ignored(found):
            found = pipe.ask(b"", max(until - time.monotonic(), 0.0), most)
        return _parsed(found)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise Broken(f"wrote a line that is no JSON object: {_short(line)}; {LOGS}")
    return answer


def _outputs(answer: dict[str, Any], number: int) -> list[Any]:
    if answer.get("id") != number:
        raise Broken(f"answered id {_short(str(answer.get('id')).encode())} to request {number}")
    if "error" in answer:
        raise ProgramError(f"the program says: {without_controls(str(answer['error']))[:500]}")
    outputs = answer.get("outputs")
    if not isinstance(outputs, list):
        raise Broken('gave an answer without a list of "outputs"')
    return outputs


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _short(line: bytes) -> str:
    return without_controls(line[:80].decode("utf-8", errors="replace"))
