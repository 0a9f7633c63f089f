"""Reports of several specs in one folder: what replaces what is said, and a replay says whose report it was given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.specs import QUICK, TARGET, document, invoke, written

QUICKER = TARGET.replace("4000", "500")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder in which bug.toml was run and then good.toml, twice, into the same folder; what was printed."""
    folder = tmp_path_factory.mktemp("two")
    bug = written(folder, QUICKER.format(name="no_noise"), "bug.toml")
    good = written(folder, QUICKER.format(name="private_mean"), "good.toml")
    return folder, [invoke("run", spec, "--out", folder / "out", *QUICK).output for spec in (bug, good, good)]


def test_a_run_that_replaces_the_report_of_another_spec_says_so_in_a_line(two: tuple[Path, list[str]]) -> None:
    said = [line for line in two[1][1].splitlines() if "replaced" in line]
    assert len(said) == 1
    assert "this replaced the report of bug.toml (release.py:no_noise); --out DIR keeps" in said[0]
    assert "replaced" not in two[1][0] + two[1][2]


def test_a_finding_of_another_report_is_refused_with_whose_this_one_is(two: tuple[Path, list[str]]) -> None:
    folder = two[0]
    given = ("replay", folder / "out" / "report.json", "--finding", "no_noise/privacy/tier/0.5")
    done = invoke(*given, "--spec", folder / "bug.toml")
    assert done.exit_code == 2
    for words in ("which is of good.toml (release.py:private_mean)", "--out DIR"):
        assert words in done.output


def test_printed_commands_lead_to_the_folder_that_was_asked_for(two: tuple[Path, list[str]]) -> None:
    out = two[0] / "out"
    again = next(line for line in two[1][0].splitlines() if "the same numbers again" in line)
    assert again.endswith(f"--out {out}")
    assert f"hdp-audit replay {out / 'report.json'} --finding no_noise/" in two[1][0]


def test_what_is_no_report_there_is_replaced_without_a_word(tmp_path: Path) -> None:
    spec = written(tmp_path, QUICKER.format(name="private_mean"))
    for content in ("no json", "[]", json.dumps({"environment": [], "subjects": 3})):
        (tmp_path / "report.json").write_text(content)
        assert "replaced" not in invoke("run", spec, "--out", tmp_path, *QUICK).output
        assert document(tmp_path)["subjects"]
