"""Linear algebra of a check runs on one thread, wherever it runs, and the user's process is left as it was."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import hdp_audit
from hdp_audit.api import audit
from hdp_audit.targets.pipe import Pipe
from hdp_audit.targets.threads import ONE, one_thread, one_thread_for_children

TWO = {**os.environ, **dict.fromkeys(ONE, "2"), "PYTHONPATH": str(Path(hdp_audit.__file__).parents[1])}
WORKER = """
import os
import numpy as np
import threadpoolctl
from hdp_audit.targets.executors import executor

def threads(_):
    np.ones((50, 50)) @ np.ones((50, 50))
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info()], dict(os.environ)

def lost(item, fate):
    return None

if __name__ == "__main__":
    here = [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]
    assert 2 in here, here
    with executor("local", 2, lost, apart=True) as each:
        for found, environment in each(threads, [1, 2, 3]):
            assert found and set(found) == {1}, found
            assert environment["OMP_NUM_THREADS"] == environment["MKL_NUM_THREADS"] == "1"
    assert here == [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]
    assert os.environ["OMP_NUM_THREADS"] == "2"
"""


def pools() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info()]


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one processor has one thread")
def test_workers_compute_on_one_thread_whatever_the_environment_says(tmp_path: Path) -> None:
    """In a process of its own, as a server of workers that runs already keeps what it was started with."""
    script = tmp_path / "script.py"
    script.write_text(WORKER)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=TWO, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr


def test_an_audit_in_this_process_computes_on_one_thread_and_restores_the_others() -> None:
    seen: set[int] = set()
    calls = itertools.count()

    def mechanism(data: Any, epsilon: Any, rng: Any) -> float:
        if next(calls) % 200 == 0:  # looking takes time
            seen.update(pools())
        return float((0.5 * data.sum() + rng.laplace()) / (0.5 * data.size))

    with threadpool_limits(2):
        before = pools()
        assert 2 in before
        audit(mechanism, epsilon=np.full(4, 0.5), task="mean", budget=1000)
        assert pools() == before
    assert seen == {1}


def test_limits_are_restored_after_an_exception() -> None:
    with threadpool_limits(2):
        before = pools()
        with pytest.raises(ValueError, match="why"), one_thread():
            raise ValueError("why")
        assert pools() == before


def test_the_environment_is_changed_for_children_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = dict(os.environ)
    with one_thread_for_children():
        assert {name: os.environ[name] for name in ONE} == ONE
    assert dict(os.environ) == before


def test_programs_are_told_to_use_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    code = "import os; print(*(os.environ.get(name) for name in os.environ if name.endswith('_THREADS')), flush=True)"
    pipe = Pipe([sys.executable, "-S", "-c", code], tmp_path, 1 << 32)
    try:
        assert pipe.ask(b"", 30.0, 1000).split() == [b"1"] * len(ONE)
    finally:
        pipe.close()
