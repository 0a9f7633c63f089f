"""One long-lived process and lines to and from it, with limits on time and output."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from hdp_audit.targets.orphans import end_orphans, own
from hdp_audit.targets.threads import ONE

LAUNCHER = str(Path(__file__).with_name("launch.py"))  # a script; it needs POSIX
TAIL = 4096  # bytes of stderr that are kept
CHUNK = 1 << 16
ENDING = 1.0  # seconds for a program that closed its output to end
FROM_OUTSIDE = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)  # signals by which others end a program
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_alive: weakref.WeakSet[Pipe] = weakref.WeakSet()


class Broken(Exception):
    """The process died, hung or wrote too much; it cannot be used any more."""


class Ended(Broken):
    """The process is gone, or closed its output; `code` is negative where a signal ended it."""

    def __init__(self, told: str, code: int = 0) -> None:
        super().__init__(told)
        self.from_outside = -code in FROM_OUTSIDE


class Late(Broken):
    """The process hung."""


class Pipe:
    """The process runs in a session of its own with a clean environment; `close` ends everything it started.

    `brief`: one of many short lives. It is limited just after its start where that is possible, as the launcher takes
    longer to start than many programs.
    """

    def __init__(self, command: Sequence[str], folder: Path, memory: int, *, brief: bool = False) -> None:
        direct = brief and sys.platform == "linux"
        self._process = subprocess.Popen(  # noqa: S603 - the user's own program, without a shell
            command if direct else [sys.executable, "-I", "-S", LAUNCHER, str(memory), *command],
            cwd=folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **ONE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        if direct:
            _limit(self._process.pid, memory)
        self._in, self._out, self._err = _pipes(self._process)
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream.fileno(), False)
        self._buffer = bytearray()
        self._said = bytearray()
        self._pending = b""
        self._last = False  # whether nothing more will be sent
        own.add(self._process.pid)
        self._end = weakref.finalize(self, _end, self._process)
        _alive.add(self)

    def close(self) -> None:
        """End the process and its group."""
        self._end()

    def ask(self, line: bytes, seconds: float, most: int) -> bytes:
        """Send a line (or nothing) and wait for one back; `Broken` where there is none in time."""
        self._pending += line  # a program may greet before it has read all of the last one
        late = (
            f"gave no answer within {seconds:.3g} s; it must read by lines and flush each answer (one that reads all "
            'of its input and ends is started for each release, with protocol = "once")'
        )
        self._exchange(lambda: b"\n" in self._buffer, seconds, most, late)
        answer, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return answer

    def whole(self, text: bytes, seconds: float, most: int) -> bytes:
        """Send a text, close the input, and wait for all that is written until the process ends, and ends well."""
        self._pending, self._last = text, True
        late, started = f"did not end within {seconds:.3g} s", time.monotonic()
        try:
            self._exchange(lambda: False, seconds, most, late)
        except Ended:
            left = max(seconds - (time.monotonic() - started), 0.1)
        try:
            code = self._process.wait(timeout=left)
        except subprocess.TimeoutExpired:
            raise Late(late) from None
        if code != 0:
            raise Ended(_ending(code), code)
        return bytes(self._buffer)

    def _exchange(self, done: Callable[[], bool], seconds: float, most: int, late: str) -> None:
        """Write what is pending and read until it is done; `Ended` where the output is closed."""
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._err, selectors.EVENT_READ)
            if self._pending:
                selector.register(self._in, selectors.EVENT_WRITE)
            while not done():
                left = until - time.monotonic()
                if left <= 0:
                    raise Late(late)
                for key, _ in selector.select(left):
                    if key.fileobj is self._in:
                        self._write(selector)
                    else:
                        self._read(selector, key.fileobj)
                if len(self._buffer) > most:
                    raise Broken(f"wrote {'' if self._last else 'a line of '}more than {most} bytes")

    def stderr(self) -> str:
        """The end of what the program wrote to stderr, safe to show."""
        try:
            while piece := self._err.read(CHUNK):
                self._keep(piece)
        except OSError:
            pass
        return without_controls(self._said.decode("utf-8", errors="replace"))

    def _write(self, selector: selectors.BaseSelector) -> None:
        try:
            self._pending = self._pending[os.write(self._in.fileno(), self._pending[:CHUNK]) :]
        except (BrokenPipeError, ConnectionError):
            self._pending = b""  # it died; reading says how
        if not self._pending:
            selector.unregister(self._in)
            if self._last:
                self._in.close()

    def _read(self, selector: selectors.BaseSelector, stream: object) -> None:
        source = self._out if stream is self._out else self._err
        piece = os.read(source.fileno(), CHUNK)
        if stream is self._err:
            self._keep(piece)
        else:
            self._buffer += piece
        if not piece:
            selector.unregister(source)
            if stream is self._out:
                raise self._end_of_output()

    def _keep(self, piece: bytes) -> None:
        self._said = (self._said + piece)[-TAIL:]

    def _end_of_output(self) -> Broken:
        """One that says no more and does not end has hung."""
        try:
            code = self._process.wait(timeout=ENDING)
        except subprocess.TimeoutExpired:
            return Late("closed its output and did not end")
        return Ended(_ending(code), code)


def close_all() -> None:
    """End every process of this interpreter, as before an abrupt exit."""
    for pipe in list(_alive):
        pipe.close()


def _ending(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


def without_controls(text: str) -> str:
    """Lines without escape sequences or control characters."""
    plain = _ESCAPES.sub("", text)
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in plain).strip()


def _limit(process: int, memory: int) -> None:
    """As the launcher does, from outside."""
    import resource

    from hdp_audit.targets.launch import limits

    with contextlib.suppress(ProcessLookupError, PermissionError):  # it may have ended already
        for what, value in limits(memory):
            resource.prlimit(process, what, (value, value))


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise AssertionError("all three are pipes")
    return process.stdin, process.stdout, process.stderr


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()
    own.discard(process.pid)
    end_orphans()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
