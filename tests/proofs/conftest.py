"""The whole ledger is run once for the session; every test reads the same results."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from hdp_audit.proofs import Result, run_ledger


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests that read the ledger go to one worker: it would be run in each."""
    for item in items:
        if "ledger_run" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("ledger"))


@dataclass(frozen=True)
class LedgerRun:
    results: tuple[Result, ...]
    cpu_seconds: float


@pytest.fixture(scope="session")
def ledger_run() -> LedgerRun:
    start = time.process_time()
    results = tuple(run_ledger())
    return LedgerRun(results, time.process_time() - start)


@pytest.fixture(scope="session")
def results(ledger_run: LedgerRun) -> tuple[Result, ...]:
    return ledger_run.results
