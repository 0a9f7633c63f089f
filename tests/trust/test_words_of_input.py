"""What is said of waivers, demands and command lines is true, and says what was given and what is allowed."""

from __future__ import annotations

import csv
import gzip
import io
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.errors import InvalidDemands
from hdp_audit.model import AuditReport, Finding, PrivacyDemands
from hdp_audit.reporting.users import write_users
from hdp_audit.reporting.verdicts import replay_line
from hdp_audit.runs.replay import named_finding
from tests.cli.specs import REFERENCE, invoke, written
from tests.reporting.sample_report import every_kind

QUICK = ("--jobs", 1, "--quiet")


# Waivers


def waiving(finding: str) -> str:
    return f'{REFERENCE}\n[[waive]]\nfinding = "{finding}"\nreason = "known"\nuntil = 2999-12-31\n'


@pytest.mark.parametrize(
    ("finding", "told"),
    [
        ("hpm-cp/privacy/tier/0.50", "did you mean 'hpm-cp/privacy/tier/0.5'"),
        ("hpm-cp/privacy/user/99", "did you mean 'hpm-cp/privacy/user/9' or "),
        ("zzz", "give an id as report.json has it, such as 'hpm-cp/privacy/"),
    ],
)
def test_a_misspelt_waiver_is_refused_by_run_before_the_first_call(tmp_path: Path, finding: str, told: str) -> None:
    done = invoke("run", written(tmp_path, waiving(finding)), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 2
    assert f"finding = '{finding}' names nothing that an audit of this spec can find; {told}" in done.output
    assert not (tmp_path / "out" / "report.json").exists()
    assert not (tmp_path / "out" / "journal.jsonl").exists()  # nothing was begun


# Demands


def refused(folder: Path, text: str) -> str:
    (folder / "d.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidDemands) as caught:
        PrivacyDemands.from_csv(folder / "d.csv")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("epsilon\n1e400\n", "row 2: epsilon = 1e400; a demand is a number from 0 to inf; this one is too large for a"),
        ("epsilon\n1\n1e-400\n", "row 3: epsilon = 1e-400; a demand is a number from 0 to inf; this one is too small"),
        ("epsilon\n٣\n", "row 2: epsilon = ٣; a demand is a number from 0 to inf, in the digits 0 to 9"),
        ("epsilon\n0.５\n", "row 2: epsilon = 0.５; a demand is a number from 0 to inf, in the digits 0 to 9"),
        ("", "d.csv: the file is empty; give a first line with the names of the columns"),
        ("\n1\n", "d.csv: row 1 is blank; give a first line with the names of the columns"),
        ("epsilon\n", "d.csv: has a header, but no row; give one row for each user"),
        ("id,epsilon\na,1\nb,1\na,2\n", "d.csv row 4: its id is that of row 2, too; give each id once"),
    ],
)
def test_demands_that_cannot_be_read_say_which_row_what_was_given_and_what_is_allowed(
    tmp_path: Path, text: str, told: str
) -> None:
    assert told in refused(tmp_path, text)


def test_negative_zero_is_zero_and_spaces_of_any_kind_are_none(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("epsilon\n-0\n-0.0\n0.5\u00a0\n", encoding="utf-8")
    found = PrivacyDemands.from_csv(tmp_path / "d.csv").values
    assert found.tolist() == [0.0, 0.0, 0.5]
    assert not np.signbit(found).any()


def test_a_budget_in_the_digits_of_another_script_is_refused(tmp_path: Path) -> None:
    assert invoke("run", written(tmp_path, REFERENCE), "--budget", "٤٠٠٠", "--out", tmp_path / "o").exit_code == 2
    assert invoke("run", written(tmp_path, REFERENCE), "--budget", "٤s", "--out", tmp_path / "o").exit_code == 2


# The command line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["chekc", "x"], "there is no command 'chekc'; did you mean 'check'? allowed: "),
        (["frobnicate"], "there is no command 'frobnicate'; allowed: bounds, check, "),
        (["run", "--budget", "5x"], "--budget: '5x'; give a number of calls from 1, or a duration such as "),
        (["run", "--seed", "abc"], "--seed: 'abc' is not a valid integer range; give a whole number from 0 to "),
        (["run", "--buget", "1"], "there is no option '--buget'; did you mean --budget"),
        (["check"], "no SPEC is given and no hdp-audit.toml is in this folder; `hdp-audit init --from "),
        (["list", "foo"], "got unexpected extra argument"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(arguments: list[str], told: str) -> None:
    done = invoke(*arguments)
    assert done.exit_code == 2
    (line,) = done.output.splitlines()
    assert line.startswith(f"hdp-audit: {told}")


# Names


def test_two_long_names_do_not_look_alike_in_the_table_of_users() -> None:
    report = every_kind()
    subject = next(subject for subject in report.subjects if subject.figures is not None)
    twins = tuple(replace(subject, name="m" * 400 + end) for end in "ab")
    file = io.BytesIO()
    write_users(AuditReport(twins, (), 0.99, 1, 0, 0.0), file)
    rows = csv.DictReader(io.StringIO(gzip.decompress(file.getvalue()).decode()))
    assert len({row["subject"] for row in rows}) == 2


@pytest.mark.parametrize("name", ["m" * 600, "two  spaces", "a\nline"])
def test_the_command_that_is_printed_for_a_finding_finds_it(name: str) -> None:
    finding = Finding.about(name, "privacy", "tier/0.5", "fail", "refuted")
    other = Finding.about(f"{name}m", "privacy", "tier/0.5", "fail", "refuted")
    words = shlex.split(replay_line(every_kind(), finding))
    typed = words[words.index("--finding") + 1]
    assert typed.isprintable()
    document = {"findings": [{"id": one.id} for one in (other, finding)]}
    assert named_finding(document, typed) == {"id": finding.id}
