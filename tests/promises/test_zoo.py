"""A list of mechanisms with other promises than pure ε: losses derived twice, and verdicts of one seed on some of them.

benchmarks/promise_zoo.md has the verdicts on all of them over many seeds. An audit here is wrong about a correct
mechanism with probability at most 0.001 over the choice of its seed, which is fixed.
"""

from __future__ import annotations

import math

import pytest

from hdp_audit import PrivacyClaim, audit
from tests.promises.zoo import CASES
from tests.promises.zoo_laws import best_bet_calls, lost
from tests.promises.zoo_mechanisms import Batched, leaky_laplace

ROUNDING = 1e-3  # outputs are multiples of 1/1024 where a law is taken from the mechanism itself; cells are as coarse
PURE = PrivacyClaim(floating_point="off", trace="off")
BROKEN = {
    "gradient step, not clipped": 2_000,
    "noisy votes, one draw for all": 2_000,
    "sum and n, removal": 2_000,
    "partition selection, threshold too low": 40_000,
    "randomised response, δ = 0, 1.5 ε": 2_000,
}
KEPT = {
    "Laplace, leak of 0.01": 4_000,
    "analytic calibration": 4_000,
    "gradient step, clipped by user": 2_000,
    "sum and n": 2_000,
    "randomised response, δ = 0": 2_000,
}


@pytest.mark.parametrize("name", CASES)
def test_losses_by_hand_are_those_of_the_laws(name: str) -> None:
    case = CASES[name]
    found = lost(case.promise, case.user, case.law())
    if case.loses == math.inf:
        assert found > 2.0 * max(case.promise.strengths.max(), 1.0)  # cells end, so what has no bound has a large one
    else:
        assert found == pytest.approx(case.loses, rel=ROUNDING, abs=1e-8)


@pytest.mark.many(6)
@pytest.mark.parametrize("name", CASES)
def test_a_bet_that_knows_the_pair_grows_on_broken_promises_alone(name: str) -> None:
    case = CASES[name]
    assert math.isinf(best_bet_calls(case.promise, case.user, case.law())) == case.keeps


@pytest.mark.parametrize(("name", "budget"), BROKEN.items())
def test_a_broken_promise_of_the_list_is_refuted(name: str, budget: int) -> None:
    assert CASES[name].audited(seed=1, budget=budget).verdict == "fail"


@pytest.mark.parametrize(("name", "budget"), KEPT.items())
def test_a_kept_promise_of_the_list_is_not_refuted(name: str, budget: int) -> None:
    assert CASES[name].audited(seed=1, budget=budget).verdict != "fail"


def test_a_rare_leak_that_moves_nobody_is_found_on_one_user_alone() -> None:
    """One call in 25 tells the sum. On a group (Σε = 2) each of them wins 0.13 nats, on one user 0.47."""
    leaky = Batched(leaky_laplace, leak=0.04)
    report = audit(leaky, epsilon=[0.5] * 4 + [1.0] * 3, task="mean", budget=20_000, privacy=PURE)
    refuted = {finding.label for finding in report.findings if finding.verdict == "fail"}
    assert any(label.startswith("privacy/user/") for label in refuted)
