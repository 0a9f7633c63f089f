"""report.json: valid against the shipped schema, readable by anybody, and read with care."""

from __future__ import annotations

import copy
import json
import math
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport, Finding
from hdp_audit.model.vocabulary import TaskName
from hdp_audit.reporting.report_json import SCHEMA, plain, read_report, report_json
from tests.reporting.sample_report import CONFIDENCE, every_kind, hostile, passing

RULES = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("make", [every_kind, passing, hostile])
def test_reports_are_valid_against_the_schema(make: Any) -> None:
    RULES.validate(json.loads(report_json(make())))


def test_the_schema_knows_every_task() -> None:
    tasks = RULES.schema["$defs"]["subject"]["properties"]["task"]["enum"]
    assert set(tasks) == set(get_args(TaskName))


def test_the_schema_is_itself_valid() -> None:
    Draft202012Validator.check_schema(RULES.schema)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict",), "passed"),
        (("schema_version",), 1),
        (("confidence",), 1.0),
        (("findings", 0, "detectable"), None),  # a tested privacy pass says what it would have caught
        (("findings", 0, "verdict"), True),
        (("findings", 0, "claimed"), "infinity"),
        (("findings", 0, "users"), [-1]),
        (("findings", 0, "lower"), 0.3),
        (("subjects", 0, "demands", "users"), 0),
        (("subjects", 0, "task"), "median"),
    ],
)
def test_the_schema_refuses(path: tuple[Any, ...], value: Any) -> None:
    document = json.loads(report_json(passing()))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not RULES.is_valid(document)


FIELDS = {
    (): "schema_version verdict confidence seed subjects findings totals environment",
    ("totals",): "calls seconds",
    ("subjects", 0): "name task source demands audited file",
    ("subjects", 0, "demands"): "users min max public zero",
    ("findings", 0): (
        "id subject kind label scope metric examined verdict evidence users claimed lower upper detectable calls "
        "witness message waiver"
    ),
    ("findings", 0, "lower"): "value confidence method",
}


@pytest.mark.parametrize(("path", "key"), [(path, key) for path, keys in FIELDS.items() for key in keys.split()])
def test_the_schema_asks_for_every_field_of_the_contract(path: tuple[Any, ...], key: str) -> None:
    document = json.loads(report_json(passing()))
    place = document
    for step in path:
        place = place[step]
    del place[key]
    assert not RULES.is_valid(document)


def test_infinity_is_a_word_and_what_is_no_number_is_null() -> None:
    assert plain([math.inf, -math.inf, math.nan, np.float64(2.0), np.int64(3)]) == ["inf", "-inf", None, 2.0, 3]
    assert plain({"a": np.array([[1.0, math.inf]]), 3: Path("x"), "o": object()}) == {
        "a": [[1.0, "inf"]],
        "3": "x",
        "o": "<object>",
    }


@pytest.mark.parametrize(("key", "value"), [("kind", "speed"), ("verdict", "passed"), ("evidence", "felt")])
def test_a_finding_has_one_of_the_words_of_the_contract(key: str, value: str) -> None:
    words = {"kind": "accuracy", "verdict": "pass", "evidence": "tested", key: value}
    with pytest.raises(InvalidInput, match=f"{key} = '{value}'; allowed: "):
        Finding("m/x", "m", message="", **words)  # type: ignore[arg-type]


def test_a_tested_privacy_pass_must_say_what_it_would_have_caught() -> None:
    with pytest.raises(InvalidInput, match="must say what it would have caught"):
        Finding("m/privacy/x", "m", "privacy", "pass", "tested", "")


def test_infinity_is_a_word_in_python_too() -> None:
    demands = every_kind().to_json()["subjects"][0]["demands"]
    assert (demands["max"], demands["public"] > 0) == ("inf", True)


def test_control_characters_never_reach_the_file() -> None:
    text = report_json(hostile())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    text.encode("utf-8")


def test_a_report_is_read_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(report_json(every_kind()), encoding="utf-8")
    assert read_report(file) == plain(every_kind().to_json())


def test_the_same_report_gives_the_same_bytes() -> None:
    assert report_json(every_kind()) == report_json(every_kind())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"a": NaN}', "NaN is no JSON"),
        ("[]", "a report is an object"),
        ("{}", "schema_version = None"),
        ('{"schema_version": 99}', "this hdp-audit reads versions 1 and 2"),
        ('{"schema_version": 1}', "findings: missing"),
    ],
)
def test_another_file_is_refused_in_words(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=re.escape(said)) as caught:
        read_report(file)
    assert str(file) in str(caught.value)


def test_a_missing_file_and_binary_rubbish_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"):
        read_report(tmp_path / "none.json")
    (tmp_path / "raw").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="no JSON"):
        read_report(tmp_path / "raw")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("verdict", "passed", "verdict = 'passed'"),
        ("kind", ["privacy"], "kind = "),
        ("id", 3, "no object with an id"),
        ("lower", 0.5, "lower is neither null"),
    ],
)
def test_a_broken_finding_is_named_by_its_place(tmp_path: Path, key: str, value: Any, said: str) -> None:
    document = copy.deepcopy(json.loads(report_json(passing())))
    document["findings"][2][key] = value
    file = tmp_path / "report.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InvalidInput, match=re.escape("findings[2]")) as caught:
        read_report(file)
    assert said in str(caught.value)


def test_a_report_of_nothing_is_an_error() -> None:
    document = json.loads(report_json(AuditReport((), (), CONFIDENCE, 1, 0)))
    RULES.validate(document)
    assert document["verdict"] == "error"
