"""Too good for permuted data: refuted where the demands forbid it, though correlated data show nothing."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit import ZCDP, OptimalityClaim, Remove, audit
from hdp_audit.audits.optimality import audit_optimality
from hdp_audit.audits.packing_games import games
from hdp_audit.audits.share import Share
from hdp_audit.errors import InvalidInput
from hdp_audit.model.vocabulary import METRICS, SETTINGS
from hdp_audit.targets.reference import Audited, entries, standard_demands
from tests.audits.test_optimality_auditor import DEMANDS, Truth
from tests.subjects import subject_of

WEAK = OptimalityClaim(setting="weakly-correlated")
SHARE = Share(calls=6_000, significance=1e-6, confidence=0.999, seed=4)
TOGETHER = pytest.mark.xdist_group("optimality")  # one worker has the lower bounds
CASES = [("fifty users", None), ("fifty users", 5)]


def verdicts(mechanism, epsilon, categories, claim=WEAK, share=SHARE) -> list[str]:
    subject = subject_of(mechanism, epsilon, categories, getattr(mechanism, "name", "audited"))
    found = audit_optimality(subject, claim, share).findings
    assert all(finding.calls <= share.calls for finding in found)
    return [finding.verdict for finding in found]


def constant(_data, _demands, _rng) -> float:
    return 0.5


class LeavesOutTheStrict:
    """Tells the truth about all but the strictest users, whom it keeps out: nobody sees that who moves only them."""

    name = "leaves-out-the-strict"

    def __init__(self, epsilon: np.ndarray, share: float = 0.02) -> None:
        self.kept = epsilon > np.quantile(epsilon, share)

    def __call__(self, data, _epsilon, _rng):
        return float(data[self.kept].mean())

    def batch(self, data, epsilon, rng, size):
        return np.full(size, self(data, epsilon, rng))

    def many(self, rows, _epsilon, _rng):
        return rows[:, self.kept].mean(axis=1)


@TOGETHER
@pytest.mark.parametrize(("demands", "categories"), CASES)
def test_the_exact_truth_is_refuted(demands: str, categories: int | None) -> None:
    assert verdicts(Truth(categories), DEMANDS[demands], categories) == ["fail", "fail"]


@TOGETHER
@pytest.mark.parametrize(("demands", "categories"), CASES)
def test_the_nearly_optimal_are_not_refuted(demands: str, categories: int | None) -> None:
    """False alarm at most 1e-6 by the plan."""
    epsilon, task = DEMANDS[demands], "mean" if categories is None else "frequency"
    name = "hpm-we" if categories is None else "hpf-we"
    assert verdicts(Audited(name, epsilon, task=task, categories=categories), epsilon, categories) == ["pass", "pass"]


@TOGETHER
def test_a_quarter_of_the_noise_is_too_accurate() -> None:
    epsilon = np.full(60, 0.5)
    assert verdicts(Truth(None, 1 / 30 / 4), epsilon, None) == ["fail", "fail"]
    assert verdicts(Truth(None, 1 / 30), epsilon, None) == ["pass", "pass"]


def test_who_leaves_out_the_strictest_is_refuted_by_permuted_data_alone() -> None:
    epsilon = np.concatenate([np.full(12, 0.02), np.full(90, 0.7)])
    subject = subject_of(LeavesOutTheStrict(epsilon, 0.1), epsilon, None, "leaves-out")
    for setting, found in (("correlated", False), ("weakly-correlated", True)):
        for metric in METRICS:
            played = [game.play(2400, "judge") for game in games(subject, setting, metric, SHARE, 5.0)]
            assert any(one.evidence.refutes for one in played) == found


@TOGETHER
def test_the_report_says_whether_the_theorem_speaks() -> None:
    quiet, spoken = np.array([0.2] * 20 + [3.0] * 10), np.full(30, 0.3)
    for epsilon, words in ((quiet, "does not speak"), (spoken, "theorem speaks")):
        found = audit_optimality(subject_of(Truth(None), epsilon, None, "truth"), WEAK, SHARE).findings
        assert words in found[0].message


def test_large_demands_allow_the_truth() -> None:
    assert "fail" not in verdicts(Truth(None), np.full(50, 12.0), None)
    assert verdicts(Truth(None), np.full(5, np.inf), None) == ["pass"]


def test_failed_calls_are_no_accuracy() -> None:
    def crashing(data, epsilon, rng):
        raise ValueError("no")

    assert "fail" not in verdicts(crashing, np.full(20, 0.1), None, share=Share(2000, 1e-6, 0.999, 1))


def test_other_promises_are_refused_as_they_allow_more() -> None:
    """A Gaussian of ρ = 0.02, or a removal at ε = 0.5 (1 under replacement), beats the bounds for pure demands."""
    for other in ({"promise": ZCDP([0.02] * 20)}, {"epsilon": [0.5] * 20, "neighbours": Remove()}):
        with pytest.raises(InvalidInput, match="pure demands under replacement alone"):
            audit(constant, task="mean", optimality=OptimalityClaim(), **other)


def test_both_settings_in_one_audit_have_findings_of_their_own() -> None:
    claims = (OptimalityClaim(), WEAK)
    report = audit(constant, epsilon=[0.1] * 20, task="mean", optimality=claims, budget=3000)
    names = {finding.id.split("/", 1)[1] for finding in report.findings if finding.kind == "optimality"}
    assert names == {f"optimality/{setting}/{metric}" for setting in SETTINGS for metric in METRICS}
    with pytest.raises(InvalidInput, match="one claim for each setting"):
        audit(constant, epsilon=[0.1], task="mean", optimality=(WEAK, WEAK))


@pytest.mark.full
@TOGETHER
@pytest.mark.parametrize("demands", ["equal-0.1", "equal-1", "tiers", "log-uniform", "two-point", "uniform"])
@pytest.mark.parametrize("task", ["mean", "frequency"])
def test_nobody_honest_is_refuted(demands: str, task: str) -> None:
    """False alarm at most 1e-6 by the plan."""
    epsilon, categories = standard_demands(demands).values, None if task == "mean" else 10
    for entry in entries(task):
        mechanism = Audited(entry.name, epsilon, task=task, categories=categories)
        assert "fail" not in verdicts(mechanism, epsilon, categories), entry.name
