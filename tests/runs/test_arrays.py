"""Everybody's figures stand beside the journal as plain numbers: whole, or noticed."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.audits.share import Outcome
from hdp_audit.model import UserFigures
from hdp_audit.runs import arrays
from hdp_audit.runs.journal import BadJournal, Journal, read

USERS = 1000
HEADER = {"seed": 1}


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "LARGE", 8)


def figures() -> UserFigures:
    numbers = np.random.default_rng(1).normal(size=(3, USERS))
    return UserFigures(*numbers, np.full(USERS, np.nan), np.full(USERS, np.inf), np.r_[-0.0, np.zeros(USERS - 1)])


def journal_of(folder: Path) -> Path:
    path = folder / "journal.jsonl"
    journal = Journal(path, HEADER)
    journal.start()
    journal.add("one", Outcome((), figures=figures(), traced=np.arange(USERS) / 7.0))
    journal.add("two", Outcome((), figures=figures()))
    return path


def test_figures_come_back_to_the_bit_and_are_no_text_in_the_journal(tmp_path: Path) -> None:
    path = journal_of(tmp_path)
    assert path.stat().st_size < 6000
    assert (tmp_path / "journal.arrays").stat().st_size == (2 * 4 + 1) * 8 * USERS  # what repeats itself is not there
    for outcome in Journal(path, HEADER).resume().values():
        assert outcome.figures is not None
        for field in fields(UserFigures):
            given, found = (getattr(each, field.name) for each in (figures(), outcome.figures))
            assert given is found is None or given.tobytes() == found.tobytes()
    again = read(path).entries["one"].outcome.traced
    assert again is not None
    assert np.array_equal(again, np.arange(USERS) / 7.0)


@pytest.mark.parametrize("where", [0, 8 * USERS, -1])
def test_a_figure_that_was_changed_is_noticed(tmp_path: Path, where: int) -> None:
    path = journal_of(tmp_path)
    beside = tmp_path / "journal.arrays"
    whole = bytearray(beside.read_bytes())
    whole[where] ^= 1
    beside.write_bytes(whole)
    with pytest.raises(BadJournal, match=r"journal\.arrays is not as it was written"):
        read(path)


def test_figures_that_were_cut_off_or_are_gone_are_noticed(tmp_path: Path) -> None:
    path = journal_of(tmp_path)
    beside = tmp_path / "journal.arrays"
    beside.write_bytes(beside.read_bytes()[:-1])
    with pytest.raises(BadJournal, match="too short"):
        read(path)
    beside.unlink()
    with pytest.raises(BadJournal, match="No such file"):
        read(path)


def test_what_a_killed_run_left_behind_the_last_line_is_passed_over(tmp_path: Path) -> None:
    path = journal_of(tmp_path)
    with (tmp_path / "journal.arrays").open("ab") as file:
        file.write(b"half an arr")
    journal = Journal(path, HEADER)
    journal.resume()
    journal.add("three", Outcome((), figures=figures()))
    kept = read(path).entries["three"].outcome.figures
    assert kept is not None
    assert kept.demand.tobytes() == figures().demand.tobytes()


def test_a_new_run_begins_a_new_file(tmp_path: Path) -> None:
    path = journal_of(tmp_path)
    Journal(path, HEADER).start()
    assert not (tmp_path / "journal.arrays").exists()
