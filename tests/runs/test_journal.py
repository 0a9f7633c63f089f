"""Outcomes survive the journal to the bit."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.audits.share import Outcome
from hdp_audit.errors import InvalidInput
from hdp_audit.model import Bound, Finding, UserFigures, Waiver
from hdp_audit.runs.journal import Journal, outcome_from_json, outcome_to_json

HEADER = {"seed": 1, "spec_sha256": "ab"}


def outcome() -> Outcome:
    finding = Finding(
        "a/privacy/user/3",
        "a",
        "privacy",
        "fail",
        "tested",
        "ε = 0.1 \x1b",
        users=(3, 4),
        claimed=0.1,
        lower=Bound.lower(0.1 + 0.2, "game/wealth", 0.999),
        upper=Bound.upper(float("inf"), "theorem"),
        detectable=float("inf"),
        calls=7,
        facts={"low": -0.0, "columns": [np.int64(1)], "rows": (1, 2), "at": float("-inf")},
        waiver=Waiver("a/privacy/user/3", "why", dt.date(2027, 3, 31)),
    )
    numbers = np.array([0.1, np.nan, np.inf, -0.0])
    return Outcome(
        (finding,), 11, UserFigures(*[numbers + i for i in range(6)]), {"table": np.eye(2), "deep": {"x": [1.5]}}
    )


def test_an_outcome_comes_back_as_it_was() -> None:
    before = outcome()
    after = outcome_from_json(json.loads(json.dumps(outcome_to_json(before), allow_nan=False)))
    assert after.calls == before.calls
    assert after.findings[0].lower == before.findings[0].lower
    assert after.findings[0].users == (3, 4)
    assert after.findings[0].waiver == before.findings[0].waiver
    assert after.findings[0].witness == {"low": -0.0, "columns": [1], "rows": [1, 2], "at": float("-inf")}
    assert before.figures is not None
    assert after.figures is not None
    for name in ("demand", "exact", "estimate", "error", "detectable_loss_alone", "shared_by"):
        assert getattr(after.figures, name).tobytes() == getattr(before.figures, name).tobytes()
    np.testing.assert_array_equal(after.details["table"], np.eye(2))


def test_a_journal_is_continued_and_a_cut_line_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, HEADER)
    journal.start()
    journal.add("a", outcome())
    journal.add("b", outcome())
    path.write_text(path.read_text()[:-40])
    assert list(journal.resume()) == ["a"]
    journal.add("b", outcome())
    assert list(Journal(path, HEADER).resume()) == ["a", "b"]


def test_another_run_is_not_continued(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl", HEADER)
    journal.start()
    with pytest.raises(InvalidInput, match="seed: 1 then, 2 now"):
        Journal(tmp_path / "journal.jsonl", {**HEADER, "seed": 2}).resume()


@pytest.mark.parametrize("text", ["", "{}", "[1]\n", "\x00", '{"journal": 1, "seed": 1, "spec_sha256": "ab"}\nx\ny\n'])
def test_damage_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidInput, match="start anew"):
        Journal(path, HEADER).resume()


def test_arrays_of_objects_are_refused() -> None:
    with pytest.raises(ValueError, match="array of type"):
        outcome_from_json(
            {"findings": [], "calls": 0, "figures": None, "details": {"$array": "", "type": "O", "shape": [0]}}
        )
