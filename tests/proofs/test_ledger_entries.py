"""Every entry passes, every statement of the paper has one, and each says no more than its method can show."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hdp_audit.proofs import all_entries, coverage, ledger_json, run_ledger
from hdp_audit.proofs.labels import DISPLAYED, PLACES, STATEMENTS

if TYPE_CHECKING:
    from conftest import LedgerRun

    from hdp_audit.proofs import Result

ENTRIES = all_entries()


@pytest.mark.parametrize("name", [entry.id for entry in ENTRIES])
def test_entry_is_established(name: str, results: tuple[Result, ...]) -> None:
    result = next(r for r in results if r.id == name)
    assert result.passed, f"{name}: {result.status}: {result.error}"


@pytest.mark.parametrize("label", STATEMENTS + DISPLAYED)
def test_every_label_of_the_paper_has_an_entry(label: str) -> None:
    assert coverage(ENTRIES)[label], f"no entry covers {label}"


def test_a_label_without_an_entry_is_noticed() -> None:
    without = tuple(entry for entry in ENTRIES if "lem:max-exp-2" not in entry.labels)
    assert coverage(without)["lem:max-exp-2"] == ()


def test_sources_are_labels_of_the_paper_or_ours() -> None:
    known = {*STATEMENTS, *DISPLAYED, *PLACES}
    assert [e.id for e in ENTRIES if not set(e.labels) <= known] == []
    assert all(" " not in label and "," not in label for e in ENTRIES for label in e.labels)


def test_no_entry_rests_on_an_assumption(results: tuple[Result, ...]) -> None:
    texts = [r.entry.statement + r.entry.title + r.detail for r in results]
    assert not [text for text in texts if "assum" in text.lower()]


def test_the_privacy_lemma_is_proved_for_two_to_six_categories(results: tuple[Result, ...]) -> None:
    result = next(r for r in results if r.id == "privacy-hpf-k2-6")
    assert (result.entry.method, result.status) == ("smt", "proved for stated sizes")
    assert all(f"k={k}:" in result.detail for k in range(2, 7))


def test_every_known_slip_is_an_entry(results: tuple[Result, ...]) -> None:
    corrected = {r.id for r in results if r.status == "paper's text corrected"}
    assert {
        "sm-realised-leaks", "false-mean-condition", "false-mean-vacuous", "false-k", "false-mse-split", "false-note",
        "false-local-tail", "slip-table-arguments", "slip-norm-wording", "slip-family-name",
    } <= corrected  # fmt: skip


def test_the_ledger_runs_in_forty_seconds_of_one_core(ledger_run: LedgerRun) -> None:
    assert ledger_run.cpu_seconds < 40


def test_two_runs_give_the_same_document() -> None:
    names = ["privacy-hpf", "grid-mean", "perm-constant", "opt-stat-value", "local-tail", "false-mse-split"]
    assert ledger_json(run_ledger(names)) == ledger_json(run_ledger(reversed(names)))


def test_importing_the_ledger_loads_no_heavy_tool() -> None:
    code = (
        "import sys, hdp_audit.proofs as p; p.all_entries(); "
        "heavy = ('sympy', 'z3', 'mpmath', 'cvxpy', 'scipy', 'mechanisms', 'hdp_audit.theory'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"
