"""The built-in suite: what it covers, and a small part of it as the command runs it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hdp_audit import suite
from hdp_audit.audits.privacy import SEARCHING
from hdp_audit.engine import plan, run_check
from hdp_audit.targets.reference import names
from tests.cli.specs import invoke


def test_every_reference_mechanism_is_there_for_every_task_it_does() -> None:
    cases = suite.suite_cases()
    assert len(cases) == len(names("mean")) + len(names("frequency"))
    assert len({case.name for case in cases}) == len(cases)
    assert all(case.claims == ["privacy", "accuracy", "optimality"] for case in cases)


def test_the_embedded_data_fit_their_task_and_hide_the_rich() -> None:
    mean, frequency = (
        next(case for case in suite.suite_cases() if case.task.name == task) for task in ("mean", "frequency")
    )
    assert mean.data is not None
    assert frequency.data is not None
    assert 0 <= mean.data.min() < mean.data.max() <= 1
    assert set(frequency.data.tolist()) == set(range(suite.CATEGORIES))
    careful = mean.demands.values < 0.1
    assert mean.data[careful].mean() > 2 * mean.data[~careful].mean()


def test_every_statement_of_the_ledger_is_a_proof_finding() -> None:
    outcome = suite.Proofs("privacy").run()
    assert outcome.findings
    assert {finding.kind for finding in outcome.findings} == {"proof"}
    assert {finding.verdict for finding in outcome.findings} == {"pass"}


def test_the_suite_runs_without_a_spec_and_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [case for case in suite.suite_cases() if case.name in ("hpm-cp", "uni-mean")]
    monkeypatch.setattr(suite, "suite_cases", lambda: chosen)
    monkeypatch.setattr(suite, "proofs", lambda: [suite.Proofs("bias")])
    done = invoke("run", "--jobs", 1, "--out", tmp_path, "--quiet", "--budget", 4000)
    assert done.exit_code in (0, 3), done.output  # so few calls may lack power
    written = {file.name for file in tmp_path.glob("report.*")}
    assert written == {f"report.{kind}" for kind in ("html", "json", "junit.xml", "sarif", "md")}
    report = json.loads((tmp_path / "report.json").read_text())
    assert [subject["name"] for subject in report["subjects"]] == ["hpm-cp", "uni-mean"]
    assert {"privacy", "accuracy", "optimality", "proof"} <= {finding["kind"] for finding in report["findings"]}
    proof = next(finding["id"] for finding in report["findings"] if finding["kind"] == "proof")
    for name in (proof, "hpm-cp/privacy/tier/0.5"):
        again = invoke("replay", tmp_path / "report.json", "--finding", name)
        assert again.exit_code == 0, again.output


def test_the_committed_report_is_of_the_whole_suite_and_took_less_than_two_minutes() -> None:
    report = json.loads((Path(__file__).parents[2] / "reports" / "suite" / "report.json").read_text(encoding="utf-8"))
    assert {subject["name"] for subject in report["subjects"]} == {case.name for case in suite.suite_cases()}
    assert report["verdict"] == "pass"
    assert report["totals"]["seconds"] <= 120
    assert report["environment"]["budget"] == suite.BUDGET


def test_the_suite_holds_accuracy_to_the_tolerance_of_a_gate() -> None:
    """Every mechanism's squared errors, or their quantile, are within reach of the calls that its check gets."""
    checks = {check.id: check for check in plan(suite.suite_cases(), confidence=0.999, budget=suite.BUDGET, seed=1)}
    assert {check.case.accuracy.tolerance for check in checks.values()} == {1.05}
    for name in ("hpm-ce", "hpm-cp", "hpf-ce", "hpf-cp"):  # the widest laws; the whole suite is run by the report
        assert run_check(checks[f"{name}/accuracy"]).findings[0].verdict == "pass"
    privacy = sum(c.share.calls for c in checks.values() if c.id.startswith("hpm-cp/privacy"))
    assert privacy == pytest.approx((1 + SEARCHING) * suite.CALLS["privacy"], rel=0.05)


@pytest.mark.parametrize("confidence", [0.9, 0.999])
def test_confidence_is_family_wise_over_everything_in_the_report(confidence: float) -> None:
    """Every check may raise a false alarm with its own significance; all of them together with 1 − confidence."""
    checks = plan(suite.suite_cases(), confidence=confidence, budget=suite.BUDGET, seed=1)
    together = sum(check.share.significance for check in checks)
    assert 0.9 * (1 - confidence) < together <= (1 - confidence) * (1 + 1e-9)
    assert all(check.share.significance < 0.2 * (1 - confidence) for check in checks)


def test_demands_of_the_suite_are_the_standard_tiers() -> None:
    values, counts = np.unique(suite.suite_cases()[0].demands.values, return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {0: 5, 0.02: 100, 0.5: 800, 2: 90, np.inf: 5}
