"""A proof whose tool is missing is "not run", never passed and never refuted; light commands load no heavy library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hdp_audit.proofs import Entry, Evidence, ledger_markdown, run_entry
from hdp_audit.proofs.entry import Result, Status, correction
from hdp_audit.suite import Proofs

Z3, SYMPY = "privacy-hpf", "max-exp"  # an entry that needs z3, and one that does not
HEAVY = ("pandas", "statsmodels", "sympy", "z3", "cvxpy")
ABSENT = "import sys; sys.modules['z3'] = None\n"
MAIN = "from hdp_audit.cli import main; main({words!r})\n"


def started(code: str, *, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter, so that nothing loaded here hides what is missing there."""
    path = "" if folder is None else f"import sys; sys.path.insert(0, {str(folder)!r})\n"
    return subprocess.run(  # noqa: S603
        [sys.executable, "-c", path + code], capture_output=True, text=True, check=False
    )


def broken_z3(folder: Path) -> Path:
    """A z3 that is installed without its library: its import ends in an error of its own."""
    (folder / "z3").mkdir()
    (folder / "z3" / "__init__.py").write_text("raise RuntimeError('libz3.so not found')\n", encoding="utf-8")
    return folder


def test_prove_without_z3_says_not_run_exits_two_and_counts_it_as_nothing() -> None:
    done = started(ABSENT + MAIN.format(words=["prove", "--json", Z3, SYMPY]))
    assert done.returncode == 2, done.stderr
    document = json.loads(done.stdout)
    assert document["passed"] is False
    assert document["counts"] == {"proved": 1, "not run": 1}
    (entry,) = [entry for entry in document["entries"] if entry["id"] == Z3]
    assert (entry["status"], entry["strength"], entry["detail"]) == ("not run", "", "")
    assert "pip install 'hdp-audit[prove]'" in entry["error"]


def test_what_to_install_is_said_once_for_many_entries() -> None:
    done = started(ABSENT + MAIN.format(words=["prove", "privacy-hpm", "bias-worst", "bias-square"]))
    assert done.returncode == 2
    assert done.stderr.count("pip install") == 1
    assert "not run: privacy-hpm, bias-worst, bias-square: needs z3" in done.stderr


def test_a_tool_that_cannot_be_loaded_refutes_nothing(tmp_path: Path) -> None:
    done = started(MAIN.format(words=["prove", Z3]), folder=broken_z3(tmp_path))
    assert done.returncode == 2, done.stdout
    assert "libz3.so not found" in done.stderr


def test_the_suite_reports_a_proof_without_its_tool_as_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    findings = {finding.id: finding for finding in Proofs("bias").run().findings}
    finding = findings["theory/bias-worst"]
    assert finding.verdict == "error"
    assert "not run" in finding.message
    assert {finding.verdict for finding in findings.values()} <= {"error", "pass"}


def test_a_correction_that_was_not_run_is_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    def needs_z3() -> Evidence:
        import z3  # noqa: F401

        return Evidence(True, "proved", "a step")

    monkeypatch.setitem(sys.modules, "z3", None)
    text = ledger_markdown([run_entry(correction("x", "X", "Thm 1", "a ≤ b.", "smt", needs_z3, "The text has a < b."))])
    assert "Holds" not in text
    assert "Not established (not run): a ≤ b." in text


def test_an_error_while_a_tool_computes_is_a_failure() -> None:
    def refuses() -> Evidence:
        import sympy

        raise ValueError(sympy.Symbol("x"))

    assert run_entry(Entry("x", "X", "ours", "a ≤ b.", "sympy", refuses)).status == "failed"


@pytest.mark.parametrize(("status", "strength", "error"), [("not run", "proved", "gone"), ("proved", "", "gone")])
def test_a_result_cannot_be_both_not_run_and_established(status: Status, strength: str, error: str) -> None:
    entry = Entry("x", "X", "ours", "a ≤ b.", "smt", lambda: Evidence(True, "proved", "a step"))
    with pytest.raises(ValueError, match="a passed check has a strength"):
        Result(entry, status, strength, 0.0, "", error)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["list"]])
def test_light_commands_load_no_heavy_library(words: list[str]) -> None:
    code = (
        "import sys\n"
        "from hdp_audit.cli import main\n"
        f"try:\n    main({words!r})\n"
        "except SystemExit as end:\n    assert not end.code\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = started(code)
    assert done.returncode == 0, done.stderr


def test_importing_the_package_and_its_audit_loads_no_heavy_library() -> None:
    code = f"import sys, hdp_audit\nhdp_audit.audit\nassert not [m for m in {HEAVY!r} if m in sys.modules]\n"
    done = started(code)
    assert done.returncode == 0, done.stderr
