"""What a worker of a cluster does with a bundle, tried without a cluster: files that it lacks, and limits."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from hdp_audit.targets import cluster_task, deputies
from hdp_audit.targets.chunks import Same
from hdp_audit.targets.cluster_task import Lacks, Task
from hdp_audit.targets.crew import Bundle, Made
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.parcel import parcel_of, without_folder
from hdp_audit.targets.python import OpenedTarget, Target
from hdp_audit.targets.sources import Sources, combined
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from tests.subjects import subject_of

USERS = 4
HELPER = "def scale(): return 2.0\n"
RELEASE = """
import os, time
from beside import scale
def plain(data, epsilon, rng): return scale() * rng.random()
def raises(data, epsilon, rng): raise OSError("no such table on this machine")
def dies(data, epsilon, rng): os._exit(3)
def sleeps(data, epsilon, rng):
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass
"""


@dataclass(frozen=True)
class Opened:
    target: Target

    def __call__(self) -> Subject:
        return subject_of(OpenedTarget(self.target, 0.2)(), np.full(USERS, 0.5))


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[deputies.Deputies]:
    """Of a worker that has a folder for itself."""
    here = SimpleNamespace(address="tcp://worker", local_directory=str(tmp_path))
    monkeypatch.setattr(cluster_task, "_here", lambda: here)
    monkeypatch.setattr(cluster_task, "_received", {})
    own = deputies.Deputies()
    monkeypatch.setattr(cluster_task, "deputies", lambda: own)
    yield own
    own.end()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "spec"
    place.mkdir()
    (place / "release.py").write_text(RELEASE)
    (place / "beside.py").write_text(HELPER)
    return place


def sent(folder: Path, name: str) -> tuple[Task, bytes, bytes]:
    """The task, how the subject is opened, and a bundle of one chunk."""
    target = Target(f"release.py:{name}", folder)
    sources = Sources(folder, (target,))
    files = {name: file.sha256 for name, file in sources.files().items()}
    assert set(files) == {"release.py", "beside.py"}
    same = Fingerprint(sources=sources, files=files)
    subject = Opened(Target("release.py:plain", folder))()
    data = subject.dataset(np.zeros(USERS))
    subject.draw(data, 2, named(1, "shape"))
    chunk = Same(named(1, "chunk"), data, 5)
    opening = without_folder(pickle.dumps(Opened(target)), folder)
    return Task(same, frozenset(files), combined(files)), opening, pickle.dumps(Bundle(subject.known, [chunk]))


def tables(found: object) -> list[Made]:
    assert isinstance(found, bytes), found
    made: list[Made] = pickle.loads(found)  # noqa: S301 - made here
    return made


@pytest.mark.usefixtures("crew")
def test_files_that_a_worker_lacks_are_sent_once_and_give_the_same_numbers(folder: Path) -> None:
    task, opening, bundle = sent(folder, "plain")
    parcel, expected = parcel_of(task.same), tables(task(opening, bundle))
    assert expected[0] is not None
    for name in ("release.py", "beside.py"):
        (folder / name).unlink()
    assert task(opening, bundle) == Lacks("tcp://worker")
    for more in ((parcel,), ()):  # they are kept
        (again,) = tables(task(opening, bundle, *more))
        assert again is not None
        assert np.array_equal(again[0], expected[0][0])


@pytest.mark.usefixtures("crew")
def test_a_file_that_differs_is_refused_and_never_replaced(folder: Path) -> None:
    task, opening, bundle = sent(folder, "plain")
    parcel = parcel_of(task.same)
    (folder / "beside.py").write_text("def scale(): return 3.0\n")
    assert "beside.py has changed" in str(task(opening, bundle, parcel))
    (folder / "beside.py").unlink()
    other = replace(parcel, files={**parcel.files, "beside.py": (b"def scale(): return 3.0\n", 0o644)})
    assert "a worker that was sent files differs (beside.py has changed)" in str(task(opening, bundle, other))


@pytest.mark.parametrize("name", ["dies", "sleeps"])
def test_a_call_on_a_worker_that_never_comes_back_costs_its_process_alone(
    crew: deputies.Deputies, folder: Path, name: str
) -> None:
    task, opening, bundle = sent(folder, name)
    started = time.monotonic()
    assert tables(task(opening, bundle)) == []
    assert time.monotonic() - started < 30
    task, opening, bundle = sent(folder, "plain")
    assert tables(task(opening, bundle))[0] is not None
    assert os.getpid() not in crew.processes


@pytest.mark.usefixtures("crew")
def test_calls_that_fail_on_a_worker_are_made_again_by_whoever_asked(folder: Path) -> None:
    task, opening, bundle = sent(folder, "raises")
    assert tables(task(opening, bundle)) == [None]


def test_who_has_nothing_to_do_is_let_go(crew: deputies.Deputies, folder: Path) -> None:
    task, opening, bundle = sent(folder, "plain")
    task(opening, bundle)
    (process,) = crew.processes
    crew.dismiss(idle=60.0)
    os.kill(process, 0)
    crew.dismiss(idle=0.0)
    assert not crew.processes
