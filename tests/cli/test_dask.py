"""A Dask cluster gives the report that one process gives; runs where the extra `dask` is installed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets.executors import executor
from tests.cli.specs import REFERENCE, invoke, written

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # what a cluster complains about when it ends is not ours


def fresh(_: int) -> bytes:
    return os.urandom(8)


def lost(item: object, _fate: object) -> object:
    return item


def test_equal_looking_work_is_done_each_time() -> None:
    with executor("dask", 1, lost, apart=False) as each:
        assert len(set(each(fresh, [0] * 20))) == 20


def test_a_cluster_gives_the_report_of_one_process(tmp_path: Path) -> None:
    spec, found = written(tmp_path, REFERENCE), []
    for name in ("local", "dask"):
        done = invoke("run", spec, "--executor", name, "--jobs", 1, "--out", tmp_path / name, "--quiet")
        assert done.exit_code == 0, done.output
        found.append(json.loads((tmp_path / name / "report.json").read_text()))
        found[-1]["totals"].pop("seconds")
        for name_of_time in ("date", "seconds_by_check"):
            found[-1]["environment"].pop(name_of_time)
    assert found[0] == found[1]


def process(_: int) -> int:
    return os.getpid()


def test_work_is_done_by_the_workers_of_the_cluster_at_the_address() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        with distributed.Client(cluster) as client:
            workers = set(client.run(os.getpid).values())
        with executor(f"dask={cluster.scheduler_address}", 1, lost, apart=False) as each:
            assert set(each(process, [1, 2])) == workers
    assert os.getpid() not in workers


def test_no_cluster_is_said_in_a_sentence() -> None:
    with pytest.raises(HdpAuditError, match="no cluster at"), executor("dask=nonsense://x", 1, lost, apart=False):
        pass
