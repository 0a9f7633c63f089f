"""The statements in a proof assistant: checked where it is installed, never taken for checked where it is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdp_audit.proofs.coq import AXIOMS, SOURCE, THEOREMS, check

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="there is no coqc")


def script(folder: Path, body: str) -> str:
    path = folder / "coqc"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def printed(*axioms: str) -> str:
    return f"printf '{''.join(f'Axioms:{chr(92)}n{a} : Prop{chr(92)}n  more{chr(92)}n' for a in axioms)}'"


def test_without_coq_nothing_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert check().status == "not run"


def test_a_coq_that_refuses_or_cannot_start_proves_nothing(tmp_path: Path) -> None:
    refused = check(coqc=script(tmp_path, "echo 'Error: no' >&2; exit 1"))
    assert (refused.status, "Error: no" in refused.words) == ("failed", True)
    assert check(coqc=str(tmp_path / "absent")).status == "not run"


def test_only_the_axioms_of_the_reals_may_be_assumed(tmp_path: Path) -> None:
    known = sorted(AXIOMS)[0]
    assert check(coqc=script(tmp_path, printed(*[known] * THEOREMS))).status == "proved"
    admitted = check(coqc=script(tmp_path, printed(*[known] * (THEOREMS - 1), "cheated")))
    assert (admitted.status, "cheated" in admitted.words) == ("failed", True)
    assert check(coqc=script(tmp_path, printed(known))).status == "failed"


def test_no_proof_is_left_out() -> None:
    text = SOURCE.read_text(encoding="utf-8")
    assert not any(word in text for word in ("Admitted", "admit.", "Axiom ", "Parameter ", "Abort"))
    assert text.count("Theorem ") == text.count("Print Assumptions") == THEOREMS


@needs_coq
def test_coq_accepts_the_statements() -> None:
    assert check().status == "proved"


@needs_coq
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("w i <= t * eps i ->", "w i <= 2 * t * eps i ->"),
        ("<= 1 / (1 + exp (- eps)).", "<= 1 / (2 + exp (- eps))."),
        ("NoDup (map s draws) -> incl", "incl"),
    ],
)
def test_coq_refuses_a_wrong_form(tmp_path: Path, right: str, wrong: str) -> None:
    text = SOURCE.read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / "wrong.v"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    assert check(path).status == "failed"
