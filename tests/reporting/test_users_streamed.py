"""users.csv.gz is written as it is made: the same lines in pieces, and no text of all users in memory."""

from __future__ import annotations

import csv
import gzip
import io
import tracemalloc
from typing import BinaryIO

import numpy as np
import pytest

from hdp_audit.model import AuditReport, DemandSummary, PrivacyDemands, SubjectSummary, UserFigures
from hdp_audit.reporting import users


def report_of(count: int) -> tuple[AuditReport, PrivacyDemands]:
    rng = np.random.default_rng(1)
    demand, shared = rng.random(count), rng.choice([np.nan, -0.0, 0.0, 1 / 3], count)
    figures = UserFigures(demand, demand / 2, shared, shared, np.full(count, np.inf), np.full(count, 8.0))
    demands = PrivacyDemands.from_values(demand, [f"=u{at}" for at in range(count)])
    subject = SubjectSummary("m", "mean", "python", DemandSummary.of(demand), figures=figures)
    return AuditReport((subject,), (), 0.99, 1, 0), demands


def test_pieces_of_any_size_give_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    report, demands = report_of(50)
    found = []
    for size in (3, 50, 1000):
        monkeypatch.setattr(users, "PIECE", size)
        file = io.BytesIO()
        users.write_users(report, file, {"m": demands})
        found.append(gzip.decompress(file.getvalue()))
    assert found[0] == found[1] == found[2]
    _, *rows = csv.reader(io.StringIO(found[0].decode()))
    for user, row in enumerate(rows):
        figures = report.subjects[0].figures
        assert figures is not None
        shown = float(figures.estimate[user])
        assert row[:4] == ["m", str(user), str(user + 1), f"'=u{user}"]
        assert row[4:9] == [repr(float(figures.demand[user])), repr(float(figures.exact[user])), *_shown(shown), "inf"]
        assert row[9:] == ["8", ""]


def _shown(value: float) -> list[str]:
    return ["" if np.isnan(value) else f"{value:.6g}"] * 2


class _Nowhere(io.RawIOBase, BinaryIO):
    def writable(self) -> bool:
        return True

    def write(self, given: bytes) -> int:  # type: ignore[override]
        return len(given)


def test_texts_of_few_users_are_in_memory_at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is a hundred bytes: for all users together it would be two megabytes, and more as Python objects."""
    report, demands = report_of(20_000)
    monkeypatch.setattr(users, "PIECE", 500)
    tracemalloc.start()
    users.write_users(report, _Nowhere(), {"m": demands})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
