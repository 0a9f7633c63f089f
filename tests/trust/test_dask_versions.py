"""A cluster whose workers have other code, other versions or other files gives no numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hdp_audit.errors import HdpAuditError
from hdp_audit.targets.executors import executor
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.python import Target
from hdp_audit.targets.sources import Sources
from tests.targets.slow_draws import drawn

distributed = pytest.importorskip("distributed")


def lost(item: object, _fate: object) -> str:
    return f"lost {item}"


def claim(key: str, value: str) -> None:
    """On a worker: it says that it has something else."""
    from hdp_audit.targets import fingerprint

    own = fingerprint.versions()
    vars(fingerprint).setdefault("genuine", fingerprint.versions)
    fingerprint.versions = lambda: {**own, key: value}


def lose() -> None:
    """On a worker: it cannot say what it has."""
    from hdp_audit.targets import fingerprint

    def raises() -> dict[str, Any]:
        raise ImportError("no hdp_audit here")

    vars(fingerprint).setdefault("genuine", fingerprint.versions)
    fingerprint.versions = raises


def tell_the_truth() -> None:
    """On a worker: as before."""
    from hdp_audit.targets import fingerprint

    fingerprint.versions = vars(fingerprint).get("genuine", fingerprint.versions)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as found:
        yield found


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    """Workers as they were at first."""
    with distributed.Client(cluster) as found:
        yield found
        found.run(tell_the_truth)


def test_a_worker_with_other_code_is_refused_before_any_work_is_sent(cluster: Any, client: Any) -> None:
    worker = sorted(client.scheduler_info()["workers"])[0]
    client.run(claim, "hdp_audit_sha256", "other", workers=[worker])
    with (
        pytest.raises(HdpAuditError, match=r"differs \(hdp_audit_sha256: other there, \w+ here\)") as caught,
        executor(f"dask={cluster.scheduler_address}", 1, lost, apart=False),
    ):
        pytest.fail("work was sent")
    assert worker in str(caught.value)
    assert str(caught.value).count("differs") == 1  # the other worker is fine


def test_a_worker_that_changes_later_is_refused_when_it_takes_work(cluster: Any, client: Any) -> None:
    with executor(f"dask={cluster.scheduler_address}", 1, lost, apart=False) as each:
        assert list(each(drawn, ["noisy"])) == [drawn("noisy")]
        client.run(claim, "numpy", "0.1")
        with pytest.raises(HdpAuditError, match=r"a worker that took work differs \(numpy: 0.1 there"):
            list(each(drawn, ["noisy"]))


def test_workers_need_the_same_files(cluster: Any, client: Any, tmp_path: Path) -> None:
    (tmp_path / "release.py").write_text("def f(data, epsilon, rng): return 0\n")
    sources = Sources(tmp_path, (Target("release.py:f", tmp_path),))
    files = {name: file.sha256 for name, file in sources.files().items()}
    assert list(files) == ["release.py"]
    address = f"dask={cluster.scheduler_address}"
    with executor(address, 1, lost, apart=False, same=Fingerprint(sources=sources, files=files)) as each:
        assert list(each(drawn, ["noisy"])) == [drawn("noisy")]
    for name, words in (("release.py", "release.py has changed"), ("gone.py", "gone.py is missing")):
        same = Fingerprint(sources=sources, files={name: "0" * 64})
        with pytest.raises(HdpAuditError, match=words), executor(address, 1, lost, apart=False, same=same):
            pytest.fail("work was sent")


def test_a_worker_without_our_code_is_refused(cluster: Any, client: Any) -> None:
    client.run(lose)
    with (
        pytest.raises(HdpAuditError, match="no answer: ImportError: no hdp_audit here"),
        executor(f"dask={cluster.scheduler_address}", 1, lost, apart=False),
    ):
        pytest.fail("work was sent")
