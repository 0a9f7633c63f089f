"""Executors: results in order, the same whoever computes, and a death is one item's."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.targets import workers
from hdp_audit.targets.executors import cores, executor
from hdp_audit.targets.worker import Line, crew_here
from tests.targets.slow_draws import drawn


def square(number: int) -> int:
    return number * number


def process(_: int) -> int:
    return os.getpid()


def fragile(number: int) -> int:
    if number == 3:
        os._exit(1)
    return number


def refuses(number: int) -> int:
    raise HdpAuditError(f"no {number}")


def lost(item: object, _fate: object) -> str:
    return f"lost {item}"


@pytest.mark.parametrize(("jobs", "apart"), [(1, False), (1, True), (2, False)])
def test_results_come_in_order(jobs: int, apart: bool) -> None:
    with executor("local", jobs, lost, apart=apart) as each:
        assert list(each(square, list(range(20)))) == [n * n for n in range(20)]
        assert list(each(square, [])) == []


def test_one_job_stays_here_unless_it_has_to_be_apart() -> None:
    with executor("local", 1, lost, apart=False) as each:
        assert list(each(process, [1])) == [os.getpid()]
    with executor("local", 1, lost, apart=True) as each:
        assert list(each(process, [1])) != [os.getpid()]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_death_costs_one_item(jobs: int) -> None:
    with executor("local", jobs, lost, apart=True) as each:
        assert list(each(fragile, [1, 2, 3, 4, 5])) == [1, 2, "lost 3", 4, 5]


def scribbles(number: int) -> int:
    line = crew_here()
    if number == 3 and isinstance(line, Line):
        os.write(line.pipe.fileno(), b"\xff" * 100)
    return number


def test_who_writes_into_the_pipe_of_its_worker_costs_one_item() -> None:
    with executor("local", 2, lost, apart=True) as each:
        *others, _ = each(scribbles, [1, 2, 4, 5, 3])  # where it is alone nobody helps, and there is no such pipe
        assert others == [1, 2, 4, 5]


def spoils_pickling(number: int) -> int:
    if number == 3:
        pickle.dumps = lambda *_given, **_named: b"spoiled"
    return number


def test_a_result_that_cannot_be_read_costs_one_item() -> None:
    with executor("local", 1, lost, apart=True) as each:
        assert list(each(spoils_pickling, [1, 2, 3, 4])) == [1, 2, "lost 3", 4]


def test_a_slow_item_is_helped_by_those_who_have_nothing_to_do() -> None:
    with executor("local", 2, lost, apart=True) as each:
        (who,) = each(drawn, ["tells_who"])
        assert len(set(who)) == 2
    with executor("local", 1, lost, apart=True) as each:
        (who,) = each(drawn, ["tells_who"])
        assert len(set(who)) == 1


def test_who_dies_while_helping_takes_nobody_along() -> None:
    plain = drawn("noisy")
    with executor("local", 2, lost, apart=True) as each:
        assert list(each(drawn, ["noisy"])) == [plain]
        (whole,) = each(drawn, ["fatal_elsewhere"])
        assert len(whole) == len(plain)


def waits_for(path: Path) -> str:
    path.with_name(f"{os.getpid()}.pid").touch()
    while not path.exists():
        time.sleep(0.01)
    return "done"


def test_two_workers_that_are_killed_at_once_have_their_work_done_again(tmp_path: Path) -> None:
    def kill() -> None:
        while len(begun := list(tmp_path.glob("*.pid"))) < 2:
            time.sleep(0.01)
        for each in begun:
            os.kill(int(each.stem), signal.SIGKILL)
        (tmp_path / "go").touch()

    killer = threading.Thread(target=kill)
    killer.start()
    with executor("local", 2, lost, apart=True) as each:
        assert list(each(waits_for, [tmp_path / "go", tmp_path / "go"])) == ["done", "done"]
    killer.join()


STOPS_ITS_PARENT = "import os, signal; os.kill(os.getppid(), signal.SIGSTOP)"


def stops(what: str) -> str:
    if what == "a program stops its worker":
        subprocess.run([sys.executable, "-I", "-c", STOPS_ITS_PARENT], check=True)  # noqa: S603
    else:
        os.kill(os.getppid(), signal.SIGSTOP)
    return what


@pytest.mark.skipif(sys.platform != "linux", reason="a worker that was stopped is known by /proc")
@pytest.mark.parametrize("what", ["a program stops its worker", "a worker stops its server"])
def test_who_was_stopped_goes_on(what: str) -> None:
    def rescue() -> None:  # what hung would hang these tests
        for child in multiprocessing.active_children():
            child.kill()
        late.append(what)

    late: list[str] = []
    guard = threading.Timer(60.0, rescue)
    guard.start()
    with executor("local", 1, lost, apart=True) as each:
        assert list(each(stops, [what, what])) == [what, what]
    guard.cancel()
    assert not late


def asks_late(folder: Path) -> str:
    line = crew_here()
    assert line is not None
    line.offer(b"no subject", [b"no bundle"])  # of which comes an empty list
    (folder / "begun").touch()
    while not (folder / "go").exists():
        time.sleep(0.01)
    line.finished()
    (folder / "told").touch()
    line.finished()  # nobody will tell
    return "done"


def test_who_is_interrupted_tells_what_others_have_done_before_all_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        (tmp_path / "go").touch()

    monkeypatch.setattr(workers, "SOON", 20.0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt), executor("local", 2, lost, apart=True) as each:
            list(each(asks_late, [tmp_path]))
    finally:
        signal.signal(signal.SIGINT, before)
    assert (tmp_path / "told").exists()


def test_a_refusal_comes_through() -> None:
    with pytest.raises(HdpAuditError, match="no 1"), executor("local", 2, lost, apart=True) as each:
        list(each(refuses, [1, 2]))


def test_results_can_be_taken_one_by_one() -> None:
    with executor("local", 2, lost, apart=True) as each:
        results: Iterator[int] = iter(each(square, [1, 2, 3]))
        assert next(results) == 1
        assert next(results) == 4


def test_unknown_executors_are_refused() -> None:
    for text in ("cloud", "local=3", ""):
        with pytest.raises(InvalidInput, match="allowed: local, dask"), executor(text, 1, lost, apart=False):
            pass
    assert cores() >= 1


def of_global_generators(_: int) -> tuple[int, float, float]:
    time.sleep(0.2)  # so that both processes work
    return os.getpid(), random.random(), float(np.random.random())  # noqa: NPY002, S311 - as mechanisms may


def test_global_generators_give_no_two_processes_and_no_two_items_the_same_noise() -> None:
    """Equal doubles come by chance with probability below 2⁻⁴⁵."""
    with executor("local", 2, lost, apart=True) as each:
        found = list(each(of_global_generators, [1, 2, 3, 4]))
    assert len({process for process, _, _ in found}) == 2
    for column in (1, 2):
        assert len({row[column] for row in found}) == 4
