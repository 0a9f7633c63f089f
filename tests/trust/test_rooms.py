"""Who may do what: commands echo, renderers return text, and runs warn whoever asked them to."""

from __future__ import annotations

import ast
import io
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

import hdp_audit
from hdp_audit.model.demands import PrivacyDemands
from hdp_audit.proofs import Entry, Evidence, run_entry
from hdp_audit.proofs.entry import OURS
from hdp_audit.reporting.bounds import bounds_text
from hdp_audit.reporting.catalog import catalog_text
from hdp_audit.reporting.ledger import ledger_text, trouble_lines
from hdp_audit.reporting.text import report_text
from hdp_audit.runs.journal import Journal
from hdp_audit.runs.lock import alone_in
from hdp_audit.runs.saving import Saving
from hdp_audit.theory.cells import Cell, cells
from tests.reporting.sample_report import every_kind

ROOT = Path(hdp_audit.__file__).parent
DEMANDS = PrivacyDemands.from_values([0.1, 1.0])


@cache  # takes seconds
def found() -> list[Cell]:
    return cells(DEMANDS, categories=3, beta=0.1)


def imported(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def test_click_is_known_to_the_commands_alone() -> None:
    files = [file for file in ROOT.rglob("*.py") if file.parent != ROOT / "cli"]
    assert len(files) > 300
    assert [file.relative_to(ROOT).as_posix() for file in files if "click" in imported(file)] == []


@pytest.mark.parametrize("terminal", [True, False])
def test_renderers_return_their_text_and_print_nothing(terminal: bool, capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100, color_system=None, legacy_windows=False)
    bad = run_entry(Entry("bad", "Bad", OURS, "A.", "smt", lambda: Evidence(False, "proved", "step x")))
    texts = {
        "hpm-cp": catalog_text(None, console),
        "weakly-correlated": bounds_text(DEMANDS, found(), 3, 0.1, console),
        "1 entries: 1 failed": ledger_text([bad], console),
        "4 claims refuted": report_text(every_kind(), console),
    }
    assert [words for words, text in texts.items() if words not in text] == []
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in texts.values())
    assert trouble_lines([bad]) == ["failed: bad: step x"]
    assert (console.file.getvalue(), *capsys.readouterr()) == ("", "", "")  # type: ignore[attr-defined]


def test_a_pipe_gets_tabs_and_no_control_sequences() -> None:
    console = Console(file=io.StringIO(), force_terminal=False, width=100)
    lines = bounds_text(DEMANDS, found(), 3, 0.1, console).split("\n")
    assert [line.count("\t") for line in lines[:11]] == [0] + [8] * 9 + [0]
    assert lines[10] == ""
    assert len(lines) == 11 + 8 + 1
    assert {line.count("\t") for line in catalog_text("mean", console).splitlines()} == {2}


def test_a_journal_that_cannot_be_written_warns_whoever_asked(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "file").touch()
    journal = Journal(tmp_path / "file" / "journal", {}, {}, {})
    saving = Saving(journal, {}, said.append)
    assert saving.begin(resume=False) == {}
    assert [line.partition(" (")[0] for line in said] == ["the journal cannot be written"]


def test_a_folder_that_can_be_locked_warns_nobody(tmp_path: Path) -> None:
    said: list[str] = []
    with alone_in(tmp_path / "out", resume=False, warn=said.append):
        pass
    assert said == []
