"""A dossier: everything in one document, and no edit of it that `verify` does not find."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from hdp_audit.cli import main
from hdp_audit.model import AuditReport
from hdp_audit.model.identity import Identity
from hdp_audit.reporting.dossier.entry import Entry, together, word
from hdp_audit.reporting.dossier.sums import edits, sums
from hdp_audit.reporting.rebuilt import rebuilt
from hdp_audit.reporting.report_json import read_report, report_json
from hdp_audit.runs.dossier import checked
from tests.reporting.sample_report import HOSTILE, TODAY, every_kind, hostile, passing, suite


def saved(folder: Path, name: str, report: AuditReport) -> Path:
    path = folder / name
    path.write_text(report_json(report), encoding="utf-8", errors="replace")
    return path


def made(folder: Path, *reports: Path, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["dossier", *map(str, reports), "--out", str(folder)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def dossier(tmp_path: Path) -> Path:
    made(tmp_path / "d", saved(tmp_path, "a.json", every_kind()), saved(tmp_path, "b.json", passing()))
    return tmp_path / "d"


@pytest.mark.parametrize("make", [every_kind, passing, suite, hostile])
def test_a_report_that_was_written_and_read_is_the_same(tmp_path: Path, make: object) -> None:
    path = saved(tmp_path, "a.json", make())  # type: ignore[operator]
    again = rebuilt(read_report(path))
    assert json.loads(report_json(again)) == json.loads(path.read_text(encoding="utf-8"))


def test_a_dossier_has_the_document_a_registry_entry_and_the_reports(dossier: Path) -> None:
    assert sorted(path.name for path in dossier.iterdir()) == [
        "SHA256SUMS",
        "dossier.html",
        "registry.json",
        "report-1.json",
        "report-2.json",
    ]
    page = (dossier / "dossier.html").read_text(encoding="utf-8")
    for words in (
        "No-go",
        "Signed off by",
        "0.998",
        "Mean wages 2026",
        "careful (ε\u00a0=\u00a00.02)",
        "The owner is asked",
    ):
        assert words in page, words
    assert "<script" not in page
    entries = json.loads((dossier / "registry.json").read_text(encoding="utf-8"))
    assert entries["confidence_together"] == pytest.approx(0.998)
    loss = entries["entries"][0]["deployment"]["privacy_loss"]
    assert loss["privacy_unit"] == "one person, however many jobs"
    assert loss["privacy_parameters"] == {"epsilon": 2.0}
    assert {"names": ["careful"], "users": 100, "epsilon": {"from": 0.02, "to": 0.02}} in loss["tiers"]
    assert entries["entries"][1]["deployment"]["privacy_loss"]["privacy_unit"] == ""


def test_the_seal_and_the_files_are_checked(dossier: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    told = made(tmp_path / "again", saved(tmp_path, "c.json", passing()))
    seal = told.strip().rpartition(" ")[2]
    done = runner.invoke(main, ["verify", str(tmp_path / "again"), "--seal", seal])
    assert (done.exit_code, done.output) == (0, "every file is as it was written\n")
    assert "together" in runner.invoke(main, ["verify", str(dossier)]).output
    other = runner.invoke(main, ["verify", str(dossier), "--seal", seal])
    assert other.exit_code == 1
    assert "may have been replaced" in other.output


def test_every_edit_of_one_byte_is_found() -> None:
    """All of them: every byte of every file and of the checksums, in three ways."""
    files = {"dossier.html": b"<p>go\n", "report-1.json": b"{}\n"}
    text = sums(files).encode()
    assert list(edits(text, files)) == []
    for name, content in [*files.items(), ("", text)]:
        for place in range(len(content)):
            for changed in (content[place] ^ 1, content[place] ^ 32, content[place] ^ 128):
                other = content[:place] + bytes([changed]) + content[place + 1 :]
                found = edits(other, files) if not name else edits(text, {**files, name: other})
                assert list(found), (name, place)
        for place in range(len(content)):
            less = content[:place] + content[place + 1 :]
            assert list(edits(less, files) if not name else edits(text, {**files, name: less}))


def test_edits_removals_and_additions_in_a_folder_are_found(dossier: Path) -> None:
    assert checked(dossier) == []
    for path in sorted(dossier.iterdir()):
        kept = path.read_bytes()
        for place in (0, len(kept) // 2, len(kept) - 1):
            path.write_bytes(kept[:place] + bytes([kept[place] ^ 1]) + kept[place + 1 :])
            assert checked(dossier), path.name
        path.unlink()
        assert checked(dossier), path.name
        path.write_bytes(kept)
    assert checked(dossier) == []
    for name in ("added.txt", ".hidden"):
        (dossier / name).write_text("")
        assert checked(dossier) == [f"{name} was added"]
        (dossier / name).unlink()
    (dossier / "folder").mkdir()
    assert checked(dossier) == ["folder was added: it is no plain file"]
    (dossier / "folder").rmdir()
    kept = (dossier / "dossier.html").read_bytes()
    (dossier.parent / "elsewhere").write_bytes(kept)
    (dossier / "dossier.html").unlink()
    (dossier / "dossier.html").symlink_to(dossier.parent / "elsewhere")
    assert checked(dossier)


def test_one_bad_report_makes_the_whole_dossier_no_go() -> None:
    good, bad = (Entry(report, b"", "x") for report in (passing(), every_kind()))
    assert word([good], TODAY).startswith("Go")
    assert word([good, bad], TODAY) == "No-go"
    assert together([good, bad]) == pytest.approx(0.998)
    sure = Entry(replace(passing(), confidence=0.5), b"", "x")
    assert together([sure, sure, sure]) == 0.0


def test_hostile_reports_stay_text(tmp_path: Path) -> None:
    own = Identity(title=HOSTILE, owner="<img src=x>", statements={"tuning": "\x1b[31m</dd><script>"})
    made(tmp_path / "d", saved(tmp_path, "a.json", replace(hostile(), identity=own)))
    page = (tmp_path / "d" / "dossier.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda document: document["findings"][0].pop("evidence"), "give a report.json"),
        (lambda document: document["findings"][0].update(claimed="much"), "give a report.json"),
        (lambda document: document["subjects"][0].update(demands={}), None),
        (lambda document: document.pop("environment"), None),
        (lambda document: document.pop("identity"), None),
        (lambda document: document["subjects"][0].update(tiers=[{"users": 3}]), "give a report.json"),
        (lambda document: document["subjects"][0].update(tiers=7, ids=[]), "give a report.json"),
        (lambda document: document.update(findings=[]), None),
    ],
)
def test_a_damaged_report_is_told_in_a_sentence_and_one_without_sections_is_shown(
    tmp_path: Path, change: object, told: str | None
) -> None:
    document = json.loads(report_json(every_kind()))
    change(document)  # type: ignore[operator]
    (tmp_path / "a.json").write_text(json.dumps(document))
    said = made(tmp_path / "d", tmp_path / "a.json", code=0 if told is None else 2)
    assert told is None or told in said


def test_bad_calls_end_in_a_sentence(tmp_path: Path) -> None:
    one = saved(tmp_path, "a.json", passing())
    assert "twice" in made(tmp_path / "d", one, one, code=2)
    made(tmp_path / "d", one)
    assert "new or empty" in made(tmp_path / "d", one, code=2)
    assert "no JSON" in made(tmp_path / "e", saved_text(tmp_path), code=2)
    nothing = CliRunner().invoke(main, ["verify", str(tmp_path / "nowhere")])
    assert nothing.exit_code == 2
    (tmp_path / "empty").mkdir()
    assert CliRunner().invoke(main, ["verify", str(tmp_path / "empty")]).exit_code == 1


def saved_text(folder: Path) -> Path:
    path = folder / "text.json"
    path.write_text("no report")
    return path
