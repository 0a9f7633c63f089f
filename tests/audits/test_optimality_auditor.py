"""Too good to be true: the exact truth is refuted from its accuracy alone, honest mechanisms are not."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.audits.optimality import audit_optimality
from hdp_audit.audits.share import Share
from hdp_audit.model.claim import OptimalityClaim
from hdp_audit.targets.reference import Audited, standard_demands
from tests.subjects import subject_of

SHARE = Share(calls=12_000, significance=1e-6, confidence=0.999, seed=4)
DEMANDS = {
    "equal-0.1": standard_demands("equal-0.1").values,
    "tiers": standard_demands("tiers").values,
    "log-uniform": standard_demands("log-uniform").values,
    "fifty users": np.exp(np.random.default_rng(2).uniform(-3, 1, 50)),
}
TOGETHER = pytest.mark.xdist_group("optimality")  # one worker has the lower bounds
EVERY = pytest.mark.parametrize(  # each task has demands of few users and of many
    ("demands", "categories"), [("equal-0.1", None), ("log-uniform", None), ("tiers", 5), ("fifty users", 5)]
)


class Truth:
    """Ignores privacy, with a little noise if asked."""

    name = "truth"

    def __init__(self, categories: int | None, noise: float = 0.0) -> None:
        self.categories, self.noise = categories, noise

    def __call__(self, data, epsilon, rng):
        return self.batch(data, epsilon, rng, 1)[0]

    def batch(self, data, _epsilon, rng, size):
        truth = [data.mean()] if self.categories is None else np.bincount(data, minlength=self.categories) / data.size
        table = np.asarray(truth) + rng.laplace(0, 1, (size, len(truth))) * self.noise
        return table[:, 0] if self.categories is None else table


def findings(mechanism, epsilon: np.ndarray, categories: int | None, share: Share = SHARE):
    subject = subject_of(mechanism, epsilon, categories, getattr(mechanism, "name", "audited"))
    return audit_optimality(subject, OptimalityClaim(), share).findings


@pytest.mark.many(2)
@TOGETHER
@EVERY
def test_the_exact_truth_is_refuted_from_its_accuracy_alone(demands: str, categories: int | None) -> None:
    found = findings(Truth(categories), DEMANDS[demands], categories)
    assert [finding.verdict for finding in found] == ["fail", "fail"]
    assert all("no mechanism that keeps the demands can be this accurate" in finding.message for finding in found)
    assert all(finding.calls <= SHARE.calls for finding in found)


@pytest.mark.many(2)
@TOGETHER
@EVERY
def test_the_nearly_optimal_are_not_refuted(demands: str, categories: int | None) -> None:
    """False alarm at most 1e-6 by the plan."""
    epsilon = DEMANDS[demands]
    name = "hpm-cp-centred" if categories is None else "hpf-cp-hull"
    task = "mean" if categories is None else "frequency"
    for finding in findings(Audited(name, epsilon, task=task, categories=categories), epsilon, categories):
        assert finding.verdict == "pass"
        assert 0.7 < finding.witness["factor"] < 20
        assert finding.witness["guaranteed"] >= finding.witness["lower_bound"]


def test_a_quarter_of_the_noise_is_too_accurate() -> None:
    """Equal demands of 0.1: Laplace(t) is optimal, so Laplace(t/4) is refuted, Laplace(t) is not."""
    epsilon = np.full(1000, 0.1)
    assert [one.verdict for one in findings(Truth(None, 0.01 / 4), epsilon, None)] == ["fail", "fail"]
    assert [one.verdict for one in findings(Truth(None, 0.01), epsilon, None)] == ["pass", "pass"]


def test_large_demands_allow_the_truth_and_the_report_says_so() -> None:
    """Above log((1−β)/β) = 2.94 no error quantile is impossible; beyond what calls can refute nothing is tried."""
    pac, _ = findings(Truth(None), np.full(50, 4.0), None)
    assert "allow even the exact truth" in pac.message
    assert pac.claimed == 0.0
    pac, mse = findings(Truth(None), np.full(50, 40.0), None)
    assert (pac.verdict, pac.evidence) == ("pass", "proved")
    assert "allow even the exact truth" in pac.message
    assert mse.verdict == "inconclusive"
    assert "allows even the exact truth" in mse.message


def test_public_data_may_be_told() -> None:
    (finding,) = findings(Truth(None), np.full(5, np.inf), None)
    assert (finding.verdict, finding.evidence) == ("pass", "proved")


def test_too_few_calls_are_inconclusive() -> None:
    found = findings(Truth(None, 10.0), np.full(50, 2.5), None, Share(120, 1e-6, 0.999, 1))
    assert {finding.verdict for finding in found} == {"inconclusive"}


def test_failed_calls_are_no_accuracy() -> None:
    def crashing(data, epsilon, rng):
        raise ValueError("no")

    found = findings(crashing, np.full(20, 0.1), None, Share(2000, 1e-6, 0.999, 1))
    assert all(finding.verdict == "pass" for finding in found)
