"""What calls leave different in their process does not reach the next request, nor a report."""

from __future__ import annotations

import builtins
import gc
import locale
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.targets import calls, orphans
from hdp_audit.targets.leftovers import Leftovers


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Should a test fail, no other one is to fail with it."""
    before = Leftovers()
    yield
    before.put_back()


SETTINGS: dict[str, tuple[Callable[[], Any], Callable[[], object]]] = {
    "folder": (Path.cwd, lambda: os.chdir("/")),
    "environment": (lambda: dict(os.environ), os.environ.clear),
    "umask": (lambda: [os.umask(0o22), os.umask(0o22)], lambda: os.umask(0o777)),
    "handlers": (lambda: signal.getsignal(signal.SIGTERM), lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN)),
    "mask": (
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, []),
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]),
    ),
    "path": (lambda: list(sys.path), sys.path.clear),
    "locale": (lambda: locale.setlocale(locale.LC_ALL), lambda: locale.setlocale(locale.LC_ALL, "C")),
    "collector": (gc.isenabled, gc.disable),
    "thresholds": (gc.get_threshold, lambda: gc.set_threshold(1, 1, 1)),
    "collector's callbacks": (lambda: list(gc.callbacks), lambda: gc.callbacks.append(print)),
    "modules": (lambda: sys.modules.get("hdp_audit.audits.case"), lambda: sys.modules.pop("hdp_audit.audits.case")),
    "printing": (np.get_printoptions, lambda: np.set_printoptions(precision=1)),
    "stdout": (lambda: sys.stdout, lambda: setattr(sys, "stdout", None)),
    "thread hook": (lambda: threading.excepthook, lambda: setattr(threading, "excepthook", print)),
    "warnings": (lambda: warnings.showwarning, lambda: setattr(warnings, "showwarning", print)),
    "switching": (sys.getswitchinterval, lambda: sys.setswitchinterval(10)),
    "digits": (sys.get_int_max_str_digits, lambda: sys.set_int_max_str_digits(640)),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_put_back(name: str) -> None:
    read, change = SETTINGS[name]
    os.umask(0o22)
    before, leftovers = read(), Leftovers()
    change()
    assert leftovers.put_back() == []
    assert read() == before


def test_a_standard_descriptor_that_was_closed_leads_nowhere() -> None:
    kept, leftovers = os.dup(0), Leftovers()
    try:
        os.close(0)
        leftovers.put_back()
        assert os.fstat(0).st_rdev == os.stat(os.devnull).st_rdev  # noqa: PTH116
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def test_code_that_was_replaced_is_put_back_and_named_and_what_was_added_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    before, leftovers = (np.mean, builtins.len, time.time), Leftovers()
    monkeypatch.setattr(np, "mean", None)
    monkeypatch.setattr(builtins, "len", lambda _: 7)
    monkeypatch.setattr(time, "added_later", 1, raising=False)
    assert leftovers.put_back() == ["builtins.len", "numpy.mean"]
    assert (np.mean, builtins.len, time.time) == before
    assert time.added_later == 1  # type: ignore[attr-defined]
    assert leftovers.put_back() == []


def test_a_mechanism_that_replaces_functions_is_an_error_of_its_own() -> None:
    own = np.median

    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        np.median = lambda *_, **__: 0.5  # type: ignore[assignment]
        return float(epsilon @ data / epsilon.sum() + rng.laplace(scale=1 / epsilon.sum()))

    report = audit(release, epsilon=[0.5] * 10, task="mean", budget=500, floating_point="off", trace="off")
    assert np.median is own
    (found,) = [finding for finding in report.findings if finding.id == "release/behaviour/replaced"]
    assert found.verdict == "error"
    assert "numpy.median" in found.message


def test_processes_that_a_mechanism_keeps_stay_and_crowds_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(orphans, "_adopting", True)
    monkeypatch.setattr(orphans, "end_orphans", lambda: ended.append(1))
    for children, due in ((orphans.KEPT, 0), (orphans.KEPT + (os.cpu_count() or 1) + 1, 1)):
        monkeypatch.setattr(orphans, "_children", lambda many=children: iter(range(10**7, 10**7 + many)))
        orphans.end_crowd()
        assert len(ended) == due


def test_a_crowd_is_looked_for_while_calls_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(calls, "end_crowd", lambda: looks.append(1))
    monkeypatch.setattr(calls, "CROWDED", 0.0)
    around = calls.Surroundings()
    assert [around.run(abs, -1) for _ in range(3)] == [1, 1, 1]
    assert len(looks) == 3
