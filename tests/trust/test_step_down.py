"""A refuted claim leaves its share of the significance to the others, and nothing else changes."""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import engine
from hdp_audit.audits.case import Case
from hdp_audit.audits.given_up import given_up
from hdp_audit.audits.share import ClaimTest, Outcome
from hdp_audit.audits.step_down import FINENESS, LEVEL, stepped_levels, with_retried
from hdp_audit.config import case_of, read_spec
from hdp_audit.model import AccuracyClaim, Finding, OptimalityClaim, PrivacyClaim, PrivacyDemands
from hdp_audit.model.task import Mean
from hdp_audit.runs.outcomes import outcome_from_json, outcome_to_json
from tests.cli.specs import document, invoke

CODE = """
import math

LOSSES = [3.0, 3.0, 3.0, 3.0, 3.0, 1.3]  # 1 was promised

def release(data, epsilon, rng):
    pair, bit = data
    return int(rng.random() < 1 / (1 + math.exp(-LOSSES[pair] if bit else LOSSES[pair])))

def pairs():
    for number in range(len(LOSSES)):
        yield (number, 0), (number, 1), [0]
"""
SPEC = """
[mechanism]
target = "answers.py:release"
task = "custom"
pairs = "answers.py:pairs"

[demands]
values = [1]

[privacy]

[run]
budget = 4000
seed = 7
"""
FAINT = "release/privacy/pair/5"


def claim(name: str, significance: float, p: float, *, refuted: bool = False) -> ClaimTest:
    return ClaimTest(name, significance, float(-np.log(max(p, 1e-300))), refuted, refuted)


def never(finding: str, _why: str) -> Finding | None:
    pytest.fail(f"{finding} is said already")


def by_hand(shares: list[Fraction], p: list[Fraction], planned: Fraction) -> dict[str, Fraction]:
    """Holm's procedure for unequal shares, as it is written: the levels of what falls beyond its own share."""
    levels, left = {}, planned
    for claim in sorted(range(len(p)), key=lambda i: p[i] / shares[i]):
        level = shares[claim] * planned / left
        if p[claim] > level:
            break
        levels[str(claim)] = level
        left -= shares[claim]
    return {name: level for name, level in levels.items() if p[int(name)] > shares[int(name)]}


