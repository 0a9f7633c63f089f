"""Limits of in-process Python are kept from outside: a call that cannot be stopped is an outcome, the rest is kept."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets import watcher
from hdp_audit.targets.call_ends import CallDied, CallEndedLate, CallTimeout
from hdp_audit.targets.executors import executor
from hdp_audit.targets.fate import LOADING, Fate
from hdp_audit.targets.memory import limit_memory
from hdp_audit.targets.orphans import orphaned
from hdp_audit.targets.timed import Timed
from hdp_audit.targets.workers import Past


def deaf() -> None:
    """Catches whatever should stop it."""
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(60)


def alarmless() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(60)


def exits() -> None:
    os._exit(0)


def crashes() -> None:
    ctypes.string_at(0)


def calls(end: Callable[[], None]) -> tuple[list[str], list[str]]:
    """Five calls, of which the third does this."""
    made: list[int] = []
    told, noted = [], []

    def release(number: int) -> str:
        made.append(number)
        if number == 2:
            end()
        return "fine"

    mechanism = Timed(release, 0.1)
    for number in range(5):
        try:
            told.append(mechanism(number))
        except (CallDied, CallEndedLate) as why:
            told.append(type(why).__name__)
            noted.append(str(why))
    return told, noted


def lost(item: object, fate: Fate) -> tuple[list[str], list[str]]:
    raise HdpAuditError(f"{item} {fate}")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "GRACE", 200_000_000)


@pytest.mark.parametrize(
    ("end", "failure", "words"),
    [
        (deaf, "CallEndedLate", "took longer than 0.1 s"),
        (alarmless, "CallEndedLate", "took longer than 0.1 s"),
        (exits, "CallDied", "the process died"),
        (crashes, "CallDied", "the process died"),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_a_call_that_ends_its_process_is_the_only_one_that_fails(
    end: Callable[[], None], failure: str, words: str
) -> None:
    with executor("local", 1, lost, apart=True) as each:
        ((told, noted),) = each(calls, [end])
    assert told == ["fine", "fine", failure, "fine", "fine"]
    assert words in noted[0]


def test_a_call_that_catches_its_alarm_and_answers_is_late_all_the_same() -> None:
    def release() -> str:
        with contextlib.suppress(BaseException):
            time.sleep(60)
        return "fine"

    with pytest.raises(CallTimeout, match=r"took longer than 0\.02 s"):
        Timed(release, 0.02)()


def hungry(most: int) -> tuple[str, str]:
    limit_memory(most)
    told = []
    for size in (most // 4, 2 * most):
        try:
            told.append(str(np.ones(size // 8).sum() > 0))
        except MemoryError:
            told.append("MemoryError")
    return told[0], told[1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what a process maps")
def test_memory_is_limited_in_a_worker_and_nowhere_else() -> None:
    with executor("local", 1, lost, apart=True) as each:
        assert list(each(hungry, [1 << 30])) == [("True", "MemoryError")]
    limit_memory(1 << 20)
    assert np.ones(1 << 20).sum() == 1 << 20


def leaves_thread(_: int) -> int:
    threading.Thread(target=time.sleep, args=(600,)).start()
    return os.getpid()


def test_a_worker_with_a_thread_left_behind_is_ended() -> None:
    started = time.monotonic()
    with executor("local", 1, lost, apart=True) as each:
        (worker,) = each(leaves_thread, [0])
    assert time.monotonic() - started < 60
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)


ORPHAN = """
import subprocess, sys, os
from hdp_audit.targets.orphans import adopt, end_orphans, own
adopt()
needed = subprocess.Popen(["sleep", "60"])
own.add(needed.pid)
parent = subprocess.run([sys.executable, "-IS", "-c", '''
import os
child = os.fork()
if child:
    print(child)
else:
    os.setsid()
    os.execvp("sleep", ["sleep", "600"])
'''], capture_output=False, stdout=open("pid", "w"))
end_orphans()
orphan = int(open("pid").read())
try:
    os.kill(orphan, 0)
except ProcessLookupError:
    print("gone", needed.poll())
needed.kill()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")
def test_a_daemon_is_found_and_ended_and_what_is_needed_stays(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", ORPHAN], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "gone None\n"


def test_loading_that_took_too_long_is_not_begun_again() -> None:
    late, died = Fate("late", LOADING, 20.0), Fate("died", LOADING)
    assert not Past().goes_on(late)
    assert Past().goes_on(died)  # somebody may have killed it


class Hasty:
    """What a worker shares, where its call ends right after the first look."""

    def __init__(self, until: int) -> None:
        self.until = until

    def __getitem__(self, place: int) -> int:
        seen, self.until = self.until, 0
        return seen


@pytest.mark.parametrize(("until", "late"), [(50, False), (0, False), (5, True)])
def test_a_call_that_ends_while_somebody_looks_is_not_late(until: int, late: bool) -> None:
    """It was: the first look saw a call, the second one a 0 for its end, which lies before any time."""
    second = 1_000_000_000
    assert watcher.is_late(Hasty(until * second), 20 * second) is late  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")
def test_a_worker_whose_server_died_before_it_could_say_so_is_an_orphan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parent is the run itself by then, which a mechanism that kills its parent would kill."""
    assert not orphaned()
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: SimpleNamespace(pid=os.getppid()))
    assert orphaned()
