"""What a status means: failed checks are named, missing tools are never counted as passed."""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import Any

import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.proofs import Entry, Evidence, all_entries, run_entry, run_ledger
from hdp_audit.proofs.entry import OURS, conclude
from hdp_audit.proofs.privacy import frequency_all


def _entry(check: Any, **changes: Any) -> Entry:
    return replace(Entry("demo", "Demo", OURS, "A claim.", "smt", check), **changes)


def _good() -> Evidence:
    return Evidence(True, "proved", "one step")


def test_a_passing_check_has_the_status_of_its_evidence() -> None:
    assert run_entry(_entry(_good)).status == "proved"
    assert run_entry(_entry(lambda: Evidence(True, "tested", "x"))).status == "tested"
    assert run_entry(_entry(lambda: Evidence(True, "proved for stated sizes", "x"))).status == "proved for stated sizes"


def test_a_correction_is_marked_as_one_and_keeps_its_strength() -> None:
    result = run_entry(_entry(_good, corrects="the text says otherwise"))
    assert (result.status, result.strength) == ("paper's text corrected", "proved")


def test_a_false_claim_fails_and_names_the_step() -> None:
    result = run_entry(_entry(lambda: conclude("proved", {"first": True, "second": False})))
    assert result.status == "failed"
    assert "second" in result.error
    assert "first" not in result.error


def test_a_check_that_raises_fails_and_says_why() -> None:
    def broken() -> Evidence:
        raise ArithmeticError("no root")

    result = run_entry(_entry(broken))
    assert (result.status, result.error) == ("failed", "ArithmeticError: no root")


def test_a_check_that_returns_a_bare_truth_value_fails() -> None:
    assert run_entry(_entry(lambda: True)).status == "failed"


def test_a_false_correction_fails_too() -> None:
    result = run_entry(_entry(lambda: Evidence(False, "proved", "x"), corrects="the text says otherwise"))
    assert result.status == "failed"


def test_a_stress_test_cannot_call_itself_a_proof() -> None:
    assert run_entry(_entry(_good, method="textbook+stress")).status == "failed"


@pytest.mark.parametrize("tool", ["z3", "sympy", "mpmath"])
def test_a_missing_tool_is_not_run_and_not_passed(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"z3": "privacy-hpf", "sympy": "max-exp", "mpmath": "max-exp-order"}
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == tool:
            raise ModuleNotFoundError(f"No module named {tool!r}", name=tool)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    (result,) = run_ledger([names[tool]])
    assert result.status == "not run"
    assert not result.passed
    assert tool in result.error


def test_a_missing_module_of_our_own_is_a_failure() -> None:
    def broken() -> Evidence:
        raise ModuleNotFoundError("gone", name="hdp_audit.nowhere")

    assert run_entry(_entry(broken)).status == "failed"


def test_one_mutated_entry_fails_and_is_named() -> None:
    entries = tuple(
        replace(e, check=lambda: frequency_all(factor=1)) if e.id == "privacy-hpf" else e
        for e in all_entries()
        if e.id in ("privacy-hpf", "privacy-hpm")
    )
    results = [run_entry(entry) for entry in entries]
    assert [(r.id, r.status) for r in results] == [("privacy-hpf", "failed"), ("privacy-hpm", "proved")]
    assert "noise scale" in results[0].error


@pytest.mark.parametrize("ids", [["no-such-entry"], []])
def test_ids_that_name_nothing_are_refused(ids: list[str]) -> None:
    with pytest.raises(InvalidInput, match="ledger entries"):
        run_ledger(ids)


def test_results_come_in_the_ledgers_order() -> None:
    assert [r.id for r in run_ledger(["grid-scale", "privacy-hpm"])] == ["privacy-hpm", "grid-scale"]


def test_two_entries_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="used twice"):
        all_entries(("grid", "grid"))


@pytest.mark.parametrize(
    "changes", [{"id": ""}, {"statement": ""}, {"method": "belief"}, {"statement": "We assume that it holds."}]
)
def test_a_malformed_entry_is_refused_when_made(changes: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="entry"):
        _entry(_good, **changes)


@pytest.mark.parametrize("steps", [{}])
def test_an_argument_without_steps_proves_nothing(steps: dict[str, bool]) -> None:
    with pytest.raises(ValueError, match="no step"):
        conclude("proved", steps)


def test_evidence_without_detail_or_with_an_unknown_strength_is_refused() -> None:
    with pytest.raises(ValueError, match="detail"):
        Evidence(True, "proved", "")
    with pytest.raises(ValueError, match="strength"):
        Evidence(True, "certain", "x")  # type: ignore[arg-type]


def test_contradictory_premises_prove_nothing() -> None:
    from hdp_audit.proofs.smt import proves, reals

    x = reals("x")[0]
    with pytest.raises(ValueError, match="contradict"):
        proves(x > 1, x > 2, x < 1)
