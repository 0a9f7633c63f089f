"""Trends: drift is a statement with an error probability, not a line that goes up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hdp_audit.cli import main
from hdp_audit.model import AuditReport
from hdp_audit.model.bound import Bound
from hdp_audit.reporting.history.page import history_page
from hdp_audit.reporting.history.series import history, summary
from hdp_audit.reporting.report_json import report_json
from tests.reporting.sample_report import CONFIDENCE, accuracy, every_kind, hostile, passing, subject, suite, tier


def of(low: float, high: float, confidence: float = CONFIDENCE) -> AuditReport:
    error = replace(accuracy("m"), lower=Bound.lower(low, "b", confidence), upper=Bound.upper(high, "b", confidence))
    return AuditReport((subject("m", np.ones(10)),), (error,), confidence, 1, 9)


def dated(*reports: AuditReport) -> list[tuple[str, AuditReport]]:
    return [(f"2026-01-{day:02}", report) for day, report in enumerate(reports, start=1)]


def test_a_line_that_goes_up_is_no_drift_while_its_intervals_meet() -> None:
    found = history(dated(of(1.0, 1.2), of(1.1, 1.3), of(1.19, 1.4)))
    assert found.drifting == ()
    assert "No claim drifted" in summary(found)


def test_slow_drift_is_found_between_any_two_reports_with_its_error() -> None:
    found = history(dated(of(1.0, 1.2), of(1.1, 1.3), of(1.21, 1.4)))
    assert [one.worse for one in found.drifting] == [True]
    assert found.error == pytest.approx(0.003)
    better = history(dated(of(1.21, 1.4), of(1.0, 1.2)))
    assert [one.worse for one in better.drifting] == [False]


def test_a_claim_without_an_upper_end_is_never_said_to_drift() -> None:
    shown = [replace(passing(), findings=(tier("m", 0.5, lower=Bound.lower(x, "g", 0.999)),)) for x in (0.1, 0.4)]
    assert history(dated(*shown)).drifting == ()


def test_drift_is_said_of_what_did_not_change_no_oftener_than_stated() -> None:
    """Intervals that fail with 1 − confidence each: of 4,000 histories of 5 reports a share of at most 0.25 errs.

    Exceeded by chance with a probability below 1e-6: at most 0.05 are expected here, by two ends of normal intervals.
    """
    rng = np.random.default_rng(1)
    centres = rng.normal(0.0, 1.0, (4000, 5))
    lows, highs = centres - 1.96, centres + 1.96
    said = lows.max(axis=1) > highs.min(axis=1)
    error = history(dated(*(of(1.0, 2.0, 0.95) for _ in range(5)))).error
    assert error == pytest.approx(0.25)
    assert said.mean() <= error


def test_the_command_reads_a_folder_and_writes_a_page(tmp_path: Path) -> None:
    for day, report in enumerate((of(1.0, 1.2), of(1.0, 1.25), of(1.5, 1.6)), start=1):
        place = tmp_path / "nightly" / str(day)
        place.mkdir(parents=True)
        own = replace(report, environment={"date": f"2026-01-0{day}T00:00:00+00:00"})
        (place / "report.json").write_text(report_json(own))
    (tmp_path / "nightly" / "report-bad.json").write_text("{}")
    out = tmp_path / "history.html"
    done = CliRunner().invoke(main, ["history", str(tmp_path / "nightly"), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "worse: m/accuracy/correlated/pac: at most 1.2 on 2026-01-01" in done.output
    assert "left out" in done.output
    page = out.read_text()
    assert "1 claim drifted" in page
    assert "<script" not in page
    assert CliRunner().invoke(main, ["history", str(tmp_path / "nowhere")]).exit_code == 2


def test_hostile_and_large_histories_make_a_small_page_without_script() -> None:
    page = history_page(history(dated(hostile(), every_kind(), suite(), suite())))
    assert "<script" not in page
    assert "<img" not in page
    assert len(page.encode("utf-8", errors="replace")) < 1_000_000
    assert page.count('role="img"') >= 50
