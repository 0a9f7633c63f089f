"""Each entry says what a machine checked of its claim: the whole, its algebra with a step of prose, or instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdp_audit.proofs import ledger_markdown
from hdp_audit.proofs.scope import INSTANCES, STEPS, WHOLE, checked

if TYPE_CHECKING:
    from hdp_audit.proofs import Result


def test_every_proved_entry_names_its_prose_or_none(results: tuple[Result, ...]) -> None:
    proved = {r.id for r in results if r.strength == "proved"}
    assert set(STEPS) == proved


def test_evidence_for_some_sizes_is_never_called_a_whole_claim(results: tuple[Result, ...]) -> None:
    partial = [r for r in results if r.strength in ("proved for stated sizes", "tested")]
    assert partial
    assert {checked(r.id, r.strength) for r in partial} == {INSTANCES}


def test_an_entry_nobody_has_read_is_not_a_whole_claim() -> None:
    assert checked("nobody-knows-it", "proved").startswith("algebra; prose: ")
    assert checked("nobody-knows-it", "") == ""


def test_the_ledger_shows_the_scope_of_each_entry(results: tuple[Result, ...]) -> None:
    text = ledger_markdown(results)
    row = next(line for line in text.splitlines() if line.startswith("| `clipping-helps`"))
    assert f"| {WHOLE} |" in row
    row = next(line for line in text.splitlines() if line.startswith("| `privacy-group`"))
    assert "| algebra; prose: the induction over users |" in row
