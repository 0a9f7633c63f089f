"""A Dask cluster gives the report that one process gives; runs where the extra `dask` is installed."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import pytest

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets import cluster
from hdp_audit.targets.cluster_task import Task
from hdp_audit.targets.executors import executor
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.parcel import Parcel
from hdp_audit.targets.requests import Request
from tests.cli.specs import REFERENCE, TARGET, invoke, written
from tests.targets.slow_draws import drawn

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # what a cluster complains about when it ends is not ours


def lost(item: object, _fate: object) -> object:
    return item


SLOW = """
import time
import numpy as np
def private_mean(data, epsilon, rng):
    time.sleep(0.0005)
    spent = np.minimum(epsilon, 0.5)
    return float((spent @ data + rng.laplace()) / spent.sum())
"""


@pytest.mark.parametrize("spec", [REFERENCE, TARGET.format(name="private_mean").replace("4000", "1200")])
def test_two_processes_and_a_cluster_give_the_report_of_one(spec: str, tmp_path: Path) -> None:
    path, found = written(tmp_path, spec), []
    (tmp_path / "release.py").write_text(SLOW)
    for name, jobs in (("local", 1), ("local", 2), ("dask", 1)):
        out = tmp_path / f"{name}-{jobs}"
        done = invoke("run", path, "--executor", name, "--jobs", jobs, "--out", out, "--quiet")
        assert done.exit_code == 0, done.output
        found.append(json.loads((out / "report.json").read_text()))
        found[-1]["totals"].pop("seconds")
        for name_of_time in ("date", "seconds_by_check"):
            found[-1]["environment"].pop(name_of_time)
    assert found[0] == found[1] == found[2]


def deputies_of_this_worker() -> list[int]:
    return [child.pid for child in multiprocessing.active_children() if child.pid is not None]


def test_the_workers_of_the_cluster_at_the_address_help() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        with executor(f"dask={cluster.scheduler_address}", 1, lost, apart=False) as each:
            (who,) = each(drawn, ["tells_who"])
        with distributed.Client(cluster) as client:
            (theirs,) = client.run(deputies_of_this_worker).values()
            workers = set(client.run(os.getpid).values())
    assert len(theirs) == 1  # a process of the worker's own, so that limits hold there
    assert set(theirs) < set(who)
    assert len(set(who)) == 2
    assert not {os.getpid(), *workers} & set(who)


def test_no_worker_is_said_in_a_sentence_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WAITING", 0.1)
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty:
        address = empty.scheduler_address
        with (
            pytest.raises(HdpAuditError, match=f"has no worker.*start one with: dask worker {address}"),
            executor(f"dask={address}", 1, lost, apart=False),
        ):
            pytest.fail("work was sent")


def test_a_cluster_that_adapts_starts_a_worker_when_there_is_work() -> None:
    distributed = pytest.importorskip("distributed")
    said: list[str] = []
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        cluster.adapt(minimum=0, maximum=1, interval="200ms", wait_count=20)
        with executor(f"dask={cluster.scheduler_address}", 1, lost, apart=False, tell=said.append) as each:
            assert list(each(drawn, ["noisy"])) == [drawn("noisy")]
    assert said == ["executor dask: the cluster has no worker yet; waiting for one, 60 s at most"]


def test_a_cluster_that_let_everybody_go_is_invited_again_and_no_error_while_nothing_is_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "LOOK", 0.0)
    monkeypatch.setattr(cluster, "WAITING", 0.0)
    invited: list[object] = []

    def submit(*given: object, **_: object) -> SimpleNamespace:
        invited.append(given)
        return SimpleNamespace(add_done_callback=lambda _: None)

    client = SimpleNamespace(scheduler_info=lambda **_: {"workers": {}}, submit=submit, status="running")

    empty = cluster.Cluster(None, client, Task(Fingerprint()), Parcel())
    assert [empty.free for _ in range(3)] == [False, False, False]
    assert invited == [(int,)]
    empty.begin(Request(b"", [b""], deque([0])), 0)
    with pytest.raises(HdpAuditError, match="no worker, or no answer of the scheduler"):
        _ = [empty.free for _ in range(2)]


def test_a_mechanism_that_dies_on_workers_of_a_cluster_loses_nothing() -> None:
    distributed = pytest.importorskip("distributed")
    local = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as client:
        workers = client.run(os.getpid)
        with executor(f"dask={cluster.scheduler_address}", 1, lost, apart=False) as each:
            (whole,) = each(drawn, ["fatal_elsewhere"])
        assert all(0.0 <= output < 1.0 for output in whole)
        assert client.run(os.getpid) == workers  # not even restarted


def test_a_scheduler_that_is_gone_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WAITING", 0.5)
    distributed = pytest.importorskip("distributed")
    gone = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with executor(f"dask={gone.scheduler_address}", 1, lost, apart=False) as each:
        list(each(drawn, ["tells_who"]))
        gone.close()
        with pytest.raises(HdpAuditError, match=r"executor dask: .*--resume goes on"):
            list(each(drawn, ["tells_who"] * 100))


def test_no_cluster_is_said_in_a_sentence() -> None:
    with pytest.raises(HdpAuditError, match="no cluster at"), executor("dask=nonsense://x", 1, lost, apart=False):
        pass
