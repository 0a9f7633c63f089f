"""All reports in a folder, whole or not at all; every user's figures beside them."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport, PrivacyDemands
from hdp_audit.reporting.files import write_reports, written_whole
from tests.reporting.sample_report import CONFIDENCE, TODAY, every_kind, hostile, spread, subject, tier

NAMES = ["report.html", "report.json", "report.junit.xml", "report.md", "report.sarif", "users.csv.gz"]


def users(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_file_is_written_and_named(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "latest"
    written = write_reports(every_kind(), out, today=TODAY)
    assert sorted(path.name for path in written) == NAMES
    assert sorted(path.name for path in out.iterdir()) == NAMES
    assert json.loads((out / "report.json").read_text(encoding="utf-8"))["verdict"] == "fail"


def test_another_name_names_the_reports(tmp_path: Path) -> None:
    assert {path.name for path in write_reports(every_kind(), tmp_path, name="nightly")} >= {"nightly.html"}


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_reports(every_kind(), tmp_path / "a", today=TODAY)
    second = write_reports(every_kind(), tmp_path / "b", today=TODAY)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_users_have_their_own_figures_rows_and_ids(tmp_path: Path) -> None:
    report = every_kind()
    epsilon = report.subjects[0].figures.demand  # type: ignore[union-attr]
    demands = PrivacyDemands(epsilon, tuple(f"id-{i}" for i in range(epsilon.size)), np.arange(2, epsilon.size + 2))
    write_reports(report, tmp_path, demands={report.subjects[0].name: demands})
    found = users(tmp_path / "users.csv.gz")
    assert len(found) == epsilon.size
    assert found[17]["user"] == "17"
    assert found[17]["row"] == "19"
    assert found[17]["id"] == "id-17"
    assert float(found[17]["demand"]) == epsilon[17]
    assert found[-1]["demand"] == "inf"
    assert found[-1]["estimate"] == ""


def test_without_a_file_rows_and_ids_are_empty(tmp_path: Path) -> None:
    write_reports(every_kind(), tmp_path)
    assert {(entry["row"], entry["id"]) for entry in users(tmp_path / "users.csv.gz")} == {("", "")}


def test_a_hundred_thousand_users_are_all_there(tmp_path: Path) -> None:
    epsilon = spread(100_000)
    report = AuditReport((subject("m", epsilon),), (tier("m", 1.0),), CONFIDENCE, 1, 9)
    write_reports(report, tmp_path)
    found = users(tmp_path / "users.csv.gz")
    assert len(found) == 100_000
    assert float(found[77_777]["demand"]) == epsilon[77_777]
    assert all((tmp_path / name).stat().st_size < 1_000_000 for name in NAMES if name.startswith("report"))


def test_hostile_text_is_written(tmp_path: Path) -> None:
    assert len(write_reports(hostile(), tmp_path, today=TODAY)) == 6


def test_a_crash_in_between_leaves_the_old_file_whole(tmp_path: Path) -> None:
    write_reports(every_kind(), tmp_path, today=TODAY)
    before = (tmp_path / "report.json").read_bytes()

    def halfway(file: BinaryIO) -> None:
        file.write(before[:100])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written_whole(tmp_path / "report.json", halfway)
    assert (tmp_path / "report.json").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == NAMES


def test_a_folder_that_cannot_be_made_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="give a folder that can be written"):
        write_reports(every_kind(), tmp_path / "file" / "out")