def test_levels_are_those_of_holms_procedure_with_unequal_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 families of up to 9 claims; the shares are whole units, so that nothing is rounded."""
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels does so at every call, which takes most of its time
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(400):
        size = int(rng.integers(2, 10))
        units = [1, *rng.integers(1, 5, size=size - 1).tolist()]
        shares = [Fraction(n, 2048) for n in units]
        planned = sum(shares, Fraction(int(rng.integers(0, 4)), 2048))
        p = [share * Fraction(int(rng.integers(1, 400)), 128) for share in shares]
        tests = [claim(str(i), float(shares[i]), float(p[i]), refuted=p[i] <= shares[i]) for i in range(size)]
        found, expected = stepped_levels(tests, float(planned)), by_hand(shares, p, planned)
        assert found == pytest.approx({name: float(level) for name, level in expected.items()}, rel=1e-12)
        seen += len(found)
    assert seen > 50


def test_rounded_shares_never_raise_a_level_and_lower_it_by_little() -> None:
    tests = [claim("a", 1e-3, 0, refuted=True), claim("b", np.pi * 1e-4, 4e-4), claim("c", np.e * 1e-4, 0.5)]
    planned = sum(test.significance for test in tests) + 1e-4
    exact = tests[1].significance * planned / (planned - 1e-3)
    found = stepped_levels(tests, planned)["b"]
    assert (1 - 2 / FINENESS) * exact <= found <= exact


def test_where_nothing_or_everything_is_refuted_nobody_asks_statsmodels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.stats.multitest", None)  # to import it would raise
    open_ones = [claim("a", 1e-4, 2e-4), claim("b", 1e-4, 3e-4)]
    refuted = [claim("c", 1e-4, 1e-5, refuted=True)]
    assert stepped_levels(open_ones, 1e-3) == {}
    assert stepped_levels(refuted, 1e-3) == {}
    assert stepped_levels([], 1e-3) == {}
    assert stepped_levels([*refuted, claim("d", 1e-4, 2e-3)], 1e-3) == {}  # beyond all that was planned
    with pytest.raises(ImportError):
        stepped_levels([*refuted, *open_ones], 1e-3)


def test_what_new_samples_did_not_confirm_leaves_nothing_and_is_not_tried_again() -> None:
    unconfirmed = ClaimTest("a", 1e-4, 20.0, tried=True, refuted=False)
    assert unconfirmed.p_value == 1.0
    refuted, close = claim("b", 1e-4, 0, refuted=True), claim("c", 1e-4, 1.8e-4)
    assert "c" in stepped_levels([refuted, replace(unconfirmed, refuted=True), close], 3e-4)
    assert stepped_levels([refuted, unconfirmed, close], 3e-4) == {}


def test_shares_that_belong_to_no_claim_are_left_to_nobody() -> None:
    """What was planned for behaviour, or for a claim that was not tried, is spent or kept."""
    tests = [claim("a", 1e-4, 0, refuted=True), claim("b", 1e-4, 1.5e-4)]
    assert stepped_levels(tests, 2e-4) == {"b": pytest.approx(2e-4)}
    assert stepped_levels(tests, 10e-4) == {}  # 1e-4 · 10/9 is less than p


def test_a_mechanism_that_was_given_up_keeps_its_share() -> None:
    found = given_up(Outcome((), tests=(claim("a", 1e-4, 1e-9, refuted=True),)))
    assert [test.p_value for test in found.tests] == [1.0]


def test_only_claims_tried_at_a_new_level_are_taken_from_the_second_run() -> None:
    """A mechanism that does not repeat itself may find anything in it; no refutation gets lost, none comes in."""

    def finding(name: str, verdict: str) -> Finding:
        return Finding(name, "m", "accuracy", verdict, "tested", "")  # type: ignore[arg-type]

    first = Outcome(
        (finding("a", "fail"), finding("b", "pass"), finding("c", "pass")),
        100,
        tests=(claim("a", 1e-4, 0, refuted=True), claim("b", 1e-4, 2e-4), claim("c", 1e-4, 0.5)),
    )
    again = Outcome(
        (finding("b", "fail"), finding("c", "fail"), finding("a", "pass"), finding("calls fail", "error")),
        50,
        tests=(claim("b", 1e-4, 2e-4, refuted=True), claim("c", 1e-4, 0, refuted=True)),
    )
    both = with_retried(first, again, {"b": 3e-4}, never)
    assert [(entry.id, entry.verdict) for entry in both.findings] == [("a", "fail"), ("b", "fail"), ("c", "pass")]
    assert both.calls == 150
    unlike = replace(again, tests=(claim("b", 1e-4, 0.5),))  # not the same draws
    other = with_retried(first, unlike, {"b": 3e-4}, never)
    assert [(entry.id, entry.verdict) for entry in other.findings] == [
        ("a", "fail"),
        ("b", "inconclusive"),
        ("c", "pass"),
    ]
    assert "did not give the same outputs" in other.findings[1].message
    assert other.findings[::2] == first.findings[::2]


def test_a_journal_keeps_the_tests_to_the_bit() -> None:
    tests = (claim("a", 1e-4, 0.3), ClaimTest("b", 2e-4, float("inf"), tried=True, refuted=True))
    stored = json.loads(json.dumps(outcome_to_json(Outcome((), tests=tests))))
    assert outcome_from_json(stored).tests == tests


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stepped")
    (folder / "answers.py").write_text(CODE)
    (folder / "hdp-audit.toml").write_text(SPEC)
    return folder / "hdp-audit.toml"


def test_a_claim_falls_by_what_others_left_it_and_all_else_is_the_same(spec: Path) -> None:
    read = read_spec(spec)
    checks = engine.plan([case_of(read)], confidence=0.999, budget=4000, seed=7)
    before = engine.run_checks(checks)
    after = engine.step_down(checks, before)
    first, second = (
        {finding.id: finding for finding in engine.assemble(checks, found, 0.0).findings} for found in (before, after)
    )
    assert {name for name in first if first[name] != second[name]} == {FAINT}
    assert first[FAINT].verdict == "pass"
    fell = second[FAINT]
    own = next(test.significance for outcome in before.values() for test in outcome.tests if test.finding == FAINT)
    assert fell.verdict == "fail"
    assert own < fell.facts[LEVEL] <= 0.001
    assert fell.facts["limit"] == pytest.approx(-np.log(fell.facts[LEVEL]))  # what refuted it; its bound rests on `own`
    assert fell.lower is not None
    assert fell.lower.value >= 1.0
    assert fell.counterexample is not None
    assert fell.counterexample.confirmed
    assert "other claims were refuted" in fell.message
    assert fell.facts["wealth"] == first[FAINT].facts["wealth"]  # the same draws


def test_a_run_its_resumption_and_a_replay_tell_the_same(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    invoke("run", spec, "--out", out, "--jobs", 1, "--quiet")
    whole = document(out)
    fell = next(entry for entry in whole["findings"] if entry["id"] == FAINT)
    assert fell["verdict"] == "fail"
    assert LEVEL in fell["witness"]
    journal = out / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))  # as if it had been stopped before the last check
    invoke("run", spec, "--out", out, "--jobs", 1, "--quiet", "--resume")
    assert document(out)["findings"] == whole["findings"]
    assert document(out)["totals"]["calls"] == whole["totals"]["calls"]
    done = invoke("replay", out / "report.json", "--finding", FAINT, "--spec", spec)
    assert done.exit_code == 0, done.output


class Kept:
    """A mean that keeps every promise exactly, as far as six digits tell."""

    def __call__(self, data: Any, epsilon: Any, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Any, epsilon: Any, rng: np.random.Generator, size: int) -> Any:
        return np.clip(np.round(epsilon @ data / epsilon.sum() + rng.laplace(0, 1 / epsilon.sum(), size), 6), 0, 1)


def test_every_kind_of_claim_is_tried_at_its_level_and_accused_by_new_samples_alone() -> None:
    """At a level of 1 any wealth is enough: all are tried, no new sample confirms what is not so (at this seed)."""
    case = Case.of(
        "kept",
        Kept,
        PrivacyDemands.from_values(np.repeat([0.2, 1.0], 5)),
        Mean(),
        privacy=PrivacyClaim(),
        accuracy=AccuracyClaim(bound=0.99),
        optimality=OptimalityClaim(),
    )
    checks = engine.plan([case], confidence=0.999, budget=3000, seed=2)
    before = engine.run_checks(checks)
    names = [test.finding for outcome in before.values() for test in outcome.tests]
    assert {"kept/" + name for name in ("privacy/tier/0.2", "float/bits", "accuracy/correlated/pac")} <= set(names)
    assert {f"kept/optimality/correlated/{metric}" for metric in ("pac", "mse")} <= set(names)
    assert any(name.startswith("kept/privacy/user/") for name in names)
    levels = dict.fromkeys(names, 1.0)
    after = engine.run_checks([replace(check, share=replace(check.share, levels=levels)) for check in checks])
    tests = [test for outcome in after.values() for test in outcome.tests]
    assert [test.finding for test in tests] == names
    assert all(test.tried and not test.refuted for test in tests)
    found = {finding.id: finding for outcome in after.values() for finding in outcome.findings}
    for name in names:
        assert found[name].facts[LEVEL] == 1.0
        if name != "kept/float/bits":  # says nothing of what was not confirmed
            assert found[name].verdict == "inconclusive"
    assert "fail" not in {finding.verdict for finding in found.values()}
