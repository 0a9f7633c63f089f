"""`hdp-audit prove` as a user meets it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from hdp_audit.cli import main
from hdp_audit.cli.prove import ledger_code
from hdp_audit.proofs import ledger
from hdp_audit.proofs.entry import Entry, Evidence
from hdp_audit.reporting.ledger import trouble_lines


def a_false_entry() -> Entry:
    true = ledger.all_entries()[0]
    return replace(true, id="false-claim", check=lambda: Evidence(False, "proved", "2 + 2 = 5 does not hold"))


def an_entry_without_its_tool() -> Entry:
    def check() -> Evidence:
        raise ModuleNotFoundError("No module named 'z3'", name="z3")

    return replace(ledger.all_entries()[0], id="no-tool", check=check)


def test_a_single_entry_is_proved_by_name() -> None:
    done = CliRunner().invoke(main, ["prove", "privacy-hpm"])
    assert done.exit_code == 0
    (result,) = ledger.run_ledger(("privacy-hpm",))
    entry = result.entry
    wanted = [entry.id, entry.source, entry.method, result.status, entry.constant, entry.title]
    assert done.output.splitlines()[0].split("\t") == wanted


def test_json_lists_each_statement_how_it_was_checked_its_constant_and_its_status() -> None:
    document = json.loads(CliRunner().invoke(main, ["prove", "--json", "privacy-hpm"]).output)
    (result,) = ledger.run_ledger(("privacy-hpm",))
    (found,) = document["entries"]
    keys = ("id", "statement", "source", "method", "constant")
    assert {key: found.get(key) for key in keys} == {key: getattr(result.entry, key) for key in keys}
    assert found["status"] == result.status


def test_a_false_statement_exits_one_and_is_named() -> None:
    result = ledger.run_entry(a_false_entry())
    assert ledger_code([result]) == 1
    assert trouble_lines([result]) == ["failed: false-claim: 2 + 2 = 5 does not hold"]


def test_a_missing_tool_is_not_a_pass() -> None:
    result = ledger.run_entry(an_entry_without_its_tool())
    assert ledger_code([result]) == 2
    assert trouble_lines([result])[0].startswith("not run: no-tool: needs z3")


def test_a_false_statement_goes_before_a_missing_tool() -> None:
    assert ledger_code([ledger.run_entry(entry) for entry in (an_entry_without_its_tool(), a_false_entry())]) == 1


def test_an_unknown_entry_exits_two() -> None:
    done = CliRunner().invoke(main, ["prove", "no-such-entry"])
    assert done.exit_code == 2
    assert "no-such-entry" in done.output


def test_the_markdown_goes_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ledger.md"
    assert CliRunner().invoke(main, ["prove", "--markdown", str(path), "privacy-hpm"]).exit_code == 0
    assert "`privacy-hpm`" in path.read_text(encoding="utf-8")
