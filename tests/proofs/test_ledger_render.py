"""The rendered ledger is a pure function of the results: no times, no hosts, one row an entry."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from hdp_audit.proofs import Entry, Evidence, ledger_json, ledger_markdown, run_entry
from hdp_audit.proofs.entry import OURS

if TYPE_CHECKING:
    from hdp_audit.proofs import Result


def test_markdown_has_one_row_for_each_entry(results: tuple[Result, ...]) -> None:
    rows = [line for line in ledger_markdown(results).splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [r.id for r in results]
    assert all(row.replace("\\|", "").count("|") == 8 for row in rows)


def test_the_document_does_not_depend_on_the_time_taken(results: tuple[Result, ...]) -> None:
    slower = [replace(r, seconds=r.seconds + 1e3) for r in results]
    assert ledger_markdown(slower) == ledger_markdown(results)
    assert ledger_json(slower) == ledger_json(results)


def test_json_carries_statement_status_and_counts(results: tuple[Result, ...]) -> None:
    document = json.loads(ledger_json(results))
    assert document["passed"] is True
    assert sum(document["counts"].values()) == len(document["entries"]) == len(results)
    assert {"id", "statement", "source", "method", "status", "checked", "constant", "detail"} <= document["entries"][
        0
    ].keys()


def test_every_correction_is_listed_with_what_the_text_says(results: tuple[Result, ...]) -> None:
    text = ledger_markdown(results)
    tail = text.split("## Corrections to the paper's text")[1]
    corrected = [r for r in results if r.entry.corrects]
    assert len(corrected) >= 20
    assert all(f"- `{r.id}`" in tail for r in corrected)


def test_a_failure_is_shown_and_the_document_does_not_pass() -> None:
    bad = run_entry(Entry("bad|one", "Bad", OURS, "A | B.", "smt", lambda: Evidence(False, "proved", "step x")))
    assert "bad\\|one" in ledger_markdown([bad])
    assert "## Not established" in ledger_markdown([bad])
    assert json.loads(ledger_json([bad]))["passed"] is False
